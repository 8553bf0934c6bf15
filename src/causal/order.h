/* The happens-before order of a whole trace, for questions about any two of its events. */
#ifndef FORE_CAUSAL_ORDER_H
#define FORE_CAUSAL_ORDER_H

#include "causal/pass.h"
#include "trace/trace.h"

/* An event is named by its position in the trace. */
struct fore_order {
    struct fore_clocks clocks;
    FORE_VEC(struct fore_stamp) stamps; /* of each event; stamp.time == its index */
    FORE_VEC(uint32_t) events;          /* positions, grouped by thread */
    FORE_VEC(uint32_t) first; /* thread -> its first in `events`; one more at the end */
};

enum fore_status fore_order_build(struct fore_order *o, const struct fore_trace *t,
                                  unsigned mask, struct fore_err *e) FORE_MUST_USE;
void fore_order_release(struct fore_order *o);

static inline uint32_t fore_order_threads(const struct fore_order *o)
{
    return o->first.n < 2 ? 0 : (uint32_t)o->first.n - 2;
}

/* The position of a thread's index-th event, from 1. */
static inline uint32_t fore_order_event(const struct fore_order *o, uint32_t thread,
                                        uint32_t index)
{
    return o->events.at[o->first.at[thread] + index - 1];
}

/* How many events of `thread`, from its first, happened before (or with) e. */
uint32_t fore_order_past(const struct fore_order *o, uint32_t e, uint32_t thread);

#endif
