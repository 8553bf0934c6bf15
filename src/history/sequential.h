/* Sequential consistency: an order that every object allows and that keeps each process'
 * own order; real time between processes does not count. Objects cannot be judged one by
 * one here, so the history is one part. */
#ifndef FORE_HISTORY_SEQUENTIAL_H
#define FORE_HISTORY_SEQUENTIAL_H

#include "history/lin.h"

struct fore_seq_outcome {
    enum fore_lin verdict;
    FORE_VEC(uint32_t)
    order; /* yes: the witness; otherwise a longest order that was possible */
    FORE_VEC(uint32_t) other; /* no: one as long that leads to other states, or empty */
    size_t longest;           /* answered operations in each */
    uint64_t configs;
    const char *bound; /* unknown: which limit ended the search */
};

/* Some operations of a history, by invocation; every object starts with `init`. */
void fore_sequential(struct fore_history *h, const uint32_t *ops, size_t n, fore_val init,
                     struct fore_limits *limits, struct fore_seq_outcome *out);
void fore_seq_outcome_release(struct fore_seq_outcome *o);

/* Fills `r` with one part: its verdict, and the witness if orders are kept. */
void fore_lin_sequential(struct fore_history *h, const struct fore_lin_options *o,
                         fore_val init, struct fore_lin_result *r);

#endif
