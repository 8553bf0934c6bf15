/* A tiny interpreter of threads, locks, channels, wait groups, conditions, semaphores, barriers and once, written apart
 * from src/machine: it makes random runs, and explores every order of what a run did. */
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
    OP_CLOSE,
    OP_SELECT, /* a receive from whichever channel has something */
    OP_ADD,    /* wait group */
    OP_CREATE, /* of the thread `object` */
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
    int members;        /* of the wait group */
    int units;          /* of the semaphore, at first */
    bool meets, calls;  /* at the barrier; what is run once */
    bool late[THREADS]; /* the thread is created by an OP_CREATE */
    /* A receive's message: sender * OPS + index, -1 if none, FOUND_CLOSED less the channel if that was closed, for sends and
     * closes, too; whether a call ran the function. */
    int got[THREADS][OPS];
    int ended[THREADS]; /* operations that were completed */
    int order
        [THREADS * OPS]
        [2]; /* of the run, if it is not random: the thread, and its choice (see choices_of) */
    int ordered;
    bool left_running; /* the run ended within the function that is run once */
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
    signed char once, closed[CHANS], created[THREADS];
};

/* The state before the first step. */
struct world world_of(const struct plan *p);
/* What the thread's next operation can be done with, none if it has to wait: the receivers of an unbuffered send, the
 * channels of a select, -1 for anything else. Returns how many. */
int choices_of(const struct plan *p, const struct world *w, int t, int out[THREADS]);
/* One step, with one of these. What a receive got goes to `*got`, and whether a call was the first one. */
void world_step(const struct plan *p, struct world *w, int t, int choice, int *got);

void plan_random(struct plan *p, struct fore_rng *r);
/* Messages between some threads, as in a pool of workers, and locks that are held for nothing else. */
void plan_flow(struct plan *p, struct fore_rng *r);
/* Anything that a few kinds of operations allow, one after the other, each of which can be done at once: a run in which
 * nobody waits for ever. */
void plan_walk(struct plan *p, struct fore_rng *r);
/* Runs it once, in its order or in a random one, and writes the run as a trace. */
void plan_run(struct plan *p, struct fore_rng *r, struct fore_strbuf *trace);
/* Is there another order of what the run did, every result the same, that ends with a thread
 * blocked that was not, and nobody able to do anything? */
bool plan_can_block(const struct plan *p);

#endif
