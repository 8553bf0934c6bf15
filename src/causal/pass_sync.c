#include "causal/pass_state.h"

/* Locks, conditions, semaphores, barriers, once, wait groups, timers. */

static void lock_learn(struct fore_pass *p, uint32_t thread, uint32_t lock, bool shared)
{
    if (!(p->o.mask & FORE_EDGE_LOCK))
        return;
    struct fore_pass_object *o = fore_pass_object(p, lock);
    fore_pass_learn(p, thread, &o->last);
    if (shared)
        return;
    fore_pass_learn_all(p, thread, &o->many);
    fore_gather_clear(p->clocks, &o->many); /* the next unlock will know them */
}

static void lock_leave(struct fore_pass *p, uint32_t thread, uint32_t lock, bool shared)
{
    if (!(p->o.mask & FORE_EDGE_LOCK))
        return;
    struct fore_pass_object *o = fore_pass_object(p, lock);
    struct fore_stamp now = fore_pass_now(p, thread);
    if (shared)
        fore_gather_add(p->clocks, &o->many, now);
    else
        fore_stamp_put(p->clocks, &o->last, now);
}

/* The threads that took the lock last: an attempt that finds it taken depends on them. */
static struct fore_gather *takers_of(struct fore_pass *p, uint32_t lock)
{
    struct fore_pass_object *o = fore_pass_object(p, lock);
    if (!o->more) {
        o->more = (uint32_t)p->atomics.n;
        fore_vec_ensure(&p->atomics, p->atomics.n + 1);
    }
    return &p->atomics.at[o->more].head;
}

static void taken_leave(struct fore_pass *p, const struct fore_event *e)
{
    uint32_t lock = e->kind == FORE_EV_CWOKEN ? (uint32_t)e->a : e->object;
    struct fore_gather *g = takers_of(p, lock);
    if (e->flags & FORE_F_BUSY) {
        fore_pass_learn_all(p, e->thread, g);
        return;
    }
    if (e->kind != FORE_EV_RLOCK && e->kind != FORE_EV_TRYRLOCK)
        fore_gather_clear(p->clocks, g);
    fore_gather_add(p->clocks, g, fore_pass_now(p, e->thread));
}

static struct fore_pass_cond *cond_of(struct fore_pass *p, uint32_t object)
{
    struct fore_pass_object *o = fore_pass_object(p, object);
    if (!o->more) {
        o->more = (uint32_t)p->conds.n;
        fore_vec_ensure(&p->conds, p->conds.n + 1);
    }
    return &p->conds.at[o->more];
}

static void woken_learn(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_cond *c = cond_of(p, e->object);
    for (size_t i = 0; i < c->waiting.n; i++)
        if (c->waiting.at[i] == e->thread) {
            c->waiting.at[i] = fore_vec_pop(&c->waiting);
            break;
        }
    uint32_t more = fore_pass_thread(p, e->thread)->more;
    if (!more)
        return;
    fore_pass_learn_all(p, e->thread, &p->more.at[more].wake);
    fore_gather_clear(p->clocks, &p->more.at[more].wake);
}

/* A signal that does not name the woken thread may have woken any thread that waited. */
static void signal_leave(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_stamp now = fore_pass_now(p, e->thread);
    if (e->kind == FORE_EV_CSIGNAL && e->a) {
        fore_gather_add(p->clocks, &fore_pass_more(p, (uint32_t)e->a)->wake, now);
        return;
    }
    uint32_t c = (uint32_t)(cond_of(p, e->object) - p->conds.at);
    for (size_t i = 0; i < p->conds.at[c].waiting.n; i++)
        fore_gather_add(p->clocks, &fore_pass_more(p, p->conds.at[c].waiting.at[i])->wake,
                        now);
}

static struct fore_pass_barrier *barrier_of(struct fore_pass *p, uint32_t object)
{
    struct fore_pass_object *o = fore_pass_object(p, object);
    if (!o->more) {
        o->more = (uint32_t)p->barriers.n;
        fore_vec_ensure(&p->barriers, p->barriers.n + 1);
    }
    return &p->barriers.at[o->more];
}

/* The round that now fills up. */
static struct fore_pass_round *round_filling(struct fore_pass_barrier *b)
{
    if (!b->open.n || fore_vec_last(&b->open).number != b->rounds) {
        fore_vec_ensure(&b->open, b->open.n + 1);
        fore_vec_last(&b->open).number = b->rounds;
    }
    return &fore_vec_last(&b->open);
}

/* The thread leaves the round knowing all that the arrivals knew. The last thread to leave ends
 * the round. */
static void leave_round(struct fore_pass *p, const struct fore_event *e, uint64_t number)
{
    struct fore_pass_barrier *b = barrier_of(p, e->object);
    for (size_t i = 0; i < b->open.n; i++) {
        struct fore_pass_round *r = &b->open.at[i];
        if (r->number != number)
            continue;
        fore_pass_learn_all(p, e->thread, &r->arrivals);
        if (++r->departed < e->a)
            return;
        fore_gather_release(p->clocks, &r->arrivals);
        memmove(r, r + 1, (--b->open.n - i) * sizeof *r);
        return;
    }
}

static void arrival_leave(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_more *m = fore_pass_more(p, e->thread);
    struct fore_pass_barrier *b = barrier_of(p, e->object);
    struct fore_pass_round *r = round_filling(b);
    m->round = b->rounds;
    m->arrived = true;
    fore_gather_add(p->clocks, &r->arrivals, fore_pass_now(p, e->thread));
    b->rounds += ++r->arrived == e->a;
}

static void departure_learn(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_more *m = fore_pass_more(p, e->thread);
    if (m->arrived)
        leave_round(p, e, m->round);
    m->arrived = false;
}

