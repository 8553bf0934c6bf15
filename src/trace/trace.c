#include "trace/trace.h"

enum { BATCH = 4096 };

void fore_trace_init(struct fore_trace *t, const char *name)
{
    *t = (struct fore_trace){.name = fore_strdup(name)};
    fore_tables_init(&t->tables);
}

void fore_trace_release(struct fore_trace *t)
{
    fore_free(t->name);
    fore_tables_release(&t->tables);
    fore_vec_release(&t->events);
    fore_vec_release(&t->cases);
    fore_vec_release(&t->expects);
    *t = (struct fore_trace){0};
}

/* Cases are copied behind those already there, so the events' indices move. */
static enum fore_flow collect(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_trace *t = ((struct fore_trace_collector *)s)->into;
    struct fore_event *to = fore_vec_extend(&t->events, b->n);
    for (size_t i = 0; i < b->n; i++) {
        to[i] = b->events[i];
        if (!(to[i].flags & FORE_F_CASES))
            continue;
        size_t first = t->cases.n, n = (size_t)to[i].b;
        memcpy(fore_vec_extend(&t->cases, n), b->cases + to[i].a, n * sizeof *b->cases);
        to[i].a = first;
    }
    return FORE_CONTINUE;
}

static enum fore_status collected(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct fore_trace *t = ((struct fore_trace_collector *)s)->into;
    (void)e;
    t->torn = end->torn;
    t->lost = end->lost;
    t->unknown = end->unknown;
    t->doubts = end->doubts;
    for (size_t i = 0; i < end->expect_count; i++)
        fore_vec_push(&t->expects, end->expects[i]);
    return FORE_OK;
}

void fore_trace_collector_init(struct fore_trace_collector *c, struct fore_trace *into)
{
    *c = (struct fore_trace_collector){{collect, collected}, into};
}

enum fore_status fore_trace_replay(const struct fore_trace *t, struct fore_sink *s,
                                   struct fore_err *e)
{
    for (size_t i = 0; i < t->events.n; i += BATCH) {
        size_t n = t->events.n - i < BATCH ? t->events.n - i : BATCH;
        struct fore_batch b = {&t->tables, t->events.at + i, n, t->cases.at};
        if (s->events(s, &b) == FORE_STOP)
            break;
    }
    struct fore_trace_end end = {
        .torn = t->torn,
        .lost = t->lost,
        .unknown = t->unknown,
        .expects = t->expects.at,
        .expect_count = t->expects.n,
        .doubts = t->doubts,
        .tables = &t->tables,
    };
    return s->end(s, &end, e);
}

/* ---- what only a library's own thread sees ---- */

/* Per object: 0 not seen, a thread, or SHARED. */
enum { SHARED = 0x7fffffff };

static void used_by(uint32_t *users, const struct fore_trace *t, uint32_t object,
                    uint32_t thread)
{
    if (!object || !(t->tables.objects.at[object].flags & FORE_OBJ_HIDDEN))
        return;
    users[object] = users[object] && users[object] != thread ? SHARED : thread;
}

static bool is_private(const uint32_t *users, const struct fore_trace *t,
                       const struct fore_event *e)
{
    return e->object && e->kind != FORE_EV_ASEND && !(e->flags & FORE_F_CASES) &&
           t->tables.objects.at[e->object].flags & FORE_OBJ_HIDDEN &&
           users[e->object] != SHARED;
}

/* A thread's last event may be a wait that never ended, which is kept. */
static void keep_last(uint32_t *users, const struct fore_trace *t)
{
    uint32_t *last = fore_calloc(t->tables.threads.n + 1, sizeof *last);
    for (size_t i = 0; i < t->events.n; i++)
        last[t->events.at[i].thread] = (uint32_t)i;
    for (size_t i = 1; i < t->tables.threads.n && t->events.n; i++)
        if (t->events.at[last[i]].kind != FORE_EV_ASEND)
            used_by(users, t, t->events.at[last[i]].object, SHARED);
    fore_free(last);
}

void fore_trace_drop_private(struct fore_trace *t)
{
    uint32_t *users = fore_calloc(t->tables.objects.n + 1, sizeof *users);
    size_t kept = 0;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        if (e->kind == FORE_EV_ASEND)
            continue;
        used_by(users, t, e->object, e->thread);
        if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
            used_by(users, t, (uint32_t)e->a, SHARED);
        for (size_t c = 0; e->flags & FORE_F_CASES && c < e->b; c++)
            used_by(users, t, t->cases.at[e->a + c].chan, SHARED);
    }
    keep_last(users, t);
    for (size_t i = 0; i < t->events.n; i++)
        if (!is_private(users, t, &t->events.at[i]))
            t->events.at[kept++] = t->events.at[i];
    t->events.n = kept;
    fore_free(users);
}
