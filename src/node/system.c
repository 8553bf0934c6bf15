#include "node/system.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "node/log.h"
#include "node/trail.h"
#include "node/workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages. Requests come first, then answers; what they are in JSON stands in the tables below. */
enum kind {
    MESSAGE, /* from node to node */
    TIMER,   /* of a node, to itself */
    ECHO,
    GENERATE,
    BROADCAST,
    ADD,
    ADD_ELEMENT,
    READ,
    READ_ALL,
    WRITE,
    CAS,
    ECHO_OK,
    GENERATE_OK,
    BROADCAST_OK,
    ADD_OK,
    READ_OK,
    WRITE_OK,
    CAS_OK,
    KINDS
};

static const struct foresee_message messages[KINDS] = {
    [MESSAGE] = {"Message", "body"},
    [TIMER] = {"Timer", "at"},
    [ECHO] = {"Echo", "value"},
    [GENERATE] = {"Generate", ""},
    [BROADCAST] = {"Broadcast", "value"},
    [ADD] = {"Add", "value"},
    [ADD_ELEMENT] = {"AddElement", "value"},
    [READ] = {"Read", "key"},
    [READ_ALL] = {"ReadAll", ""},
    [WRITE] = {"Write", "key value"},
    [CAS] = {"Cas", "key from to"},
    [ECHO_OK] = {"EchoOk", "value"},
    [GENERATE_OK] = {"GenerateOk", "id"},
    [BROADCAST_OK] = {"BroadcastOk", ""},
    [ADD_OK] = {"AddOk", ""},
    [READ_OK] = {"ReadOk", "value"},
    [WRITE_OK] = {"WriteOk", ""},
    [CAS_OK] = {"CasOk", "worked"},
};

/* A request: its type, and what its fields are called. */
static const struct {
    const char *type, *field[3];
} requests[KINDS] = {
    [ECHO] = {"echo", {"echo"}},
    [GENERATE] = {"generate", {NULL}},
    [BROADCAST] = {"broadcast", {"message"}},
    [ADD] = {"add", {"delta"}},
    [ADD_ELEMENT] = {"add", {"element"}},
    [READ] = {"read", {"key"}},
    [READ_ALL] = {"read", {NULL}},
    [WRITE] = {"write", {"key", "value"}},
    [CAS] = {"cas", {"key", "from", "to"}},
};

/* An answer: its type, and where its value is, in the first of these that it has. */
static const struct {
    const char *type;
    enum kind kind;
    const char *value[2];
} answers[] = {
    {"echo_ok", ECHO_OK, {"echo"}},
    {"generate_ok", GENERATE_OK, {"id"}},
    {"broadcast_ok", BROADCAST_OK, {NULL}},
    {"add_ok", ADD_OK, {NULL}},
    {"read_ok", READ_OK, {"value", "messages"}},
    {"write_ok", WRITE_OK, {NULL}},
    {"cas_ok", CAS_OK, {NULL}},
};

/* Errors that are answers: the key is not there; the value is another. */
enum { NO_KEY = 20, OTHER_VALUE = 22 };

/* What asks a node what it knows is no client of the harness. */
enum { OUTSIDER = 0, ASKING = 1000000 };

struct node_state {
    uint64_t at;
    int64_t timer;       /* for which a Timer is under way */
    int64_t tells_state; /* it answers foresee_state */
};

static struct {
    pthread_mutex_t lock; /* of the texts */
    struct fore_log log;
    void (*hear)(const char *text, void *user);
    void *listener;
    struct fore_map texts;
    struct fore_arena arena;
    struct fore_trails *trails;
    struct fore_node_command command;
    struct fore_workload workload;
} nodes = {.lock = PTHREAD_MUTEX_INITIALIZER, .log = {.fd = -1}};

/* Values. */

#define TEXT_BIT ((int64_t)1 << 62)

