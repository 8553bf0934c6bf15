/* Alternatives by clocks: the default model. */
#ifndef FORE_ANALYSIS_CHANNEL_CLOCKS_H
#define FORE_ANALYSIS_CHANNEL_CLOCKS_H

#include "analysis/channel/groups.h"

/* Adds every pair that the order allows. Exact for unbuffered channels in programs without
 * locks; otherwise no pair that has a run is missing, but some may have none (see reach.h).
 * Returns how many channels were left out, for too many threads on both of their sides. */
uint64_t fore_comm_clocks(const struct fore_comm *c, struct fore_groups *out);

#endif
