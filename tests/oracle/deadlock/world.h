/* A tiny interpreter of locks, channels, wait groups, conditions, semaphores, barriers and once, written apart from
 * src/machine: it makes random runs, and explores every order of what a run did. */
#ifndef FORE_TESTS_ORACLE_DEADLOCK_WORLD_H
#define FORE_TESTS_ORACLE_DEADLOCK_WORLD_H

#include "base/rng.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum { THREADS = 4, OPS = 10, LOCKS = 3, CHANS = 2, QUEUE = 4 };

enum op_kind {
    OP_LOCK,
    OP_UNLOCK,
    OP_RLOCK,
    OP_RUNLOCK,
    OP_SEND,
    OP_RECV,
    OP_DONE,   /* wait group */
    OP_WAIT,   /* wait group */
    OP_SLEEP,  /* condition: gives the lock back and waits */
    OP_WOKEN,  /* condition: retakes it */
    OP_SIGNAL, /* condition */
    OP_ACQUIRE,
    OP_RELEASE,
    OP_ARRIVE, /* at a barrier for two */
    OP_DEPART, /* when the other one of its round has come */
    OP_CALL, /* of a function that is run once; later ones go on after OP_RETURN, and wait for the first one */
    OP_RETURN,
    OP_CLOSE, /* by the only sender, after its sends */
};

struct op {
    enum op_kind kind;
    int object;
};

/* What the threads do, and what came of it in the observed run. */
struct plan {
    int threads, count[THREADS];
    struct op ops[THREADS][OPS];
    int capacity[CHANS];
    int members;       /* of the wait group */
    int units;         /* of the semaphore, at first */
    bool meets, calls; /* at the barrier; what is run once */
    int got
        [THREADS]
        [OPS]; /* a receive's message: sender * OPS + index, -1 if none, FOUND_CLOSED; whether a call ran the function */
    int ended[THREADS]; /* operations that were completed */
    bool left_running;  /* the run ended within the function that is run once */
};

enum { FOUND_CLOSED = -2 };
enum { ONCE_NEW, ONCE_RUNNING, ONCE_RAN };

struct world {
    signed char at[THREADS];
    signed char owner[LOCKS]; /* 1 + thread */
    signed char readers[LOCKS];
    signed char queue[CHANS][QUEUE], queued[CHANS];
    signed char members;
    signed char asleep[THREADS];                   /* 1 waits, 2 woken */
    signed char units, arrivals, arrival[THREADS]; /* the thread's last one, from 0 */
    signed char once, closed[CHANS];
};

void plan_random(struct plan *p, struct fore_rng *r);
/* Messages between some threads, as in a pool of workers, and locks that are held for nothing else. */
void plan_flow(struct plan *p, struct fore_rng *r);
/* Runs it once in a random order and writes the run as a trace. */
void plan_run(struct plan *p, struct fore_rng *r, struct fore_strbuf *trace);
/* Is there another order of what the run did, every result the same, that ends with a thread
 * blocked that was not, and nobody able to do anything? */
bool plan_can_block(const struct plan *p);

#endif
