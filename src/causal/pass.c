#include "causal/pass_state.h"

static const char *const edge_names[] = {
#define X(name, text) text,
    FORE_EDGE_LIST(X)
#undef X
};

const char *fore_edge_name(enum fore_edge_kind kind)
{
    FORE_BUG_IF(kind >= FORE_EDGE_KINDS);
    return edge_names[kind];
}

unsigned fore_edge_named(const char *name, size_t n)
{
    for (unsigned k = 0; k < FORE_EDGE_KINDS; k++)
        if (strlen(edge_names[k]) == n && memcmp(edge_names[k], name, n) == 0)
            return 1u << k;
    return 0;
}

struct fore_pass_thread *fore_pass_thread(struct fore_pass *p, uint32_t thread)
{
    fore_vec_ensure(&p->threads, (size_t)thread + 1);
    struct fore_pass_thread *t = &p->threads.at[thread];
    if (!t->known) {
        t->known = true;
        t->time = p->o.first;
    }
    return t;
}

struct fore_pass_more *fore_pass_more(struct fore_pass *p, uint32_t thread)
{
    struct fore_pass_thread *t = fore_pass_thread(p, thread);
    if (!t->more) {
        fore_vec_ensure(&p->more, p->more.n ? p->more.n + 1 : 2);
        t->more = (uint32_t)p->more.n - 1;
    }
    return &p->more.at[t->more];
}

struct fore_pass_object *fore_pass_object(struct fore_pass *p, uint32_t object)
{
    fore_vec_ensure(&p->objects, (size_t)object + 1);
    return &p->objects.at[object];
}

struct fore_stamp fore_pass_now(struct fore_pass *p, uint32_t thread)
{
    struct fore_pass_thread *t = fore_pass_thread(p, thread);
    return (struct fore_stamp){t->past, thread, t->time};
}

/* If every event counts, a clock that knows an event of a thread knows all that the thread knew
 * then: most of what could be learnt is known already. */
void fore_pass_learn(struct fore_pass *p, uint32_t thread, const struct fore_stamp *s)
{
    if (!s->thread || s->thread == thread)
        return;
    struct fore_clock *past = &fore_pass_thread(p, thread)->past;
    if (p->eager && fore_clock_get(p->clocks, *past, s->thread) >= s->time)
        return;
    fore_clock_join(p->clocks, past, s->past);
    fore_clock_raise(p->clocks, past, s->thread, s->time);
}

void fore_pass_learn_all(struct fore_pass *p, uint32_t thread,
                         const struct fore_gather *g)
{
    for (uint32_t i = g->n; i-- > 0;)
        fore_pass_learn(p, thread, &g->recent[i]);
    if (g->sum.root)
        fore_clock_join(p->clocks, &fore_pass_thread(p, thread)->past, g->sum);
}

enum fore_tick fore_pass_begin(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_thread *t = fore_pass_thread(p, e->thread);
    enum fore_tick tick = p->eager ? FORE_TICK_BEFORE : p->o.tick(p->o.ctx, e);
    t->index++;
    t->time += tick == FORE_TICK_BEFORE;
    return tick;
}

void fore_pass_visit(struct fore_pass *p, const struct fore_settled *s)
{
    const struct fore_pass_thread *t = &p->threads.at[s->event->thread];
    struct fore_moment m = {
        s->event, s->cases, s->at, t->index, {t->past, s->event->thread, t->time}};
    if (p->flow == FORE_CONTINUE)
        p->flow = p->o.visit(p->o.ctx, &m);
}

static void thread_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (e->kind != FORE_EV_JOIN || e->flags & FORE_F_PRE || !(p->o.mask & FORE_EDGE_JOIN))
        return;
    struct fore_stamp last = fore_pass_now(p, (uint32_t)e->a);
    fore_pass_learn(p, e->thread, &last);
}

static void thread_leave(struct fore_pass *p, const struct fore_event *e)
{
    if ((e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN) &&
        p->o.mask & FORE_EDGE_FORK) {
        struct fore_stamp now = fore_pass_now(p, e->thread);
        fore_pass_learn(p, (uint32_t)e->a, &now);
    }
}

static void message_learn(struct fore_pass *p, const struct fore_event *e)
{
    uint64_t *slot = fore_map_get(&p->messages, e->a);
    if (!slot)
        return;
    uint32_t i = (uint32_t)*slot;
    fore_pass_learn(p, e->thread, &p->mail.at[i]);
    fore_stamp_clear(p->clocks, &p->mail.at[i]);
    fore_vec_push(&p->mail_spare, i);
    fore_map_remove(&p->messages, e->a);
}

