#include "causal/order.h"

static enum fore_flow keep_moment(void *ctx, const struct fore_moment *m)
{
    struct fore_order *o = ctx;
    struct fore_stamp *s = &o->stamps.at[m->at];
    *s = m->stamp;
    fore_clock_keep(&o->clocks, s->past);
    return FORE_CONTINUE;
}

/* Groups the events by thread, by counting. */
static void group_events(struct fore_order *o, const struct fore_trace *t)
{
    fore_vec_ensure(&o->first, t->tables.threads.n + 1);
    fore_vec_ensure(&o->events, t->events.n);
    for (size_t i = 0; i < t->events.n; i++)
        o->first.at[t->events.at[i].thread + 1]++;
    for (size_t i = 1; i < o->first.n; i++)
        o->first.at[i] += o->first.at[i - 1];
    for (size_t i = 0; i < t->events.n; i++) {
        uint32_t thread = t->events.at[i].thread;
        o->events.at[o->first.at[thread] + o->stamps.at[i].time - 1] = (uint32_t)i;
    }
}

enum fore_status fore_order_build(struct fore_order *o, const struct fore_trace *t,
                                  unsigned mask, struct fore_err *e)
{
    *o = (struct fore_order){0};
    if (t->events.n > UINT32_MAX / 2)
        return fore_fail(e, FORE_LIMIT,
                         "%s: %zu events are too many to keep the order of", t->name,
                         t->events.n);
    fore_clocks_init(&o->clocks);
    fore_vec_ensure(&o->stamps, t->events.n);
    struct fore_pass *p = fore_pass_new(
        &o->clocks,
        &(struct fore_pass_options){.mask = mask, .visit = keep_moment, .ctx = o});
    enum fore_status s = fore_trace_replay(t, fore_pass_sink(p), e);
    fore_pass_free(p);
    if (s == FORE_OK)
        group_events(o, t);
    else
        fore_order_release(o);
    return s;
}

void fore_order_release(struct fore_order *o)
{
    fore_clocks_release(&o->clocks);
    fore_vec_release(&o->stamps);
    fore_vec_release(&o->events);
    fore_vec_release(&o->first);
}

uint32_t fore_order_past(const struct fore_order *o, uint32_t e, uint32_t thread)
{
    return fore_stamp_get(&o->clocks, o->stamps.at[e], thread);
}
