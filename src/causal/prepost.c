/* Computes: pre and post vector clocks of a trace's communications.
 * Exact:    the numbers of definitions 16 and 17, beyond which other kinds of
 *           synchronisation are treated as communication.
 * Cost:     that of the pass, and one row per communication.   Source: [goscout], section 6. */
#include "causal/prepost.h"

#include "causal/gather.h"

#include <stdlib.h>

/* The state of a thread between its events. */
struct thread {
    struct fore_stamp last; /* after its last event */
    struct fore_prepost_row pending;
};

struct prepost_build {
    struct fore_prepost *out;
    unsigned mask;
    FORE_VEC(struct thread) threads;
};

static bool is_pre(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
}

/* Is the event a communication, and so a row? */
static bool counts(unsigned mask, const struct fore_event *e)
{
    if (is_pre(e))
        return false;
    switch (fore_kind_group(e->kind)) {
    case FORE_GROUP_CHANNEL:
    case FORE_GROUP_LOCK:
    case FORE_GROUP_TIMER:
        return true;
    case FORE_GROUP_THREAD:
        return e->kind == FORE_EV_JOIN;
    case FORE_GROUP_ACTOR:
        return e->kind != FORE_EV_SPAWN;
    case FORE_GROUP_MEMORY:
        return mask & FORE_EDGE_MEMORY ||
               (mask & FORE_EDGE_ATOMIC && fore_event_order(e) != FORE_ORDER_PLAIN);
    case FORE_GROUP_OPERATION:
    case FORE_GROUP_OUTSIDE:
        return false;
    }
    return false;
}

/* A child gets its parent's clock from before the creation was counted. */
static enum fore_tick tick_prepost(void *ctx, const struct fore_event *e)
{
    const struct prepost_build *b = ctx;
    if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
        return FORE_TICK_AFTER;
    return counts(b->mask, e) ? FORE_TICK_BEFORE : FORE_TICK_NONE;
}

static struct fore_stamp keep_stamp(struct prepost_build *b, struct fore_stamp s)
{
    fore_clock_keep(&b->out->clocks, s.past);
    return s;
}

/* A pre without its post is a row of its own; a pre with its post is part of the post's row. */
static void drop_pending(struct prepost_build *b, struct thread *t, bool committed)
{
    if (!t->pending.event.kind)
        return;
    if (committed)
        fore_clock_drop(&b->out->clocks, &t->pending.pre.past);
    else
        fore_vec_push(&b->out->rows, t->pending);
    t->pending = (struct fore_prepost_row){0};
}

static enum fore_flow add_row_of(void *ctx, const struct fore_moment *m)
{
    struct prepost_build *b = ctx;
    const struct fore_event *e = m->event;
    fore_vec_ensure(&b->threads, (size_t)e->thread + 1);
    struct thread *t = &b->threads.at[e->thread];
    struct fore_prepost_row row = {.event = *e, .at = m->at, .index = m->index};
    if (is_pre(e)) {
        drop_pending(b, t, false);
        row.pre = keep_stamp(b, m->stamp);
        t->pending = row;
    } else if (counts(b->mask, e)) {
        bool announced = t->pending.event.kind;
        row.pre = keep_stamp(b, announced ? t->pending.pre : t->last);
        row.post = keep_stamp(b, m->stamp);
        row.committed = true;
        fore_vec_push(&b->out->rows, row);
        drop_pending(b, t, true);
    }
    fore_stamp_put(&b->out->clocks, &t->last, m->stamp);
    t->last.time += tick_prepost(b, e) == FORE_TICK_AFTER;
    return FORE_CONTINUE;
}

static int by_thread(const void *a, const void *b)
{
    const struct fore_prepost_row *x = a, *y = b;
    if (x->event.thread != y->event.thread)
        return x->event.thread < y->event.thread ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

enum fore_status fore_prepost_build(struct fore_prepost *p, const struct fore_trace *t,
                                    unsigned mask, struct fore_err *e)
{
    *p = (struct fore_prepost){0};
    fore_clocks_init(&p->clocks);
    struct prepost_build b = {.out = p, .mask = mask};
    struct fore_pass_options o = {
        .mask = mask, .visit = add_row_of, .tick = tick_prepost, .first = 1, .ctx = &b};
    struct fore_pass *pass = fore_pass_new(&p->clocks, &o);
    enum fore_status s = fore_trace_replay(t, fore_pass_sink(pass), e);
    fore_pass_free(pass);
    for (size_t i = 0; i < b.threads.n; i++) {
        drop_pending(&b, &b.threads.at[i], false);
        fore_stamp_clear(&p->clocks, &b.threads.at[i].last);
    }
    fore_vec_release(&b.threads);
    if (p->rows.n)
        qsort(p->rows.at, p->rows.n, sizeof *p->rows.at, by_thread);
    return s;
}

void fore_prepost_release(struct fore_prepost *p)
{
    fore_clocks_release(&p->clocks);
    fore_vec_release(&p->rows);
}
