#include "node/service.h"

#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

const char *const fore_service_names[FORE_SERVICES] = {"lin-kv", "seq-kv", "lww-kv",
                                                       "lin-tso"};

/* Errors, as Maelstrom numbers them. */
enum { NOT_SUPPORTED = 10, MALFORMED = 12, NO_KEY = 20, OTHER_VALUE = 22 };

/* ---- stores, as texts: [[key, value, stamp, who], ...], sorted by key ---- */

struct service_entry {
    const char *key, *value; /* as JSON */
    int64_t stamp, who;      /* when and by whom it was written */
};

struct store {
    FORE_VEC(struct service_entry) v;
};

static const char *text_of(struct fore_arena *a, const struct fore_json *v)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    fore_json_write(v, &s);
    const char *text = fore_arena_strndup(a, s.at, s.n);
    fore_strbuf_release(&s);
    return text;
}

static const struct fore_json *member(const struct fore_json *list, size_t i)
{
    const struct fore_json *x = list ? list->first : NULL;
    while (x && i--)
        x = x->next;
    return x;
}

static void read_store(struct fore_arena *a, const struct fore_json *list,
                       struct store *s)
{
    for (const struct fore_json *x = list ? list->first : NULL; x; x = x->next)
        fore_vec_push(&s->v, (struct service_entry){text_of(a, member(x, 0)),
                                                    text_of(a, member(x, 1)),
                                                    fore_json_int(member(x, 2), 0),
                                                    fore_json_int(member(x, 3), 0)});
}

static void write_store(const struct store *s, struct fore_strbuf *out)
{
    fore_strbuf_putc(out, '[');
    for (size_t i = 0; i < s->v.n; i++) {
        const struct service_entry *x = &s->v.at[i];
        fore_strbuf_printf(out, "%s[%s,%s,%" PRId64 ",%" PRId64 "]", i ? "," : "", x->key,
                           x->value, x->stamp, x->who);
    }
    fore_strbuf_putc(out, ']');
}

static struct service_entry *find_entry(const struct store *s, const char *key)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (!strcmp(s->v.at[i].key, key))
            return &s->v.at[i];
    return NULL;
}

/* Of two entries the later one stays; at the same time, that of the node with the higher number. */
static void put_entry(struct store *s, struct service_entry x)
{
    struct service_entry *old = find_entry(s, x.key);
    if (old) {
        if (x.stamp > old->stamp || (x.stamp == old->stamp && x.who >= old->who))
            *old = x;
        return;
    }
    fore_vec_push(&s->v, x);
    for (size_t i = s->v.n - 1; i && strcmp(s->v.at[i].key, s->v.at[i - 1].key) < 0;
         i--) {
        struct service_entry t = s->v.at[i];
        s->v.at[i] = s->v.at[i - 1];
        s->v.at[i - 1] = t;
    }
}

/* ---- a service's state: [changes, [[node, changes it was shown, its store], ...]]; node 0 is
 * the service itself ---- */

struct view {
    int64_t node, seen;
    struct store store;
};

struct service {
    struct fore_arena arena;
    int64_t changes;
    FORE_VEC(struct view) views;
};

static void read_service(const char *state, struct service *s)
{
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    *s = (struct service){.arena = FORE_ARENA_INIT};
    if (!*state || fore_json_read(&s->arena, "service", state, strlen(state), &v, &e))
        return;
    s->changes = fore_json_int(member(v, 0), 0);
    for (const struct fore_json *x = member(member(v, 1), 0); x; x = x->next) {
        struct view view = {
            fore_json_int(member(x, 0), 0), fore_json_int(member(x, 1), 0), {{0}}};
        read_store(&s->arena, member(x, 2), &view.store);
        fore_vec_push(&s->views, view);
    }
}

static void write_service(const struct service *s, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "[%" PRId64 ",[", s->changes);
    for (size_t i = 0; i < s->views.n; i++) {
        const struct view *x = &s->views.at[i];
        fore_strbuf_printf(out, "%s[%" PRId64 ",%" PRId64 ",", i ? "," : "", x->node,
                           x->seen);
        write_store(&x->store, out);
        fore_strbuf_putc(out, ']');
    }
    fore_strbuf_puts(out, "]]");
}

