#include "analysis/deadlock/deadlock_state.h"

static bool has_way_out(const struct fore_program *p, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_DEFAULT || c[i].kind == FORE_CASE_TIMEOUT)
            return true;
    return false;
}

bool fore_dl_waits(const struct fore_program *p, uint32_t op)
{
    if (fore_insn_offers(p, op))
        return !has_way_out(p, op);
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_ACQUIRE:
        return !(p->ops[op].flags & FORE_F_BUSY);
    case FORE_EV_ONCE:
        return p->ops[op].flags & FORE_F_BUSY && p->initial[p->ops[op].object];
    case FORE_EV_WGWAIT:
    case FORE_EV_JOIN:
    case FORE_EV_BARRIER:
    case FORE_EV_CWOKEN:
        return true;
    default:
        return false;
    }
}

bool fore_dl_by_timer(const struct fore_dl *d, uint32_t op)
{
    const struct fore_insn *o = &d->p->ops[op];
    if (o->kind == FORE_EV_SELECT)
        return o->flags & FORE_F_TIMEOUT;
    return d->trace->tables.objects.at[o->object].flags & FORE_OBJ_TIMED;
}

uint64_t fore_dl_select_place(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].where ? p->ops[op].where : op + (1ull << 32);
}

/* Threads are walked from their ends: what was seen before comes later. */
void fore_dl_find_returns(struct fore_dl *d)
{
    const struct fore_program *p = d->p;
    for (uint32_t t = 1; t <= p->threads && fore_program_selects(p); t++) {
        struct fore_map seen = {0};
        for (uint32_t op = p->first[t + 1]; op-- > p->first[t];) {
            uint64_t place = fore_dl_select_place(p, op);
            bool fresh;
            if (!fore_insn_offers(p, op) || !(p->ops[op].flags & FORE_F_CASES))
                continue;
            fore_map_put(&seen, place, &fresh);
            if (!fresh && fore_insn_ended(p, op) && fore_dl_by_timer(d, op))
                fore_map_put(&d->returns, place, NULL);
        }
        fore_map_release(&seen);
    }
}
