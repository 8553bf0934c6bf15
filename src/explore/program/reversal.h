/* Finds what else a controlled run allows: each pair of steps of two threads that depend on each
 * other, with nothing between them that forces their order, could come in the other order.
 * Reversing every pair of every run that results leads to every class of runs ([odpor], without
 * its wakeup trees: a beginning that was tried is known by its hash).
 *
 * Steps depend on each other if they touch the same bytes, one of them to write; the same lock,
 * condition, semaphore, barrier or file, unless both only read; creation and begin, end and
 * join. A class is the runs that order dependent steps alike; its hash does not depend on the
 * order of others. */
#ifndef FORE_EXPLORE_REVERSAL_H
#define FORE_EXPLORE_REVERSAL_H

#include "base/vec.h"
#include "explore/program/rerun.h"

enum {
    /* runs with more threads, or longer ones, are not analysed */
    FORE_REVERSAL_THREADS = 64,
    FORE_REVERSAL_STEPS = 20000,
};

/* A beginning of a run that was not tried, with the two steps that it reverses. */
struct fore_beginning {
    uint64_t hash; /* of its class */
    uint64_t pair; /* hash of the places of the two steps */
    uint32_t preemptions;
    bool
        dull; /* it is a send and a receive, of which mostly one waits for the other, whichever
               * comes first */
    char *schedule; /* the steps, without first line and `then`; the owner frees it */
};

struct fore_beginnings {
    FORE_VEC(struct fore_beginning) v;
};

/* The class of the whole run. */
uint64_t fore_reversal_class(const struct fore_rerun *p);
/* Gives all reversals of the run that just ended; `whole` is false if the run was too long for
 * that, so that there are only some, or none if it was longer still or had too many threads. */
void fore_reversals(const struct fore_rerun *p, struct fore_beginnings *out, bool *whole);
void fore_beginnings_release(struct fore_beginnings *b);
/* Writes the run itself as a schedule: which thread goes how far. Returns how often it switches. */
uint32_t fore_reversal_schedule(const struct fore_rerun *p, uint64_t steps,
                                struct fore_strbuf *out);

#endif