static void release_service(struct service *s)
{
    for (size_t i = 0; i < s->views.n; i++)
        fore_vec_release(&s->views.at[i].store.v);
    fore_vec_release(&s->views);
    fore_arena_release(&s->arena);
}

/* In the order of the nodes; it is good until the next one is asked for. */
static struct view *view_of(struct service *s, int64_t node)
{
    size_t i = 0;
    while (i < s->views.n && s->views.at[i].node < node)
        i++;
    if (i < s->views.n && s->views.at[i].node == node)
        return &s->views.at[i];
    fore_vec_push(&s->views, (struct view){0});
    for (size_t k = s->views.n - 1; k > i; k--)
        s->views.at[k] = s->views.at[k - 1];
    s->views.at[i] = (struct view){.node = node};
    return &s->views.at[i];
}

static void copy_store(struct view *to, const struct store *from)
{
    to->store.v.n = 0;
    for (size_t i = 0; i < from->v.n; i++)
        fore_vec_push(&to->store.v, from->v.at[i]);
}

/* ---- requests ---- */

/* Each begins with a brace that is still open. */
static void say_error(struct fore_strbuf *out, int code, const char *text)
{
    fore_strbuf_printf(out, "{\"type\":\"error\",\"code\":%d,\"text\":", code);
    fore_strbuf_json(out, text, strlen(text));
}

/* The stamp of a write or a compare-and-set: after all others. */
static int64_t next_stamp(const struct store *s)
{
    int64_t last = 0;
    for (size_t i = 0; i < s->v.n; i++)
        last = s->v.at[i].stamp > last ? s->v.at[i].stamp : last;
    return last + 1;
}

struct request {
    const char *type, *key;
    const struct fore_json *body;
};

static void read_key(const struct store *s, const struct request *q,
                     struct fore_strbuf *out)
{
    const struct service_entry *x = find_entry(s, q->key);
    if (x)
        fore_strbuf_printf(out, "{\"type\":\"read_ok\",\"value\":%s", x->value);
    else
        say_error(out, NO_KEY, "key does not exist");
}

/* What a write or a compare-and-set would put there, or NULL. */
static const char *new_value(struct fore_arena *a, const struct store *s,
                             const struct request *q, struct fore_strbuf *out)
{
    if (!strcmp(q->type, "write"))
        return text_of(a, fore_json_get(q->body, "value"));
    const struct service_entry *x = find_entry(s, q->key);
    const char *from = text_of(a, fore_json_get(q->body, "from"));
    bool create = fore_json_true(fore_json_get(q->body, "create_if_not_exists"));
    if (!x && !create) {
        say_error(out, NO_KEY, "key does not exist");
        return NULL;
    }
    if (x && strcmp(x->value, from) != 0) {
        const char *why = "current value is not the one expected";
        say_error(out, OTHER_VALUE,
                  fore_arena_printf(a, "%s: %s, not %s", why, x->value, from));
        return NULL;
    }
    return text_of(a, fore_json_get(q->body, "to"));
}

static bool change_key(struct fore_arena *a, struct store *s, const struct request *q,
                       int64_t who, struct service_entry *changed,
                       struct fore_strbuf *out)
{
    const char *value = new_value(a, s, q, out);
    if (!value)
        return false;
    *changed =
        (struct service_entry){q->key, value[0] ? value : "null", next_stamp(s), who};
    put_entry(s, *changed);
    fore_strbuf_printf(out, "{\"type\":\"%s_ok\"", q->type);
    return true;
}

