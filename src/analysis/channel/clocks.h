/* Finds alternatives by clocks: the default model. */
#ifndef FORE_ANALYSIS_CHANNEL_CLOCKS_H
#define FORE_ANALYSIS_CHANNEL_CLOCKS_H

#include "analysis/channel/groups.h"

/* Adds every pair that the order allows. Exact for unbuffered channels in programs without
 * locks; otherwise no pair that has a run is missing, but some may have none (see reach.h).
 * Returns the number of channels of which only the beginning was looked at, because they have
 * too many operations and too many threads on the other side: their lanes are cut off. */
uint64_t fore_comm_clocks(struct fore_comm *c, struct fore_groups *out);

#endif