static int64_t value_of_text(const char *s, size_t n)
{
    uint64_t h = fore_hash(s, n) >> 2;
    bool fresh;
    pthread_mutex_lock(&nodes.lock);
    uint64_t *at = fore_map_put(&nodes.texts, h, &fresh);
    if (fresh) {
        *at = (uint64_t)(uintptr_t)fore_arena_strndup(&nodes.arena, s, n);
        struct fore_strbuf record = FORE_STRBUF_INIT;
        fore_log_put_text(&record, s, n);
        fore_log_add(&nodes.log, &record);
        fore_strbuf_release(&record);
    }
    pthread_mutex_unlock(&nodes.lock);
    return (int64_t)h | TEXT_BIT;
}

/* A text that another process of the exploration has met. */
static void take_text(struct fore_log_record r, void *user)
{
    size_t n;
    bool fresh;
    const char *s = fore_log_get_text(&r, &n);
    uint64_t *at = fore_map_put(&nodes.texts, fore_hash(s, n) >> 2, &fresh);
    (void)user;
    if (fresh)
        *at = (uint64_t)(uintptr_t)fore_arena_strndup(&nodes.arena, s, n);
}

const char *fore_nodes_value(int64_t value)
{
    if (value < 0 || !(value & TEXT_BIT))
        return NULL;
    pthread_mutex_lock(&nodes.lock);
    uint64_t *at = fore_map_get(&nodes.texts, (uint64_t)(value & ~TEXT_BIT));
    if (!at) {
        fore_log_read(&nodes.log, take_text, NULL);
        at = fore_map_get(&nodes.texts, (uint64_t)(value & ~TEXT_BIT));
    }
    pthread_mutex_unlock(&nodes.lock);
    return at ? (const char *)(uintptr_t)*at : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The members of a list, sorted: a set has no order. */
static void write_sorted(const struct fore_json *list, struct fore_strbuf *out)
{
    FORE_VEC(char *) members = {0};
    for (const struct fore_json *x = list->first; x; x = x->next) {
        struct fore_strbuf s = FORE_STRBUF_INIT;
        fore_json_write(x, &s);
        fore_vec_push(&members, fore_strbuf_detach(&s));
    }
    if (members.n)
        qsort(members.at, members.n, sizeof *members.at, by_text);
    fore_strbuf_putc(out, '[');
    for (size_t i = 0; i < members.n; i++) {
        fore_strbuf_printf(out, "%s%s", i ? "," : "", members.at[i]);
        fore_free(members.at[i]);
    }
    fore_strbuf_putc(out, ']');
    fore_vec_release(&members);
}

static int64_t value_of_json(const struct fore_json *v)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    if (!v || v->kind == FORE_JSON_NULL)
        return FORESEE_NIL;
    int64_t i = fore_json_int(v, FORESEE_NIL);
    if (v->kind == FORE_JSON_NUMBER && i != FORESEE_NIL && !(i & TEXT_BIT))
        return i;
    if (v->kind == FORE_JSON_ARRAY)
        write_sorted(v, &s);
    else
        fore_json_write(v, &s);
    i = value_of_text(s.at, s.n);
    fore_strbuf_release(&s);
    return i;
}

static void write_value(int64_t v, struct fore_strbuf *out)
{
    const char *text = fore_nodes_value(v);
    if (v == FORESEE_NIL)
        fore_strbuf_puts(out, "null");
    else if (text)
        fore_strbuf_puts(out, text);
    else
        fore_strbuf_printf(out, "%" PRId64, v);
}

/* What a node receives. */

static void open_line(struct fore_strbuf *out, char who, int64_t from, int64_t to)
{
    fore_strbuf_printf(
        out, "{\"src\":\"%c%" PRId64 "\",\"dest\":\"n%" PRId64 "\",\"body\":", who, from,
        to);
}

