/* The order of a controlled run. Rings record an order only where one operation depends on
 * another; but a controlled run has one step at a time, and its outcome has them in order. */
#ifndef FORE_EXPLORE_ORDER_H
#define FORE_EXPLORE_ORDER_H

#include "explore/program/rerun.h"
#include "trace/trace.h"

/* Puts the events into the order in which they were done. */
void fore_order_exactly(struct fore_trace *t, const struct fore_rerun *p);

#endif
