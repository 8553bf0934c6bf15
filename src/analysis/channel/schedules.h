/* Alternative schedules (definition 12 of [goscout]): the distinct sequences of communications
 * that replay the whole trace. A rendezvous is one step; so are a send into a buffer, a receive
 * from one, default, timeout, and a receive from a closed channel. Close is none. */
#ifndef FORE_ANALYSIS_CHANNEL_SCHEDULES_H
#define FORE_ANALYSIS_CHANNEL_SCHEDULES_H

#include "analysis/channel/comm.h"
#include "base/big.h"

struct fore_schedules {
    struct fore_big count;
    bool exact; /* otherwise `count` is a lower bound */
};

void fore_schedules_count(const struct fore_comm *c, size_t most_states,
                          struct fore_schedules *out);

/* Calls `each` with the first `most` schedules, as operations (a rendezvous as its send), in a
 * stable order. Returns how many there were. */
size_t fore_schedules_list(const struct fore_comm *c, size_t most,
                           void (*each)(void *ctx, const uint32_t *ops, size_t n),
                           void *ctx);

#endif