static void write_hello(int64_t self, struct fore_strbuf *out)
{
    open_line(out, 'c', OUTSIDER, self);
    fore_strbuf_printf(out,
                       "{\"type\":\"init\",\"msg_id\":1,\"node_id\":\"n%" PRId64
                       "\",\"node_ids\":[",
                       self);
    for (unsigned i = 1; i <= nodes.workload.nodes; i++)
        fore_strbuf_printf(out, "%s\"n%u\"", i > 1 ? "," : "", i);
    fore_strbuf_puts(out, "]}}");
}

/* Everybody is everybody's neighbour. */
static void write_topology(int64_t self, struct fore_strbuf *out)
{
    open_line(out, 'c', OUTSIDER, self);
    fore_strbuf_puts(out, "{\"type\":\"topology\",\"msg_id\":2,\"topology\":{");
    for (unsigned i = 1; i <= nodes.workload.nodes; i++) {
        fore_strbuf_printf(out, "%s\"n%u\":[", i > 1 ? "," : "", i);
        for (unsigned k = 1, n = 0; k <= nodes.workload.nodes; k++)
            if (k != i)
                fore_strbuf_printf(out, "%s\"n%u\"", n++ ? "," : "", k);
        fore_strbuf_putc(out, ']');
    }
    fore_strbuf_puts(out, "}}}");
}

static void write_request(const struct foresee_received *m, struct fore_strbuf *out)
{
    open_line(out, 'c', -m->from, m->to);
    fore_strbuf_printf(out, "{\"type\":\"%s\",\"msg_id\":%" PRId64,
                       requests[m->kind].type, -m->from);
    for (size_t i = 0; i < 3 && requests[m->kind].field[i]; i++) {
        fore_strbuf_printf(out, ",\"%s\":", requests[m->kind].field[i]);
        write_value(m->field[i], out);
    }
    fore_strbuf_puts(out, "}}");
}

/* What a node sends. */

static void complain(struct foresee *f, const char *what, const char *line)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    size_t n = strlen(line);
    fore_strbuf_printf(&s, "node n%" PRId64 " %s: ", f->self, what);
    fore_strbuf_add(&s, line, n < 300 ? n : 300);
    fore_strbuf_puts(&s, n < 300 ? "" : "...");
    f->ops->broken(f, s.at);
    fore_strbuf_release(&s);
}

static void send_error(struct foresee *f, int64_t to, const struct fore_json *body,
                       const char *line)
{
    const struct fore_workload *w = &nodes.workload;
    int64_t code = fore_json_int(fore_json_get(body, "code"), -1);
    const char *asked = -to <= (int64_t)w->n_asked ? w->asked[-to - 1] : "";
    if (!strcmp(asked, messages[READ].name) && code == NO_KEY)
        FORESEE_SEND(f, to, READ_OK, FORESEE_NIL);
    else if (!strcmp(asked, messages[CAS].name) &&
             (code == NO_KEY || code == OTHER_VALUE))
        FORESEE_SEND(f, to, CAS_OK, 0);
    else
        complain(f, "answers with an error", line);
}

static void send_answer(struct foresee *f, int64_t to, const struct fore_json *body,
                        const char *line)
{
    const char *type = fore_json_text(fore_json_get(body, "type"));
    size_t i = 0, n = sizeof answers / sizeof *answers;
    while (i < n && strcmp(type, answers[i].type) != 0)
        i++;
    if (fore_json_int(fore_json_get(body, "in_reply_to"), 0) != -to)
        complain(f, "answers what was not asked", line);
    else if (!strcmp(type, "error"))
        send_error(f, to, body, line);
    else if (i == n)
        complain(f, "sends a client a message that is no answer", line);
    else if (answers[i].kind == CAS_OK)
        FORESEE_SEND(f, to, CAS_OK, 1);
    else if (answers[i].value[0]) {
        const struct fore_json *v = fore_json_get(body, answers[i].value[0]);
        if (!v && answers[i].value[1])
            v = fore_json_get(body, answers[i].value[1]);
        FORESEE_SEND(f, to, answers[i].kind, value_of_json(v));
    } else {
        FORESEE_SEND(f, to, answers[i].kind);
    }
}

