/* Checks the [properties] of a harness on the graph of states: whether what must come about
 * does, on every run in which no message waits for ever. */
#ifndef FORE_EXPLORE_LIVENESS_H
#define FORE_EXPLORE_LIVENESS_H

#include "explore/explorer.h"

/* Checks every property from the explorer's start; violations go to s->lassos. True if all states
 * were looked at. */
bool fore_liveness_check(struct fore_explorer *s);

#endif
