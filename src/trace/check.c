#include "trace/check.h"

#include "trace/text.h"

enum { SENT = 1, RECEIVED = 2, BOTH = 3 };

struct shown {
    char text[80];
};

void fore_check_init(struct fore_check *c, const struct fore_tables *t, const char *file)
{
    *c = (struct fore_check){.tables = t, .file = file};
}

void fore_check_release(struct fore_check *c)
{
    for (size_t i = 0; i < c->threads.n; i++)
        fore_vec_release(&c->threads.at[i].cases);
    fore_vec_release(&c->threads);
    fore_vec_release(&c->objects);
    fore_pairs_release(&c->pairs);
    fore_map_release(&c->held);
    fore_map_release(&c->messages);
    fore_map_release(&c->operations);
    fore_map_release(&c->answers);
}

FORE_PRINTF(3, 4)
static void note_problem(struct fore_check *c, fore_mark at, const char *fmt, ...)
{
    if (c->problems++ && at >= c->first_at)
        return;
    char msg[sizeof c->first.msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    c->first_at = at;
    (void)fore_fail_at(&c->first, FORE_MEANING, c->file, at >> 24, at & 0xffffff, "%s",
                       msg);
}

/* Names come from outside: they are shown as the notation writes them, cut if long. */
static struct shown cut_text(struct fore_strbuf *b)
{
    struct shown s;
    snprintf(s.text, sizeof s.text, "%s", b->at);
    if (b->n >= sizeof s.text)
        memcpy(s.text + sizeof s.text - 4, "...", 4);
    fore_strbuf_release(b);
    return s;
}

static struct shown show_thread(const struct fore_check *c, uint64_t id)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_text_label(c->tables, (uint32_t)id, &b);
    return cut_text(&b);
}

static struct shown show_object(const struct fore_check *c, uint64_t id)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_text_object(c->tables, (uint32_t)id, &b);
    return cut_text(&b);
}

static struct shown show_event(const struct fore_check *c, const struct fore_event *e,
                               const struct fore_case *cases)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_event_text(c->tables, e, cases, &b);
    return cut_text(&b);
}

static struct fore_check_thread *thread_state(struct fore_check *c, uint64_t id)
{
    fore_vec_ensure(&c->threads, id + 1);
    return &c->threads.at[id];
}

static struct fore_check_object *object_state(struct fore_check *c, uint32_t id)
{
    fore_vec_ensure(&c->objects, (size_t)id + 1);
    return &c->objects.at[id];
}

static uint64_t message_key(uint32_t chan, uint64_t number)
{
    return (uint64_t)chan << FORE_CHECK_NUMBER_BITS | number;
}

/* Forgets messages that were sent and received, as long as their numbers are dense. */
static void settle_channel(struct fore_check *c, uint32_t chan,
                           struct fore_check_object *o)
{
    uint64_t *v;
    while ((v = fore_map_get(&c->messages, message_key(chan, o->low + 1))) &&
           (*v & BOTH) == BOTH)
        fore_map_remove(&c->messages, message_key(chan, ++o->low));
}

/* False if the same was done to this message before. */
static bool message_seen(struct fore_check *c, uint32_t chan, uint64_t number,
                         unsigned bit, fore_mark at)
{
    struct fore_check_object *o = object_state(c, chan);
    if (!o->high) /* the first number on the channel */
        o->base = o->low = number - 1;
    if (number > o->high)
        o->high = number;
    if (number > o->base && number <= o->low)
        return false;
    uint64_t *v = fore_map_put(&c->messages, message_key(chan, number), NULL);
    if (*v & bit)
        return false;
    *v = (*v ? *v : at << 2) | bit;
    if ((*v & BOTH) == BOTH)
        settle_channel(c, chan, o);
    return true;
}

uint64_t fore_check_next_message(struct fore_check *c, uint32_t chan)
{
    return object_state(c, chan)->high + 1;
}

static void check_created(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    struct fore_check_thread *t = thread_state(c, e->a);
    if (t->created)
        note_problem(c, at, "thread %s was created before, at %llu:%llu",
                     show_thread(c, e->a).text, (unsigned long long)(t->created >> 24),
                     (unsigned long long)(t->created & 0xffffff));
    else if (c->tables->threads.at[e->a].parent != e->thread)
        note_problem(c, at, "thread %s cannot create thread %s, its own ancestor",
                     show_thread(c, e->thread).text, show_thread(c, e->a).text);
    t->created = at;
    t->must_wait = e->kind == FORE_EV_SIGNAL;
}

