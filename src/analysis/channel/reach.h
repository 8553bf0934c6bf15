/* A run of the recorded operations in which two of them meet, found and checked on the machine.
 *
 * Every thread takes what it recorded until it comes to one of the two; nothing is taken that
 * they do not need. docs/theory/channels.md tells what may be missed: runs in which critical
 * sections of one lock, or other waits, come in another order than the observed one. */
#ifndef FORE_ANALYSIS_CHANNEL_REACH_H
#define FORE_ANALYSIS_CHANNEL_REACH_H

#include "analysis/channel/comm.h"

struct fore_reach {
    const struct fore_comm *c;
    struct fore_machine m; /* in its last state after a search that succeeded */
    struct fore_moves run; /* the steps of that run; the last ones are the meeting */
    uint32_t *need;        /* thread -> end of the operations that it must do */
    uint32_t *closed_over; /* thread -> how far their needs were followed */
    uint32_t *early;       /* channel -> sends whose receives are needed, not put yet */
    uint32_t *users;       /* channel -> operations that must come before its close */
    uint32_t *seen;        /* object -> how far its earlier operations were followed */
    uint32_t *by_object;   /* operations that others wait for, grouped by object */
    uint32_t *object_first;
    FORE_VEC(uint32_t) work;    /* threads whose needs grew */
    FORE_VEC(uint32_t) touched; /* threads with needs */
    FORE_VEC(uint32_t) todo;    /* operations, in the order of the replay */
    FORE_VEC(uint32_t) used;    /* channels with counts */
    struct fore_comm_pair x;
    bool put; /* the send of a buffered alternative is in the buffer */
    bool failed;
    uint64_t effort; /* steps that were taken, over all searches: for budgets */
};

void fore_reach_init(struct fore_reach *r, const struct fore_comm *c);
void fore_reach_release(struct fore_reach *r);
/* False if there is no such run, or none was found. */
bool fore_reach_find(struct fore_reach *r, struct fore_comm_pair x);

#endif
