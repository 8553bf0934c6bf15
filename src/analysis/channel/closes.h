/* Finds, by clocks, what could come after a close. */
#ifndef FORE_ANALYSIS_CHANNEL_CLOSES_H
#define FORE_ANALYSIS_CHANNEL_CLOSES_H

#include "analysis/channel/groups.h"

/* Adds every pair of a close with a send, or another close, that the order allows to come after it. */
void fore_comm_sends_after_close(const struct fore_comm *c, struct fore_groups *out);
/* Adds pairs of a close with a receive: notes, so both are among the steps that notes are about. */
void fore_comm_receives_after_close(const struct fore_comm *c, struct fore_groups *out);

#endif