static void check_thread(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    struct fore_check_thread *t = thread_state(c, e->thread);
    switch (e->kind) {
    case FORE_EV_SIGNAL:
        check_created(c, e, at);
        break;
    case FORE_EV_WAIT:
        if (e->a != e->thread)
            note_problem(
                c, at,
                "wait(%s) in thread %s: wait(T) stands in thread T itself, as its "
                "first event",
                show_thread(c, e->a).text, show_thread(c, e->thread).text);
        else if (t->first != at)
            note_problem(c, at, "wait(%s) must be the thread's first event",
                         show_thread(c, e->a).text);
        t->wait = at;
        break;
    case FORE_EV_JOIN:
        t = thread_state(c, e->a);
        t->mention = t->mention ? t->mention : at;
        break;
    case FORE_EV_END:
    case FORE_EV_EXIT:
        t->over = true;
        break;
    default:
        break;
    }
}

static void check_send(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    if (e->flags & FORE_F_CLOSED)
        return;
    if (!c->tables->objects.at[e->object].capacity)
        fore_pairs_of(&c->pairs, e->thread, e->object)->sends++;
    else if (!message_seen(c, e->object, e->a, SENT, at))
        note_problem(c, at, "message %llu of channel %s was sent before",
                     (unsigned long long)e->a, show_object(c, e->object).text);
}

static void check_receive(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    if (e->flags & FORE_F_CLOSED)
        return;
    if (c->tables->objects.at[e->object].capacity) {
        if (!message_seen(c, e->object, e->a, RECEIVED, at))
            note_problem(c, at, "message %llu of channel %s was received before",
                         (unsigned long long)e->a, show_object(c, e->object).text);
        return;
    }
    struct fore_pair *p = fore_pairs_of(&c->pairs, (uint32_t)e->a, e->object);
    if (e->b > p->last)
        p->mark = at;
    if (!fore_pairs_take(&c->pairs, p, e->b))
        note_problem(c, at, "send %llu of thread %s on %s was received before",
                     (unsigned long long)e->b, show_thread(c, e->a).text,
                     show_object(c, e->object).text);
}

static void check_close(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    struct fore_check_object *o = object_state(c, e->object);
    if (!e->object) {
        if (!(e->flags & FORE_F_CLOSED))
            note_problem(c, at, "closing a nil channel panics: write close(nil)=closed");
    } else if (e->flags & FORE_F_CLOSED) {
        o->found_closed = o->found_closed ? o->found_closed : at;
    } else if (o->closed) {
        note_problem(
            c, at, "channel %s was closed before: write close(%s)=closed if it panicked",
            show_object(c, e->object).text, show_object(c, e->object).text);
    } else {
        o->closed = at;
    }
}

static void check_channel(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    struct fore_check_object *o = object_state(c, e->object);
    if (e->kind == FORE_EV_CLOSE) {
        check_close(c, e, at);
        return;
    }
    if (e->flags & FORE_F_CLOSED)
        o->found_closed = o->found_closed ? o->found_closed : at;
    if (e->kind == FORE_EV_SEND)
        check_send(c, e, at);
    else if (e->kind == FORE_EV_RECV)
        check_receive(c, e, at);
}

static void hold_lock(struct fore_check *c, const struct fore_event *e, uint32_t lock,
                      bool shared, fore_mark at)
{
    uint64_t *h = fore_map_put(&c->held, (uint64_t)e->thread << 32 | lock, NULL);
    /* A lock that another thread may release may have been released. */
    unsigned again = FORE_OBJ_RECURSIVE | FORE_OBJ_WRITERS_FIRST;
    if (!shared && (uint32_t)*h && !(c->tables->objects.at[lock].flags & again) &&
        !object_state(c, lock)->misused)
        note_problem(
            c, at,
            "thread %s holds %s already, so this blocks: declare \"lock %s recursive\" "
            "if it may",
            show_thread(c, e->thread).text, show_object(c, lock).text,
            show_object(c, lock).text);
    *h += shared ? UINT64_C(1) << 32 : 1;
}

