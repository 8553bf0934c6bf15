/* Shared by the parts of reach.c.
 *
 *   need.c     what the meeting needs, closed under causes
 *   reach.c    playing it, and the search
 *   repair.c   what is missing when it gets stuck */
#ifndef FORE_ANALYSIS_CHANNEL_REACH_STATE_H
#define FORE_ANALYSIS_CHANNEL_REACH_STATE_H

#include "analysis/channel/reach.h"

/* False if one of the two operations would have to have happened as recorded. */
bool fore_reach_close_over(struct fore_reach *r);

/* Do the two meet through a buffer? Through a buffer, with the send done as recorded? Is the
 * first of the two done as recorded, whatever the rule? */
bool fore_reach_buffered(const struct fore_reach *r);
bool fore_reach_puts(const struct fore_reach *r);
bool fore_reach_done_first(const struct fore_reach *r);

/* Is the operation a send into a buffer? One whose receive is needed, too? One that must wait for others, although the
 * machine would let it go on? */
bool fore_reach_is_put(const struct fore_reach *r, uint32_t op);
bool fore_reach_is_early(const struct fore_reach *r, uint32_t op);
bool fore_reach_deferred(const struct fore_reach *r, uint32_t op);

/* After a run that got stuck: asks for what would let it go on, if there is anything. */
void fore_reach_repair(struct fore_reach *r);
/* After a run that came to its end without a meeting: a message is in the way. */
void fore_reach_clear_way(struct fore_reach *r);

#endif
