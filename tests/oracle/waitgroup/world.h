/* A tiny interpreter of wait groups, locks, channels, semaphores, barriers, once and conditions, written apart from src/machine and
 * src/causal: it makes random runs, and tries every cut of them. */
#ifndef FORE_TESTS_ORACLE_WAITGROUP_WORLD_H
#define FORE_TESTS_ORACLE_WAITGROUP_WORLD_H

#include "base/rng.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum {
    THREADS = 4,
    OPS = 8,
    PARTIES = 2,
    STEPS = THREADS * OPS,
    LOCKS = 2,
    QUEUE = STEPS
};

enum op_kind {
    OP_ADD,
    OP_DONE,
    OP_WAIT,
    OP_LOCK,
    OP_UNLOCK,
    OP_SEND,
    OP_RECV,
    OP_START,
    OP_ACQUIRE, /* of a semaphore */
    OP_RELEASE,
    OP_ARRIVE, /* at a barrier for two */
    OP_DEPART,
    OP_ONCE,
    OP_CWAIT, /* for a condition, with lock 0; OP_CWOKEN comes next */
    OP_CWOKEN,
    OP_BROADCAST,
};

struct op {
    enum op_kind kind;
    int object; /* of an addition: how much; of a start: the thread */
};

struct plan {
    int threads, count[THREADS], capacity, units;
    bool others;  /* semaphores, barriers, once and conditions are used, too */
    bool orderly; /* nobody counts down what was not counted up for it before */
    struct op ops[THREADS][OPS];
};

/* One step of the run: an operation, numbered thread * OPS + index; `other` is the receive of a
 * rendezvous, `from` the step that sent what it took, `round` that of the barrier; -1: none. `first`: it
 * was the one that ran what is done once. */
struct step {
    int op, other, from, round;
    bool first;
};

struct run {
    struct step steps[STEPS];
    int n;
    bool
        free; /* a wait may be through by others than those who counted down before it; sections and units
                  * may come in another order */
};

void plan_random(struct plan *p, struct fore_rng *r);
/* Runs it once in a random order and writes the run as a trace; an operation's line is its number
 * plus one. False if a thread is left waiting. */
bool plan_run(const struct plan *p, struct fore_rng *r, struct run *run,
              struct fore_strbuf *trace);
/* pairs[w][a]: some run that keeps the causes of this one has wait w and addition a next, and the
 * counter at zero. */
void run_pairs(const struct plan *p, const struct run *run, bool pairs[STEPS][STEPS]);

#endif
