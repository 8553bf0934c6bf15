/* The order of a controlled run. What rings record has an order only where one thing depends on another;
 * a run that was controlled had one step at a time, and its outcome knows which came when. */
#ifndef FORE_EXPLORE_ORDER_H
#define FORE_EXPLORE_ORDER_H

#include "explore/program/rerun.h"
#include "trace/trace.h"

/* Puts the events into the order in which they were done. */
void fore_order_exactly(struct fore_trace *t, const struct fore_rerun *p);

#endif