static void release_lock(struct fore_check *c, const struct fore_event *e, uint32_t lock,
                         bool shared, fore_mark at)
{
    uint64_t key = (uint64_t)e->thread << 32 | lock;
    uint64_t *h = fore_map_get(&c->held, key);
    bool held = h && (shared ? *h >> 32 : (uint32_t)*h);
    if (!held && (c->tables->objects.at[lock].flags & FORE_OBJ_WRITERS_FIRST ||
                  object_state(c, lock)->misused))
        return; /* Go's locks have no owner */
    if (!held) {
        note_problem(c, at, "thread %s does not hold %s%s, so it cannot release it",
                     show_thread(c, e->thread).text, show_object(c, lock).text,
                     shared ? " for reading" : "");
        return;
    }
    *h -= shared ? UINT64_C(1) << 32 : 1;
    if (!*h)
        fore_map_remove(&c->held, key);
}

static void check_lock(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    struct fore_lock_use use = fore_event_lock(e);
    if (use.step == FORE_LOCK_TAKEN)
        hold_lock(c, e, use.lock, use.shared, at);
    else if (use.step == FORE_LOCK_GIVEN_BACK)
        release_lock(c, e, use.lock, use.shared, at);
    else if (e->kind == FORE_EV_MISUSE)
        object_state(c, e->object)->misused = true;
}

static void check_actor(struct fore_check *c, const struct fore_event *e, fore_mark at)
{
    if (e->kind == FORE_EV_SPAWN)
        check_created(c, e, at);
    else if (e->kind == FORE_EV_ASEND && !message_seen(c, 0, e->a, SENT, at))
        note_problem(c, at, "message %llu was sent before", (unsigned long long)e->a);
    else if (e->kind == FORE_EV_ARECV) /* a network may deliver a message twice */
        (void)message_seen(c, 0, e->a, RECEIVED, at);
}

/* A numbered operation may return in another thread, whose lines may come first. */
static void check_operation(struct fore_check *c, const struct fore_event *e,
                            fore_mark at)
{
    uint64_t key = e->b ? e->b | UINT64_C(1) << 63 : e->thread;
    uint64_t *open = fore_map_get(&c->operations, key);
    if (e->kind == FORE_EV_INVOKE) {
        if (!e->b || !fore_map_remove(&c->answers, key))
            ++*fore_map_put(&c->operations, key, NULL);
    } else if (open) {
        if (!--*open)
            fore_map_remove(&c->operations, key);
    } else if (e->b) {
        *fore_map_put(&c->answers, key, NULL) = at;
    } else {
        note_problem(c, at, "%s without an invoke(...) under way in thread %s",
                     fore_kind_name(e->kind), show_thread(c, e->thread).text);
    }
}

/* May `e` come next in a thread whose `pre` is waiting? */
static bool completes(const struct fore_check_thread *t, const struct fore_event *e)
{
    const struct fore_event *p = &t->pending;
    struct fore_case one;
    size_t n;
    if (e->kind == FORE_EV_END || e->kind == FORE_EV_EXIT || e->kind == FORE_EV_PANIC)
        return true;
    if (p->kind != FORE_EV_PRE)
        return fore_event_ends_wait(p, e);
    const struct fore_case *cases = fore_event_cases(p, t->cases.at, &one, &n);
    for (size_t i = 0; i < n; i++) {
        bool some = cases[i].chan && cases[i].chan == e->object;
        if (e->kind == FORE_EV_SELECT ? cases[i].kind >= FORE_CASE_DEFAULT
            : e->kind == FORE_EV_SEND ? some && cases[i].kind == FORE_CASE_SEND
            : e->kind == FORE_EV_RECV ? some && cases[i].kind == FORE_CASE_RECV
                                      : false)
            return true;
    }
    return false;
}

static void check_program(struct fore_check *c, const struct fore_event *e,
                          const struct fore_case *cases, fore_mark at)
{
    struct fore_check_thread *t = thread_state(c, e->thread);
    t->first = t->first ? t->first : at;
    if (t->over)
        note_problem(c, at, "thread %s has ended, so this cannot follow",
                     show_thread(c, e->thread).text);
    if (t->pending.kind && !completes(t, e))
        note_problem(c, at, "thread %s still waits in %s, so %s cannot follow",
                     show_thread(c, e->thread).text,
                     show_event(c, &t->pending, t->cases.at).text,
                     show_event(c, e, cases).text);
    t->pending.kind = FORE_EV_NONE;
    if (e->kind != FORE_EV_PRE && !(e->flags & FORE_F_PRE))
        return;
    t->pending = *e;
    if (e->flags & FORE_F_CASES) {
        t->pending.a = 0;
        fore_vec_clear(&t->cases);
        if (e->b)
            memcpy(fore_vec_extend(&t->cases, (size_t)e->b), cases + e->a,
                   (size_t)e->b * sizeof *cases);
    }
}

