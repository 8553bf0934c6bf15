/* Wakeup trees: for each state on a path, the beginnings of executions that must still be
 * explored from it, so ordered that no two of them lead to the same class. */
#ifndef FORE_EXPLORE_WAKEUP_H
#define FORE_EXPLORE_WAKEUP_H

#include "actor/actors.h"
#include "explore/explorer.h"

#include <stdatomic.h>

/* A step as other steps see it. */
struct fore_recv {
    uint64_t id;   /* of the message */
    int64_t actor; /* whose state it touches; 0: the message is lost */
    int64_t cut;   /* the actor that a partition isolates, or 0 */
    enum fore_how how;
    int32_t op;       /* invoked, or -1 */
    uint64_t answers; /* operations answered, as bits */
    uint64_t goes_on; /* operations after which the client invokes another, as bits */
    uint64_t link; /* the link that it takes a message from, if that keeps order, or 0 */
};

/* Step number `step` (from 1) of the path. */
struct fore_recv fore_recv_of(const struct fore_actors *w, uint32_t step);
/* `msg` received in the way `how`; what it would answer is left open. */
struct fore_recv fore_recv_else(const struct fore_actors *w, uint32_t msg,
                                enum fore_how how);

static inline bool fore_recv_is(const struct fore_recv *a, const struct fore_recv *b)
{
    return a->id == b->id && a->how == b->how;
}

/* Whether two faults draw on one budget, so that one may rule out the other. Isolating the
 * same actor again is free. */
static inline bool fore_faults_compete(const struct fore_recv *a,
                                       const struct fore_recv *b)
{
    if (a->how == FORE_DELIVER || b->how == FORE_DELIVER)
        return false;
    return a->cut && b->cut ? a->cut != b->cut : a->how == b->how;
}

/* Dependent are: receives of one actor; the ways in which one message can meet its receiver;
 * faults that compete; what takes messages from one link that keeps order; answers to one
 * operation, if the first of them lets its client go on; and, for the sake of the history, a step that answers an operation with
 * one that invokes or answers it. That a message is lost does not touch its receiver. */
static inline bool fore_recvs_dependent(const struct fore_recv *a,
                                        const struct fore_recv *b, enum fore_dependence d)
{
    if ((a->actor == b->actor && a->actor) || a->id == b->id ||
        fore_faults_compete(a, b) || (a->link && a->link == b->link) ||
        (a->answers & b->answers & a->goes_on))
        return true;
    return d == FORE_DEPEND_HISTORY &&
           ((a->answers && b->op >= 0) || (a->op >= 0 && b->answers) ||
            (a->answers & b->answers));
}

/* Children are in the order in which they are explored; started ones come first. While workers
 * share a node, children are only added, under a lock; what is atomic may be read without. */
struct fore_wakeup {
    struct fore_recv move; /* not changed once others see the node */
    bool started;
    atomic_bool
        leaf; /* nothing was below when it was started: its exploration finds all */
    struct fore_wakeup *parent, *last;
    struct fore_wakeup *_Atomic child, *_Atomic next;
};

/* Nodes that a worker may use again, linked by `next`. */
struct fore_wakeup_pool {
    struct fore_wakeup *spare;
};

void fore_wakeup_pool_release(struct fore_wakeup_pool *pool);
struct fore_wakeup *fore_wakeup_append(struct fore_wakeup_pool *pool,
                                       struct fore_wakeup *to, const struct fore_recv *m);
void fore_wakeup_start(struct fore_wakeup *n);
/* Removes what is below. */
void fore_wakeup_clear(struct fore_wakeup_pool *pool, struct fore_wakeup *n);
struct fore_wakeup *fore_wakeup_waiting(const struct fore_wakeup *n); /* first, or NULL */

/* Whether some execution that contains the sequence v can begin with m. */
bool fore_wakeup_may_begin(const struct fore_recv *m, const struct fore_recv *v, size_t n,
                           enum fore_dependence d);
/* Whether what is below `at` covers the sequence; v is used up. Needs no lock. */
bool fore_wakeup_covers(const struct fore_wakeup *at, const struct fore_wakeup *current,
                        struct fore_recv *v, size_t n, enum fore_dependence d);
/* Adds the sequence below `at`, where `current` is being explored (what is before it sleeps),
 * unless what is there covers it; v is used up. Returns the node that got a new child, or
 * NULL. */
struct fore_wakeup *fore_wakeup_insert(struct fore_wakeup_pool *pool,
                                       struct fore_wakeup *at,
                                       const struct fore_wakeup *current,
                                       struct fore_recv *v, size_t n,
                                       enum fore_dependence d);

#endif