/* The number behind the letter: n3, c2. */
static bool read_name(const char *s, char letter, int64_t *number)
{
    char *end;
    if (*s != letter || s[1] < '0' || s[1] > '9')
        return false;
    *number = strtoll(s + 1, &end, 10);
    return !*end;
}

static void send_line(struct foresee *f, struct fore_arena *a, const char *line, size_t n)
{
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    char *text = fore_arena_strndup(a, line, n);
    int64_t from, to;
    if (fore_json_read(a, "output", line, n, &v, &e) != FORE_OK) {
        complain(f, "writes what is not JSON", text);
        return;
    }
    const struct fore_json *body = fore_json_get(v, "body");
    const char *dest = fore_json_text(fore_json_get(v, "dest"));
    if (!read_name(fore_json_text(fore_json_get(v, "src")), 'n', &from) ||
        from != f->self)
        complain(f, "sends a message whose src is not its own name", text);
    else if (!body || body->kind != FORE_JSON_OBJECT ||
             !fore_json_text(fore_json_get(body, "type"))[0])
        complain(f, "sends a message whose body has no type", text);
    else if (read_name(dest, 'c', &to))
        to == OUTSIDER ? (void)0 : send_answer(f, -to, body, text);
    else if (read_name(dest, 'n', &to) && to >= 1 && to <= f->agents) {
        struct fore_strbuf s = FORE_STRBUF_INIT;
        fore_json_write(body, &s);
        FORESEE_SEND(f, to, MESSAGE, value_of_text(s.at, s.n));
        fore_strbuf_release(&s);
    } else {
        complain(f, "sends a message whose dest is neither a node nor a client", text);
    }
}

/* The step is taken: what it sent is sent. */
static void follow_step(struct foresee *f, struct node_state *s,
                        const struct fore_node_step *step)
{
    struct fore_arena a = FORE_ARENA_INIT;
    s->at = step->to;
    if (nodes.hear && step->err[0])
        nodes.hear(step->err, nodes.listener);
    for (const char *at = step->out, *nl; (nl = strchr(at, '\n')); at = nl + 1)
        if (nl > at)
            send_line(f, &a, at, (size_t)(nl - at));
    if (step->why[0]) {
        struct fore_strbuf why = FORE_STRBUF_INIT;
        fore_strbuf_printf(&why, "node n%" PRId64 " %s", f->self, step->why);
        size_t said = strcspn(step->err, "\n");
        if (said)
            fore_strbuf_printf(&why, "; it said: %.*s", said < 400 ? (int)said : 400,
                               step->err);
        f->ops->broken(f, why.at);
        fore_strbuf_release(&why);
    } else if (step->timer != s->timer) {
        s->timer = step->timer;
        if (step->timer != FORE_NODE_NEVER)
            FORESEE_SEND(f, f->self, TIMER, step->timer);
    }
    fore_arena_release(&a);
}

/* Takes a step; a node that tells its state is asked for it. */
static const struct fore_node_step *
take_step(const struct foresee *f, const struct node_state *s, struct fore_trail_input in)
{
    struct fore_strbuf question = FORE_STRBUF_INIT;
    if (s->tells_state) {
        open_line(&question, 'c', OUTSIDER, f->self);
        fore_strbuf_printf(&question, "{\"type\":\"foresee_state\",\"msg_id\":%d}}",
                           ASKING);
        in.question = question.at;
    }
    const struct fore_node_step *step = fore_trail_step(nodes.trails, s->at, &in);
    fore_strbuf_release(&question);
    return step;
}

static const struct fore_node_step *receive_line(struct foresee *f, struct node_state *s,
                                                 const char *line)
{
    const struct fore_trail_input in = {.kind = FORE_INPUT_LINE, .line = line};
    const struct fore_node_step *step = take_step(f, s, in);
    follow_step(f, s, step);
    return step;
}