static void check_ticket(struct fore_check *c, const struct fore_event *e,
                         uint64_t ticket, fore_mark at)
{
    if (!e->object || fore_kind_object(e->kind) == FORE_OBJ_NONE) {
        note_problem(c, at, "a ticket (^%llu) on an event without an object",
                     (unsigned long long)ticket);
        return;
    }
    uint64_t *last = &object_state(c, e->object)->ticket[e->kind == FORE_EV_RECV];
    if (ticket <= *last)
        note_problem(
            c, at,
            "ticket ^%llu of %s comes after ^%llu: line order is the observed order",
            (unsigned long long)ticket, show_object(c, e->object).text,
            (unsigned long long)*last);
    *last = ticket;
}

void fore_check_event(struct fore_check *c, const struct fore_event *e,
                      const struct fore_case *cases, uint64_t ticket, fore_mark at)
{
    static void (*const by_group[])(struct fore_check *, const struct fore_event *,
                                    fore_mark) = {
        [FORE_GROUP_THREAD] = check_thread,
        [FORE_GROUP_CHANNEL] = check_channel,
        [FORE_GROUP_LOCK] = check_lock,
        [FORE_GROUP_TIMER] = NULL,
        [FORE_GROUP_MEMORY] = NULL,
        [FORE_GROUP_ACTOR] = check_actor,
        [FORE_GROUP_OPERATION] = check_operation,
        [FORE_GROUP_OUTSIDE] = NULL,
    };
    check_program(c, e, cases, at);
    if (ticket)
        check_ticket(c, e, ticket, at);
    enum fore_group group = fore_kind_group(e->kind);
    if (by_group[group] && !(e->flags & FORE_F_PRE))
        by_group[group](c, e, at);
}

static void end_threads(struct fore_check *c)
{
    for (size_t i = 1; i < c->threads.n; i++) {
        const struct fore_check_thread *t = &c->threads.at[i];
        struct shown name = show_thread(c, i);
        if (t->wait && !t->created)
            note_problem(c, t->wait, "wait(%s) without signal(%s)", name.text, name.text);
        if (t->must_wait && t->first && !t->wait)
            note_problem(c, t->first,
                         "thread %s was created by signal(%s): it begins with wait(%s)",
                         name.text, name.text, name.text);
        if (t->mention && !t->first && !t->created)
            note_problem(c, t->mention, "join(%s), but there is no thread %s", name.text,
                         name.text);
    }
}

static void end_channels(struct fore_check *c)
{
    for (size_t i = 1; i < c->objects.n; i++) {
        const struct fore_check_object *o = &c->objects.at[i];
        if (o->found_closed && !o->closed)
            note_problem(c, o->found_closed,
                         "channel %s was found closed, but there is no close(%s)",
                         show_object(c, i).text, show_object(c, i).text);
    }
    for (size_t i = 0; i < c->pairs.all.n; i++) {
        const struct fore_pair *p = &c->pairs.all.at[i];
        if (p->last > p->sends)
            note_problem(c, p->mark,
                         "thread %s never sent this on %s: its sends there are %llu",
                         show_thread(c, p->thread).text, show_object(c, p->chan).text,
                         (unsigned long long)p->sends);
    }
}

static void end_messages(struct fore_check *c)
{
    uint64_t key, v, mask = (UINT64_C(1) << FORE_CHECK_NUMBER_BITS) - 1;
    for (size_t i = 0; fore_map_next(&c->messages, &i, &key, &v);) {
        uint64_t chan = key >> FORE_CHECK_NUMBER_BITS;
        if ((v & BOTH) != RECEIVED)
            continue;
        note_problem(c, v >> 2, "message %llu was never sent%s%s",
                     (unsigned long long)(key & mask), chan ? " on " : "",
                     chan ? show_object(c, chan).text : "");
    }
    for (size_t i = 0; fore_map_next(&c->answers, &i, &key, &v);)
        note_problem(c, v, "operation #%llu was never invoked",
                     (unsigned long long)(key & ~(UINT64_C(1) << 63)));
}

void fore_check_end(struct fore_check *c)
{
    end_threads(c);
    end_channels(c);
    end_messages(c);
}
