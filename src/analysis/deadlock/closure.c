/* The least prefix of the observed run in which some threads have come to given places: closed
 * under program order, creation, joins, the recorded partners of communications, and under the
 * order of critical sections, whose earlier ones must be over before the last one begins.
 * Run in the observed order it is a run again, or nearly: the machine has the last word. */
#include "analysis/deadlock/parts.h"

static void want(struct fore_dl_cut *c, uint32_t op)
{
    uint32_t t = fore_insn_thread(c->d->p, op);
    if (op < c->need[t])
        return;
    c->need[t] = op + 1;
    fore_vec_push(&c->work, t);
}

/* The first `count` operations of a list. */
static void want_first(struct fore_dl_cut *c, uint32_t list, uint32_t count)
{
    const struct fore_dl_index *x = &c->d->index;
    uint32_t have = x->start[list + 1] - x->start[list];
    uint64_t *from = fore_map_put(&c->reached, list, NULL);
    uint64_t first = *from;
    count = count < have ? count : have;
    if (count <= first)
        return;
    *from = count;
    for (uint64_t i = first; i < count; i++)
        want(c, x->ops[x->start[list] + i]);
}

static uint32_t position(const struct fore_dl_cut *c, uint32_t list, uint32_t op)
{
    return c->d->index.rank[op] - c->d->index.start[list];
}

/* The queue is first in, first out: the n-th receive needs n sends and the receives before it,
 * a send needs room. */
static void want_buffered(struct fore_dl_cut *c, uint32_t op, const struct fore_event *e)
{
    uint32_t sends = 2 * e->object, receives = sends + 1;
    uint64_t room = fore_chan_capacity(c->d->p, e->object);
    if (e->kind == FORE_EV_RECV) {
        uint32_t n = position(c, receives, op);
        want_first(c, receives, n);
        want_first(c, sends, n + 1);
    } else {
        uint32_t n = position(c, sends, op) + 1;
        if (n > room)
            want_first(c, receives, n - (uint32_t)room);
    }
}

static void want_lock_order(struct fore_dl_cut *c, uint32_t op, uint32_t lock)
{
    const struct fore_dl_index *x = &c->d->index;
    uint64_t *last = fore_map_put(&c->last, lock, NULL);
    uint32_t other = (uint32_t)*last - 1;
    if (!*last) {
        *last = op + 1ull;
        return;
    }
    const struct fore_program *p = c->d->p;
    bool later = fore_insn_event(p, op) > fore_insn_event(p, other);
    uint32_t earlier = later ? other : op;
    bool both_read = fore_insn_kind(p, op) == FORE_EV_RLOCK &&
                     fore_insn_kind(p, other) == FORE_EV_RLOCK;
    if (later)
        *last = op + 1ull;
    if (!both_read && x->release[earlier] != FORE_NO_OP)
        want(c, x->release[earlier]);
}

static void want_link(struct fore_dl_cut *c, uint32_t op)
{
    if (c->d->p->ops[op].link != FORE_NO_OP)
        want(c, c->d->p->ops[op].link);
}

static void want_channel(struct fore_dl_cut *c, uint32_t op, const struct fore_event *e)
{
    if (e->kind == FORE_EV_SELECT)
        return;
    if (e->flags & FORE_F_CLOSED) {
        if (e->kind == FORE_EV_RECV && c->d->index.closed[e->object] != FORE_NO_OP)
            want(c, c->d->index.closed[e->object]);
    } else if (fore_chan_capacity(c->d->p, e->object)) {
        want_buffered(c, op, e);
    } else {
        want_link(c, op);
    }
}

static void want_what_it_needs(struct fore_dl_cut *c, uint32_t op)
{
    const struct fore_program *p = c->d->p;
    const struct fore_event *e = fore_insn_event(p, op);
    uint32_t lock;
    if (fore_insn_offers(p, op) && fore_insn_ended(p, op)) {
        want_channel(c, op, e);
        return;
    }
    if (fore_dl_acquires(p, op, &lock))
        want_lock_order(c, op, lock);
    switch (e->kind) {
    case FORE_EV_CWOKEN:
    case FORE_EV_ARECV:
    case FORE_EV_READ:
    case FORE_EV_RMW:
        want_link(c, op);
        break;
    case FORE_EV_JOIN:
        if (p->first[e->a + 1] > p->first[e->a])
            want(c, p->first[e->a + 1] - 1);
        break;
    case FORE_EV_WGWAIT:
    case FORE_EV_ACQUIRE:
    case FORE_EV_ONCE:
    case FORE_EV_FIRE:
        want_first(c, 2 * e->object, position(c, 2 * e->object, op));
        break;
    default:
        break;
    }
}

static void run(struct fore_dl_cut *c)
{
    const struct fore_program *p = c->d->p;
    while (c->work.n) {
        uint32_t t = fore_vec_pop(&c->work);
        if (c->seen[t] == p->first[t] && p->gate[t] != FORE_NO_OP)
            want(c, p->gate[t]);
        while (c->seen[t] < c->need[t])
            want_what_it_needs(c, c->seen[t]++);
    }
}

void fore_dl_cut_init(struct fore_dl_cut *c, const struct fore_dl *d)
{
    *c = (struct fore_dl_cut){.d = d};
    c->need = fore_calloc((size_t)d->p->threads + 2, sizeof *c->need);
    c->seen = fore_calloc((size_t)d->p->threads + 2, sizeof *c->seen);
    for (uint32_t t = 1; t <= d->p->threads; t++)
        c->need[t] = c->seen[t] = d->p->first[t];
}

void fore_dl_cut_release(struct fore_dl_cut *c)
{
    fore_free(c->need);
    fore_free(c->seen);
    fore_map_release(&c->reached);
    fore_map_release(&c->last);
    fore_vec_release(&c->work);
}

void fore_dl_close(struct fore_dl_cut *c, const struct fore_dl_target *targets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t t = targets[i].thread;
        if (targets[i].end > c->need[t])
            c->need[t] = targets[i].end;
        fore_vec_push(&c->work, t);
    }
    run(c);
}
