/* Alternatives by replay: every state that some replay of the trace reaches, and what else
 * could happen in it (definition 13 of [goscout]). Exact, exponential: for small traces. */
#ifndef FORE_ANALYSIS_CHANNEL_EXPLORE_H
#define FORE_ANALYSIS_CHANNEL_EXPLORE_H

#include "analysis/channel/comm.h"

/* Pushes each pair once, in a stable order. False if `most_states` were not enough. */
bool fore_comm_explore(const struct fore_comm *c, size_t most_states,
                       struct fore_comm_sink *out);

#endif
