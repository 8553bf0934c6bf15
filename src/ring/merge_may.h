/* When an operation of a ring file may come out: after what its tickets, its channel and its
 * thread need. */
#ifndef FORE_TRACE_MERGE_MAY_H
#define FORE_TRACE_MERGE_MAY_H

#include "ring/merge.h"

/* What a thread may wait for. Counters step by one, so each value is met. */
enum fore_until {
    FORE_UNTIL_CREATED,
    FORE_UNTIL_ENDED,
    FORE_UNTIL_TICKET,
    FORE_UNTIL_SENDS,
    FORE_UNTIL_RECVS,
    FORE_UNTIL_CLOSED,
    FORE_UNTIL_HELD,
};

enum fore_merge_life { FORE_LIFE_SIGNALLED = 1, FORE_LIFE_ENDED = 2 };

/* Why a thread cannot go on, and how far away that is. */
struct fore_obstacle {
    enum fore_until what;
    uint32_t of;
    uint64_t until;
    uint64_t gap;
};

bool fore_merge_may(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                    struct fore_obstacle *o);
/* A send or a receive, by itself or of a select that took it. */
bool fore_merge_is_channel(const struct fore_fsr_op *op);
/* Is the operation not done yet? The exit of the program counts as such: it comes after whatever else
 * the program did. */
bool fore_merge_waits(const struct fore_fsr_op *op);

/* Keeps count of who holds locks. */
void fore_merge_note_holders(struct fore_merge *m, const struct fore_fsr_op *op);
/* An attempt at a lock that failed has no ticket. It may come where the lock is free, because
 * a ticket is taken before the lock is given up; there it could not have failed, and it orders
 * nothing: it is left out. */
bool fore_merge_misplaced(struct fore_merge *m, const struct fore_fsr_op *op);

#endif
