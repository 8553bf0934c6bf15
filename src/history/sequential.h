/* Sequential consistency: an order that every object allows and that keeps each process'
 * own order; real time between processes does not count. Objects cannot be judged one by
 * one here, so the history is one part. */
#ifndef FORE_HISTORY_SEQUENTIAL_H
#define FORE_HISTORY_SEQUENTIAL_H

#include "history/lin.h"

/* Fills `r` with one part: its verdict, and the witness if orders are kept. */
void fore_lin_sequential(struct fore_history *h, const struct fore_lin_options *o,
                         fore_val init, struct fore_lin_result *r);

#endif