static void message_leave(struct fore_pass *p, const struct fore_event *e)
{
    bool fresh;
    uint64_t *slot = fore_map_put(&p->messages, e->a, &fresh);
    if (fresh) {
        *slot = p->mail_spare.n ? fore_vec_pop(&p->mail_spare) : p->mail.n;
        fore_vec_ensure(&p->mail, *slot + 1);
    }
    fore_stamp_put(p->clocks, &p->mail.at[*slot], fore_pass_now(p, e->thread));
}

/* An unknown thing (0) may be any thing. */
static void outside_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (e->kind != FORE_EV_IN)
        return;
    fore_pass_learn_all(p, e->thread, &fore_pass_object(p, e->object)->many);
    fore_pass_learn_all(p, e->thread, &p->nowhere);
}

static void outside_leave(struct fore_pass *p, const struct fore_event *e)
{
    if (e->kind != FORE_EV_OUT)
        return;
    struct fore_stamp now = fore_pass_now(p, e->thread);
    fore_gather_add(p->clocks,
                    e->object ? &fore_pass_object(p, e->object)->many : &p->nowhere, now);
    fore_gather_add(p->clocks, &fore_pass_object(p, 0)->many, now);
}

static void learn_clocks(struct fore_pass *p, const struct fore_event *e)
{
    switch (fore_kind_group(e->kind)) {
    case FORE_GROUP_THREAD:
        thread_learn(p, e);
        break;
    case FORE_GROUP_CHANNEL:
        if (p->o.mask & FORE_EDGE_CHANNEL)
            fore_pass_channel_learn(p, e);
        break;
    case FORE_GROUP_LOCK:
    case FORE_GROUP_TIMER:
        fore_pass_sync_learn(p, e);
        break;
    case FORE_GROUP_MEMORY:
        fore_pass_memory_learn(p, e);
        break;
    case FORE_GROUP_ACTOR:
        if (e->kind == FORE_EV_ARECV && p->o.mask & FORE_EDGE_MESSAGE)
            message_learn(p, e);
        break;
    case FORE_GROUP_OUTSIDE:
        if (p->o.mask & FORE_EDGE_OUTSIDE)
            outside_learn(p, e);
        break;
    case FORE_GROUP_OPERATION:
        break;
    }
}

static void leave_clock(struct fore_pass *p, const struct fore_event *e)
{
    switch (fore_kind_group(e->kind)) {
    case FORE_GROUP_THREAD:
        thread_leave(p, e);
        break;
    case FORE_GROUP_CHANNEL:
        if (p->o.mask & FORE_EDGE_CHANNEL)
            fore_pass_channel_leave(p, e);
        break;
    case FORE_GROUP_LOCK:
    case FORE_GROUP_TIMER:
        fore_pass_sync_leave(p, e);
        break;
    case FORE_GROUP_MEMORY:
        fore_pass_memory_leave(p, e);
        break;
    case FORE_GROUP_ACTOR:
        thread_leave(p, e);
        if (e->kind == FORE_EV_ASEND && p->o.mask & FORE_EDGE_MESSAGE)
            message_leave(p, e);
        break;
    case FORE_GROUP_OUTSIDE:
        if (p->o.mask & FORE_EDGE_OUTSIDE)
            outside_leave(p, e);
        break;
    case FORE_GROUP_OPERATION:
        break;
    }
}

static void pass_event(struct fore_pass *p, const struct fore_settled *s)
{
    const struct fore_event *e = s->event;
    enum fore_tick tick = fore_pass_begin(p, e);
    learn_clocks(p, e);
    fore_pass_visit(p, s);
    leave_clock(p, e);
    p->threads.at[e->thread].time += tick == FORE_TICK_AFTER;
}

static void single_half(struct fore_pass *p)
{
    struct fore_event e = p->half;
    p->half.kind = FORE_EV_NONE;
    pass_event(p, &(struct fore_settled){&e, NULL, p->half_at});
}

/* A send over an unbuffered channel waits for the next event, which is its receive. */
static enum fore_flow pass_settled(void *ctx, const struct fore_settled *s)
{
    struct fore_pass *p = ctx;
    const struct fore_event *e = s->event;
    if (p->half.kind) {
        if (fore_is_pair(&p->half, e)) {
            struct fore_event send = p->half;
            p->half.kind = FORE_EV_NONE;
            fore_pass_pair(p, &(struct fore_settled){&send, NULL, p->half_at}, s);
            return p->flow;
        }
        single_half(p);
    }
    if (e->kind == FORE_EV_SEND && p->o.mask & FORE_EDGE_CHANNEL &&
        fore_is_half(p->tables, e)) {
        p->half = *e;
        p->half_at = s->at;
    } else if (e->kind != FORE_EV_BARRIER || !fore_pass_depart(p, s)) {
        pass_event(p, s);
    }
    return p->flow;
}