/* Threads whose arrival was not recorded depart together, like the halves of a communication,
 * and before the others. */
static void depart_together(struct fore_pass *p, struct fore_pass_barrier *b,
                            uint64_t round)
{
    for (size_t i = 0; i < b->together.n; i++) {
        const struct fore_event *e = b->together.at[i].event;
        fore_pass_begin(p, e);
        if (!fore_pass_more(p, e->thread)->arrived)
            fore_gather_add(p->clocks, &fore_vec_last(&b->open).arrivals,
                            fore_pass_now(p, e->thread));
    }
    for (size_t i = 0; i < b->together.n; i++)
        leave_round(p, b->together.at[i].event, round);
    for (int arrived = 0; arrived <= 1; arrived++)
        for (size_t i = 0; i < b->together.n; i++)
            if (fore_pass_more(p, b->together.at[i].event->thread)->arrived == arrived)
                fore_pass_visit(p, &b->together.at[i]);
    for (size_t i = 0; i < b->together.n; i++)
        fore_pass_more(p, b->together.at[i].event->thread)->arrived = false;
    fore_vec_clear(&b->together);
}

bool fore_pass_depart(struct fore_pass *p, const struct fore_settled *s)
{
    const struct fore_event *e = s->event;
    if (e->flags & FORE_F_PRE || !e->a || !(p->o.mask & FORE_EDGE_CONDITION))
        return false;
    struct fore_pass_barrier *b = barrier_of(p, e->object);
    struct fore_pass_more *m = fore_pass_more(p, e->thread);
    if (m->arrived && m->round < b->rounds)
        return false;
    fore_vec_push(&b->together, *s);
    if (!m->arrived && ++round_filling(b)->arrived == e->a)
        depart_together(p, b, b->rounds++);
    return true;
}

void fore_pass_depart_rest(struct fore_pass *p)
{
    for (size_t i = 0; i < p->barriers.n; i++) {
        struct fore_pass_barrier *b = &p->barriers.at[i];
        for (size_t k = 0; k < b->together.n; k++) {
            fore_pass_begin(p, b->together.at[k].event);
            fore_pass_visit(p, &b->together.at[k]);
        }
    }
}

static void condition_learn(struct fore_pass *p, const struct fore_event *e)
{
    switch (e->kind) {
    case FORE_EV_CWOKEN:
        woken_learn(p, e);
        break;
    case FORE_EV_ACQUIRE:
        if (p->o.units) {
            fore_pass_units_learn(p, e);
            break;
        }
        /* fall through */
    case FORE_EV_WGWAIT:
        fore_pass_learn_all(p, e->thread, &fore_pass_object(p, e->object)->many);
        break;
    case FORE_EV_BARRIER:
        departure_learn(p, e);
        break;
    case FORE_EV_ONCE:
    case FORE_EV_FIRE:
        fore_pass_learn(p, e->thread, &fore_pass_object(p, e->object)->last);
        break;
    default:
        break;
    }
}

static void condition_leave(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_object *o = fore_pass_object(p, e->object);
    switch (e->kind) {
    case FORE_EV_CWAIT:
        fore_vec_push(&cond_of(p, e->object)->waiting, e->thread);
        break;
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
        signal_leave(p, e);
        break;
    case FORE_EV_WGADD:
        if ((int64_t)e->a >= 0)
            break;
        /* fall through */
    case FORE_EV_WGDONE:
    case FORE_EV_RELEASE:
        if (p->o.units && e->kind == FORE_EV_RELEASE) {
            fore_pass_units_leave(p, e);
            break;
        }
        fore_gather_add(p->clocks, &o->many, fore_pass_now(p, e->thread));
        break;
    case FORE_EV_ONCE:
        if (e->flags & FORE_F_BUSY)
            break;
        /* fall through */
    case FORE_EV_ARM:
        fore_stamp_put(p->clocks, &o->last, fore_pass_now(p, e->thread));
        break;
    default:
        break;
    }
}

void fore_pass_sync_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (e->flags & FORE_F_PRE)
        return;
    switch (e->kind) {
    case FORE_EV_LOCK:
    case FORE_EV_RLOCK:
        lock_learn(p, e->thread, e->object, e->kind == FORE_EV_RLOCK);
        return;
    case FORE_EV_TRYLOCK:
    case FORE_EV_TRYRLOCK:
        if (!(e->flags & FORE_F_BUSY))
            lock_learn(p, e->thread, e->object, e->kind == FORE_EV_TRYRLOCK);
        return;
    case FORE_EV_CWOKEN:
        lock_learn(p, e->thread, (uint32_t)e->a, false);
        break;
    default:
        break;
    }
    if (p->o.mask & FORE_EDGE_CONDITION)
        condition_learn(p, e);
}

void fore_pass_sync_leave(struct fore_pass *p, const struct fore_event *e)
{
    if (e->flags & FORE_F_PRE) {
        if (e->kind == FORE_EV_BARRIER && e->a && p->o.mask & FORE_EDGE_CONDITION)
            arrival_leave(p, e);
        return;
    }
    switch (e->kind) {
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        if (p->o.results)
            taken_leave(p, e);
        return;
    case FORE_EV_CWOKEN:
        if (p->o.results)
            taken_leave(p, e);
        break;
    case FORE_EV_UNLOCK:
    case FORE_EV_RUNLOCK:
        lock_leave(p, e->thread, e->object, e->kind == FORE_EV_RUNLOCK);
        return;
    case FORE_EV_CWAIT:
        lock_leave(p, e->thread, (uint32_t)e->a, false);
        break;
    default:
        break;
    }
    if (p->o.mask & FORE_EDGE_CONDITION)
        condition_leave(p, e);
}