/* The answer to init, or NULL. */
static const struct fore_json *init_answer(struct fore_arena *a, const char *out)
{
    for (const char *nl; (nl = strchr(out, '\n')); out = nl + 1) {
        const struct fore_json *v = NULL;
        struct fore_err e = {0};
        if (fore_json_read(a, "output", out, (size_t)(nl - out), &v, &e) != FORE_OK)
            continue;
        const struct fore_json *body = fore_json_get(v, "body");
        if (!strcmp(fore_json_text(fore_json_get(body, "type")), "init_ok"))
            return body;
    }
    return NULL;
}

/* A node that waits for its clock may still answer. */
static void check_hello(struct foresee *f, struct node_state *s,
                        const struct fore_node_step *step)
{
    struct fore_arena a = FORE_ARENA_INIT;
    const struct fore_json *answer = init_answer(&a, step->out);
    s->tells_state = answer && fore_json_true(fore_json_get(answer, "foresee_state"));
    if (!answer && !step->why[0] && step->timer == FORE_NODE_NEVER)
        complain(f, "does not answer init with init_ok; it said",
                 step->out[0] ? step->out : "nothing");
    fore_arena_release(&a);
}

static void say_hello(struct foresee *f, struct node_state *s)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    s->timer = FORE_NODE_NEVER;
    s->tells_state = 0;
    write_hello(f->self, &line);
    check_hello(f, s, receive_line(f, s, line.at));
    if (nodes.workload.topology) {
        fore_strbuf_clear(&line);
        write_topology(f->self, &line);
        receive_line(f, s, line.at);
    }
    fore_strbuf_release(&line);
}

static void start_node(struct foresee *f, void *state, const int64_t args[FORESEE_FIELDS])
{
    struct node_state *s = state;
    (void)args;
    s->at = fore_trail_start(nodes.trails, (unsigned)f->self);
    say_hello(f, s);
}

static void restart_node(struct foresee *f, void *state)
{
    struct node_state *s = state;
    const struct fore_node_step *step = fore_trail_step(
        nodes.trails, s->at, &(struct fore_trail_input){.kind = FORE_INPUT_CRASH});
    s->timer = step->timer;
    follow_step(f, s, step);
    say_hello(f, s);
}

static void on_request(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    write_request(m, &line);
    receive_line(f, state, line.at);
    fore_strbuf_release(&line);
}

static void on_message(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    open_line(&line, 'n', m->from, m->to);
    write_value(m->field[0], &line);
    fore_strbuf_putc(&line, '}');
    receive_line(f, state, line.at);
    fore_strbuf_release(&line);
}

/* A timer that was set anew since is one that does not fire. */
static void on_timer(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node_state *s = state;
    if (s->timer == m->field[0])
        follow_step(f, s,
                    take_step(f, s,
                              (struct fore_trail_input){.kind = FORE_INPUT_TIMER,
                                                        .when = m->field[0]}));
}

static const foresee_handler handlers[KINDS] = {
    [MESSAGE] = on_message,     [TIMER] = on_timer,       [ECHO] = on_request,
    [GENERATE] = on_request,    [BROADCAST] = on_request, [ADD] = on_request,
    [ADD_ELEMENT] = on_request, [READ] = on_request,      [READ_ALL] = on_request,
    [WRITE] = on_request,       [CAS] = on_request,
};

static const struct foresee_role roles[] = {
    {"node", sizeof(struct node_state), start_node, handlers, restart_node}};

const struct foresee_actor_system fore_node_system = {sizeof(struct foresee_actor_system),
                                                      FORESEE_ACTOR_ABI,
                                                      FORE_NODES_NAME,
                                                      messages,
                                                      KINDS,
                                                      roles,
                                                      1};

/* Does a node know all that its clients brought? It is asked, by somebody of whom it then knows
 * nothing: the question is on a trail of its own. */