static enum fore_flow take_batch(struct fore_sink *sink, const struct fore_batch *b)
{
    struct fore_pass *p = (struct fore_pass *)sink;
    p->tables = b->tables;
    if (!b->settled)
        return fore_settle_push(&p->settle, b);
    for (size_t i = 0; i < b->n && p->flow == FORE_CONTINUE; i++)
        pass_settled(p, &(struct fore_settled){&b->events[i], b->cases, p->settle.at++});
    return p->flow;
}

static enum fore_status end_pass(struct fore_sink *sink, const struct fore_trace_end *end,
                                 struct fore_err *e)
{
    struct fore_pass *p = (struct fore_pass *)sink;
    fore_settle_end(&p->settle);
    if (p->half.kind)
        single_half(p);
    fore_pass_depart_rest(p);
    return p->o.end ? p->o.end(p->o.ctx, end, e) : FORE_OK;
}

struct fore_pass *fore_pass_new(struct fore_clocks *clocks,
                                const struct fore_pass_options *options)
{
    struct fore_pass *p = fore_calloc(1, sizeof *p);
    p->sink = (struct fore_sink){take_batch, end_pass};
    p->o = *options;
    p->clocks = clocks;
    p->eager = !options->tick;
    fore_settle_init(&p->settle, pass_settled, p);
    fore_vec_ensure(&p->channels, 1);
    fore_vec_ensure(&p->barriers, 1);
    fore_vec_ensure(&p->conds, 1);
    fore_vec_ensure(&p->atomics, 1);
    return p;
}

struct fore_sink *fore_pass_sink(struct fore_pass *p)
{
    return &p->sink;
}

static void release_queue(struct fore_clocks *c, struct fore_pass_queue *q)
{
    for (size_t i = q->head; i < q->v.n; i++)
        fore_stamp_clear(c, &q->v.at[i].stamp);
    fore_vec_release(&q->v);
}

static void release_objects(struct fore_pass *p)
{
    for (size_t i = 0; i < p->objects.n; i++) {
        fore_stamp_clear(p->clocks, &p->objects.at[i].last);
        fore_gather_release(p->clocks, &p->objects.at[i].many);
    }
    for (size_t i = 0; i < p->channels.n; i++) {
        release_queue(p->clocks, &p->channels.at[i].sent);
        release_queue(p->clocks, &p->channels.at[i].received);
    }
    for (size_t i = 0; i < p->barriers.n; i++) {
        struct fore_pass_barrier *b = &p->barriers.at[i];
        for (size_t k = 0; k < b->open.n; k++)
            fore_gather_release(p->clocks, &b->open.at[k].arrivals);
        fore_vec_release(&b->open);
        fore_vec_release(&b->together);
    }
    for (size_t i = 0; i < p->conds.n; i++)
        fore_vec_release(&p->conds.at[i].waiting);
    for (size_t i = 0; i < p->atomics.n; i++)
        fore_gather_release(p->clocks, &p->atomics.at[i].head);
    fore_vec_release(&p->objects);
    fore_vec_release(&p->channels);
    fore_vec_release(&p->barriers);
    fore_vec_release(&p->conds);
    fore_vec_release(&p->atomics);
}

void fore_pass_free(struct fore_pass *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->threads.n; i++)
        fore_clock_drop(p->clocks, &p->threads.at[i].past);
    for (size_t i = 0; i < p->more.n; i++) {
        fore_gather_release(p->clocks, &p->more.at[i].wake);
        fore_gather_release(p->clocks, &p->more.at[i].acquire);
        fore_stamp_clear(p->clocks, &p->more.at[i].fence);
    }
    for (size_t i = 0; i < p->mail.n; i++)
        fore_stamp_clear(p->clocks, &p->mail.at[i]);
    fore_gather_release(p->clocks, &p->nowhere);
    release_objects(p);
    fore_vec_release(&p->threads);
    fore_vec_release(&p->more);
    fore_vec_release(&p->mail);
    fore_vec_release(&p->mail_spare);
    fore_map_release(&p->messages);
    fore_settle_release(&p->settle);
    fore_free(p);
}
