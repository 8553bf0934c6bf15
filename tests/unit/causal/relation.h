/* How two events stand to each other in an order. */
#ifndef TESTS_RELATION_H
#define TESTS_RELATION_H

#include "causal/order.h"

enum relation {
    FORE_BEFORE,
    FORE_AFTER,
    FORE_CONCURRENT,
    FORE_TOGETHER, /* the same event, or the halves of one unbuffered communication */
};

/* Did the event of `a` happen before, or with, that of `b`? */
static inline bool stamp_known(const struct fore_clocks *p, struct fore_stamp a,
                               struct fore_stamp b)
{
    return a.time <= fore_stamp_get(p, b, a.thread);
}

static inline enum relation compare_events(const struct fore_order *o, uint32_t a,
                                           uint32_t b)
{
    bool ab = stamp_known(&o->clocks, o->stamps.at[a], o->stamps.at[b]);
    bool ba = stamp_known(&o->clocks, o->stamps.at[b], o->stamps.at[a]);
    if (ab)
        return ba ? FORE_TOGETHER : FORE_BEFORE;
    return ba ? FORE_AFTER : FORE_CONCURRENT;
}

#endif
