/* A run of the recorded operations in which two of them meet, found and checked on the machine.
 *
 * Every thread does what it recorded until it comes to one of the two operations; operations
 * that these do not need are not done. docs/theory/channels.md tells what may be missed: runs in
 * which critical sections of one lock, or other waits, come in another order than the observed
 * one. */
#ifndef FORE_ANALYSIS_CHANNEL_REACH_H
#define FORE_ANALYSIS_CHANNEL_REACH_H

#include "analysis/channel/comm.h"
#include "machine/closure.h"

struct fore_reach {
    const struct fore_comm *c;
    struct fore_budget *budget; /* of the searches; at first that of `c` */
    struct fore_machine m;      /* in its last state after a search that succeeded */
    struct fore_moves run;      /* the steps of that run; the last ones are the meeting */
    struct fore_closure need;   /* what the meeting needs */
    uint32_t *early; /* channel -> sends whose receives are needed, not put yet */
    uint32_t *users; /* channel -> operations that must come before its close */
    FORE_VEC(uint32_t) waiting; /* the operation at which each thread waits for a round */
    FORE_VEC(uint64_t) heads; /* those still to come in this one, a heap by the replay */
    FORE_VEC(uint32_t) used;  /* channels with counts */
    struct fore_comm_pair x;
    bool put;        /* the send of a buffered alternative is in the buffer */
    bool gave_up;    /* of some pair, after many repairs */
    uint64_t effort; /* steps taken, over all searches: for budgets */
};

void fore_reach_init(struct fore_reach *r, const struct fore_comm *c);
void fore_reach_release(struct fore_reach *r);
/* False if there is no such run, or if none was found. */
bool fore_reach_find(struct fore_reach *r, struct fore_comm_pair x);

#endif
