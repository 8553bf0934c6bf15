#include "machine/quiet.h"

bool *fore_program_tried_locks(const struct fore_program *p)
{
    bool *tried = fore_calloc((size_t)p->objects + 2, sizeof *tried);
    for (uint32_t op = 0; op < p->op_count; op++) {
        unsigned kind = fore_insn_event(p, op)->kind;
        if (kind == FORE_EV_TRYLOCK || kind == FORE_EV_TRYRLOCK)
            tried[p->ops[op].object] = true;
    }
    return tried;
}

bool fore_insn_is_alone(const struct fore_program *p, uint32_t op, const bool *tried)
{
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_SIGNAL:
    case FORE_EV_WAIT:
    case FORE_EV_END:
    case FORE_EV_ARM:
    case FORE_EV_JOIN:
        return true;
    case FORE_EV_UNLOCK:
    case FORE_EV_RUNLOCK:
        return !tried[p->ops[op].object];
    default:
        return false;
    }
}

bool fore_insn_timeout(const struct fore_program *p, uint32_t op, uint16_t *at)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_TIMEOUT) {
            *at = (uint16_t)i;
            return !(fore_insn_ended(p, op) && p->ops[op].kind == FORE_EV_SELECT);
        }
    return false;
}

bool fore_waits_for_lock(const struct fore_machine *m, uint32_t t, uint32_t *lock)
{
    uint32_t op = fore_machine_next(m, t);
    if (op == FORE_NO_OP || !fore_insn_acquires(m->p, op, lock))
        return false;
    unsigned kind = fore_insn_kind(m->p, op);
    return kind == FORE_EV_LOCK || kind == FORE_EV_RLOCK ||
           (kind == FORE_EV_CWOKEN && fore_machine_wakes(m, t, op));
}

/* May the thread's next operation end by a timeout, although it did not? */
static bool may_time_out(const struct fore_machine *m, uint32_t t)
{
    uint32_t op = fore_machine_next(m, t);
    uint16_t at;
    return op != FORE_NO_OP && fore_insn_timeout(m->p, op, &at);
}

/* Firings keep their recorded order; arming a timer need not. */
static bool may_fire(const struct fore_program *p, uint32_t op)
{
    uint32_t after = p->ops[op].link;
    return p->ops[op].kind == FORE_EV_FIRE && after != FORE_NO_OP &&
           p->ops[after].kind != FORE_EV_ARM;
}

bool fore_would_leave(const struct fore_machine *m, uint32_t t)
{
    uint32_t op = fore_machine_next(m, t);
    return may_time_out(m, t) ||
           (op != FORE_NO_OP && (fore_insn_is_outside(m->p, op) || may_fire(m->p, op)));
}

bool fore_machine_quiet(const struct fore_machine *m)
{
    struct fore_moves v = {{0}};
    for (uint32_t t = 1; t <= m->p->threads && !v.list.n; t++) {
        fore_machine_moves(m, t, false, &v);
        /* Arriving at a lock is not going on, and giving up is leaving the trace. */
        while (v.list.n &&
               ((fore_vec_last(&v.list).act == FORE_ACT_ARRIVE &&
                 fore_insn_kind(m->p, fore_machine_next(m, t)) == FORE_EV_LOCK) ||
                (fore_vec_last(&v.list).act == FORE_ACT_DEFAULT && may_time_out(m, t))))
            v.list.n--;
    }
    bool quiet = !v.list.n;
    fore_vec_release(&v.list);
    return quiet;
}