static bool knows(const struct fore_json *body, int64_t value)
{
    const struct fore_json *list = fore_json_get(body, "messages");
    list = list ? list : fore_json_get(body, "value");
    for (const struct fore_json *x = list ? list->first : NULL; x; x = x->next)
        if (value_of_json(x) == value)
            return true;
    return false;
}

static int is_complete(const void *state, int64_t self)
{
    const struct node_state *s = state;
    struct fore_strbuf line = FORE_STRBUF_INIT;
    struct fore_arena a = FORE_ARENA_INIT;
    bool all = false;
    open_line(&line, 'c', OUTSIDER, self);
    fore_strbuf_printf(&line, "{\"type\":\"read\",\"msg_id\":%d}}", ASKING);
    const struct fore_node_step *step = fore_trail_step(
        nodes.trails, s->at,
        &(struct fore_trail_input){.kind = FORE_INPUT_LINE, .line = line.at});
    for (const char *at = step->out, *nl; (nl = strchr(at, '\n')); at = nl + 1) {
        const struct fore_json *v = NULL;
        struct fore_err e = {0};
        if (fore_json_read(&a, "output", at, (size_t)(nl - at), &v, &e) != FORE_OK)
            continue;
        const struct fore_json *body = fore_json_get(v, "body");
        if (fore_json_int(fore_json_get(body, "in_reply_to"), 0) != ASKING)
            continue;
        const struct fore_workload *w = &nodes.workload;
        all = true;
        for (size_t i = 0; w->sums ? false : i < w->n_values; i++)
            all = all && knows(body, w->values[i]);
        if (w->sums)
            all = fore_json_int(fore_json_get(body, "value"), INT64_MIN) == w->sum;
    }
    fore_strbuf_release(&line);
    fore_arena_release(&a);
    return all;
}

static const struct foresee_proposition propositions[] = {{"complete", 0, is_complete}};
const struct foresee_propositions fore_node_propositions = {
    sizeof(struct foresee_propositions), 1, propositions};

enum fore_status fore_nodes_open(const char *file, const char *harness,
                                 double handler_seconds, struct fore_err *e)
{
    signal(SIGPIPE, SIG_IGN);
    FORE_TRY(fore_workload_read(&nodes.workload, &nodes.arena, file, harness, e));
    nodes.command = (struct fore_node_command){.argv = nodes.workload.argv,
                                               .time = nodes.workload.time,
                                               .preload = nodes.workload.preload,
                                               .seconds = handler_seconds * 0.8,
                                               .seed = nodes.workload.seed};
    nodes.trails = fore_trails_new(&nodes.command);
    const char *shared = getenv(FORE_NODES_SHARED);
    if (!shared)
        return FORE_OK;
    const char *steps = fore_arena_printf(&nodes.arena, "%s.steps", shared);
    const char *texts = fore_arena_printf(&nodes.arena, "%s.texts", shared);
    FORE_TRY(fore_trails_share(nodes.trails, steps, e));
    return fore_log_open(&nodes.log, texts, e);
}

struct fore_trail_counts fore_nodes_count(void)
{
    return nodes.trails ? fore_trails_count(nodes.trails) : (struct fore_trail_counts){0};
}

void fore_nodes_listen(void (*hear)(const char *text, void *user), void *user)
{
    nodes.hear = hear;
    nodes.listener = user;
}

void fore_nodes_forget(void)
{
    fore_trails_free(nodes.trails);
    nodes.trails = fore_trails_new(&nodes.command);
}

void fore_nodes_debug(const char *debugger)
{
    fore_trails_debug(nodes.trails, debugger);
}

void fore_nodes_close(void)
{
    if (nodes.trails)
        fore_trails_free(nodes.trails);
    nodes.trails = NULL;
    fore_log_close(&nodes.log);
    fore_map_release(&nodes.texts);
    fore_arena_release(&nodes.arena);
}
