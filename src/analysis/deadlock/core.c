/* In a stuck state: which thread waits for which, and which of them make up the
 * deadlock. */
#include "analysis/deadlock/deadlock_state.h"

#include "base/hash.h"

#include <string.h>

bool fore_dl_newly_blocked(const struct fore_machine *m, uint32_t t)
{
    uint32_t op = fore_machine_next(m, t);
    return op != FORE_NO_OP && fore_insn_ended(m->p, op) &&
           fore_insn_kind(m->p, op) != FORE_EV_FIRE && fore_machine_blocked(m, t);
}

static bool done_already(const struct fore_machine *m, uint32_t op)
{
    uint32_t t = fore_insn_thread(m->p, op);
    return op < m->p->first[t] + fore_machine_done(m, t);
}

static uint32_t holder_of(const struct fore_dl *d, const struct fore_machine *m,
                          uint32_t me, uint32_t lock)
{
    uint32_t owner = fore_machine_owner(m, lock), waits;
    if (owner)
        return owner;
    for (uint32_t t = 1; t <= m->p->threads; t++)
        if (t != me && fore_dl_holds(d, m, t, lock) != FORE_NO_OP)
            return t;
    /* No other thread holds the lock: a waiting writer keeps this reader out. */
    for (uint32_t t = 1; t <= m->p->threads; t++)
        if (t != me && fore_machine_next(m, t) != FORE_NO_OP &&
            fore_waits_for_lock(m, t, &waits) && waits == lock)
            return t;
    return 0;
}

/* The first operation of the list that has not happened and that others could still do. */
static uint32_t first_left(const struct fore_dl *d, const struct fore_machine *m,
                           uint32_t list, unsigned kind)
{
    for (uint32_t i = d->index->start[list]; i < d->index->start[list + 1]; i++) {
        uint32_t op = d->index->ops[i];
        if (fore_insn_event(m->p, op)->kind == kind && !done_already(m, op))
            return fore_insn_thread(m->p, op);
    }
    return 0;
}

/* The thread that could end the wait, as far as the recorded run can tell; 0: there is
 * none left. */
static uint32_t waits_for(const struct fore_dl *d, const struct fore_machine *m,
                          uint32_t t)
{
    uint32_t op = fore_machine_next(m, t), lock, link = m->p->ops[op].link;
    const struct fore_event *e = fore_insn_event(m->p, op);
    if (fore_waits_for_lock(m, t, &lock))
        return holder_of(d, m, t, lock);
    switch (fore_insn_kind(m->p, op)) {
    case FORE_EV_SEND:
        if (fore_chan_capacity(m->p, e->object))
            return first_left(d, m, 2 * e->object + 1, FORE_EV_RECV);
        break;
    case FORE_EV_RECV:
        if (e->flags & FORE_F_CLOSED)
            return d->index->closed[e->object] == FORE_NO_OP
                       ? 0
                       : fore_insn_thread(m->p, d->index->closed[e->object]);
        break;
    case FORE_EV_JOIN:
        return (uint32_t)e->a;
    case FORE_EV_ONCE:
        lock = (uint32_t)m->p->initial[e->object];
        return lock ? fore_machine_owner(m, lock) : 0;
    case FORE_EV_WGWAIT:
        return first_left(d, m, 2 * e->object, FORE_EV_WGDONE);
    case FORE_EV_ACQUIRE:
        return first_left(d, m, 2 * e->object, FORE_EV_RELEASE);
    default:
        break;
    }
    return link != FORE_NO_OP && !done_already(m, link) ? fore_insn_thread(m->p, link)
                                                        : 0;
}

static bool any_newly_blocked(const struct fore_machine *m, const struct fore_dl_core *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (fore_dl_newly_blocked(m, c->thread[i]))
            return true;
    return false;
}

/* No cycle of its own: the last one that did not wait in the observed run is the cause. */
static struct fore_dl_core last_of(const struct fore_machine *m, struct fore_dl_core path)
{
    while (path.n > 1 && !fore_dl_newly_blocked(m, path.thread[path.n - 1]))
        path.n--;
    return (struct fore_dl_core){.thread = {path.thread[path.n - 1]}, .n = 1};
}

struct fore_dl_core fore_dl_core_of(const struct fore_dl *d, const struct fore_machine *m,
                                    uint32_t t)
{
    struct fore_dl_core path = {.n = 0};
    while (path.n < FORE_DL_CORE) {
        for (size_t i = 0; i < path.n; i++) {
            if (path.thread[i] != t)
                continue;
            struct fore_dl_core c = {.n = path.n - i, .cycle = true};
            memcpy(c.thread, path.thread + i, c.n * sizeof *c.thread);
            return any_newly_blocked(m, &c) ? c : last_of(m, path);
        }
        path.thread[path.n++] = t;
        t = waits_for(d, m, t);
        if (!t || fore_machine_next(m, t) == FORE_NO_OP || !fore_machine_blocked(m, t))
            break;
    }
    return last_of(m, path);
}

uint64_t fore_dl_core_signature(const struct fore_machine *m,
                                const struct fore_dl_core *c)
{
    uint64_t sum = c->n;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t op = fore_machine_next(m, c->thread[i]);
        uint32_t where = fore_insn_event(m->p, op)->where;
        sum += where ? fore_hash_mix(1, where) : fore_hash_mix(2, op);
    }
    return sum;
}

size_t fore_dl_reasons(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t out[FORE_DL_REASONS], const char **role)
{
    uint32_t op = fore_machine_next(m, t), link = m->p->ops[op].link;
    const struct fore_event *e = fore_insn_event(m->p, op);
    unsigned kind = fore_insn_kind(m->p, op);
    size_t n = 0;
    if (kind == FORE_EV_CWOKEN && link != FORE_NO_OP && done_already(m, link)) {
        *role = "lost signal";
        out[n++] = link;
    }
    bool full = kind == FORE_EV_SEND && fore_chan_capacity(m->p, e->object);
    if (!full && kind != FORE_EV_ACQUIRE)
        return n;
    *role = full ? "fills it" : "took it";
    for (uint32_t i = d->index->start[2 * e->object + 1];
         i-- > d->index->start[2 * e->object];) {
        uint32_t other = d->index->ops[i];
        uint32_t took = m->p->ops[other].link;
        if (n < FORE_DL_REASONS && fore_insn_kind(m->p, other) == kind &&
            done_already(m, other) &&
            (!full || took == FORE_NO_OP || !done_already(m, took)))
            out[n++] = other;
    }
    return n;
}