static void ask_seq(struct service *s, int64_t node, const struct request *q,
                    struct fore_service_answer *r)
{
    struct service_entry changed;
    if (!strcmp(q->type, "read")) {
        read_key(&view_of(s, node)->store, q, &r->body);
        return;
    }
    bool worked = change_key(&s->arena, &view_of(s, 0)->store, q, 0, &changed, &r->body);
    s->changes += worked;
    view_of(s, node)->seen = s->changes;
    copy_store(view_of(s, node), &view_of(s, 0)->store);
    if (worked) {
        fore_strbuf_printf(&r->show, "[%" PRId64 ",", s->changes);
        write_store(&view_of(s, 0)->store, &r->show);
        fore_strbuf_putc(&r->show, ']');
    }
}

static void ask_store(struct service *s, enum fore_service which, int64_t node,
                      const struct request *q, struct fore_service_answer *r)
{
    int64_t whose = which == FORE_SERVICE_LWW ? node : 0;
    struct service_entry changed;
    struct store one = {{0}};
    if (!strcmp(q->type, "read")) {
        read_key(&view_of(s, whose)->store, q, &r->body);
    } else if (change_key(&s->arena, &view_of(s, whose)->store, q, whose, &changed,
                          &r->body) &&
               whose) {
        put_entry(&one, changed);
        fore_strbuf_puts(&r->show, "[0,");
        write_store(&one, &r->show);
        fore_strbuf_putc(&r->show, ']');
        fore_vec_release(&one.v);
    }
}

static void ask_time(struct service *s, const struct request *q,
                     struct fore_service_answer *r)
{
    if (!strcmp(q->type, "ts"))
        fore_strbuf_printf(&r->body, "{\"type\":\"ts_ok\",\"ts\":%" PRId64, s->changes++);
    else
        say_error(&r->body, NOT_SUPPORTED, "lin-tso answers ts");
}

static bool is_of_store(const char *type)
{
    return !strcmp(type, "read") || !strcmp(type, "write") || !strcmp(type, "cas");
}

void fore_service_ask(enum fore_service which, const char *state, int64_t node,
                      const struct fore_json *body, struct fore_service_answer *r)
{
    struct service s;
    *r = (struct fore_service_answer){FORE_STRBUF_INIT, FORE_STRBUF_INIT,
                                      FORE_STRBUF_INIT};
    read_service(state, &s);
    const struct fore_json *id = fore_json_get(body, "msg_id");
    const struct request q = {fore_json_text(fore_json_get(body, "type")),
                              text_of(&s.arena, fore_json_get(body, "key")), body};
    if (which == FORE_SERVICE_TSO)
        ask_time(&s, &q, r);
    else if (!is_of_store(q.type))
        say_error(&r->body, NOT_SUPPORTED, "a store answers read, write and cas");
    else if (!q.key[0])
        say_error(&r->body, MALFORMED, "there is no key");
    else if (which == FORE_SERVICE_SEQ)
        ask_seq(&s, node, &q, r);
    else
        ask_store(&s, which, node, &q, r);
    if (id) {
        fore_strbuf_puts(&r->body, ",\"in_reply_to\":");
        fore_json_write(id, &r->body);
    }
    fore_strbuf_putc(&r->body, '}');
    write_service(&s, &r->state);
    release_service(&s);
}

void fore_service_show(enum fore_service which, const char *state, int64_t node,
                       const char *show, struct fore_strbuf *after)
{
    struct service s;
    struct store shown = {{0}};
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    read_service(state, &s);
    if (!fore_json_read(&s.arena, "service", show, strlen(show), &v, &e)) {
        int64_t changes = fore_json_int(member(v, 0), 0);
        read_store(&s.arena, member(v, 1), &shown);
        struct view *x = view_of(&s, node);
        if (which == FORE_SERVICE_SEQ && changes > x->seen) {
            x->seen = changes;
            copy_store(x, &shown);
        }
        for (size_t i = 0; which == FORE_SERVICE_LWW && i < shown.v.n; i++)
            put_entry(&x->store, shown.v.at[i]);
    }
    fore_vec_release(&shown.v);
    write_service(&s, after);
    release_service(&s);
}

void fore_service_answer_release(struct fore_service_answer *a)
{
    fore_strbuf_release(&a->state);
    fore_strbuf_release(&a->body);
    fore_strbuf_release(&a->show);
}
