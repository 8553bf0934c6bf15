/* Computes what the two that shall meet need: the closure of what comes before them, as long as
 * it does not contain what must not have happened. */
#include "analysis/channel/reach_state.h"

bool fore_reach_buffered(const struct fore_reach *r)
{
    return r->x.rule == FORE_COMM_ALTERNATIVE && fore_chan_capacity(r->c->p, r->x.chan);
}

/* A send into a buffer is done as it was recorded, unless the thread did something else. */
bool fore_reach_puts(const struct fore_reach *r)
{
    return fore_reach_buffered(r) &&
           fore_comm_took(r->c->p, r->x.a, r->x.chan, FORE_CASE_SEND);
}

/* Is the first of the two an operation that is done as it was recorded? */
bool fore_reach_done_first(const struct fore_reach *r)
{
    return fore_reach_puts(r) || r->x.rule == FORE_COMM_SEND ||
           r->x.rule == FORE_COMM_RECEIVE;
}

/* Is everything that must not have happened as recorded still to come? */
static bool still_ahead(const struct fore_reach *r)
{
    if (fore_closure_has(&r->need, r->x.b))
        return false;
    if (fore_reach_puts(r))
        return !fore_closure_has(&r->need, r->c->p->ops[r->x.a].link);
    return fore_reach_done_first(r) || !fore_closure_has(&r->need, r->x.a);
}

bool fore_reach_close_over(struct fore_reach *r)
{
    while (fore_closure_grow(&r->need))
        if (!still_ahead(r))
            r->need.failed = true;
    return !r->need.failed && still_ahead(r);
}

bool fore_reach_is_put(const struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    return e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED) &&
           fore_chan_capacity(r->c->p, e->object);
}

bool fore_reach_is_early(const struct fore_reach *r, uint32_t op)
{
    return fore_closure_has(&r->need, r->c->p->ops[op].link);
}
