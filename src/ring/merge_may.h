/* Decides when an operation of a ring file may come out: after everything that its tickets, its
 * channel and its thread need. */
#ifndef FORE_TRACE_MERGE_MAY_H
#define FORE_TRACE_MERGE_MAY_H

#include "ring/merge.h"

enum fore_merge_life { FORE_LIFE_SIGNALLED = 1, FORE_LIFE_ENDED = 2 };

bool fore_merge_may(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                    struct fore_obstacle *o);
/* Is it a send or a receive, by itself or of a select that took it? */
bool fore_merge_is_channel(const struct fore_fsr_op *op);
/* Is the operation not done yet? The exit of the program counts as not done: it comes after
 * everything else. */
bool fore_merge_waits(const struct fore_fsr_op *op);

/* Counts which threads hold locks. */
void fore_merge_note_holders(struct fore_merge *m, const struct fore_fsr_op *op);
/* Is it a failed attempt at a lock, in a place where the lock is free? A failed attempt has no
 * ticket, and a ticket is taken before the lock is given up, so it may come there; it could not
 * have failed there and orders nothing, and is left out. */
bool fore_merge_misplaced(struct fore_merge *m, const struct fore_fsr_op *op);

#endif
