/* Interprets the programs of the verdict oracle: every order of their steps. It shares nothing with
 * src/machine, which it is there to judge. */
#ifndef FORE_TESTS_ORACLE_VERDICT_WORLD_H
#define FORE_TESTS_ORACLE_VERDICT_WORLD_H

#include "oracle/verdict/program.h"

#include "base/vec.h"

enum { BUFFER = 2, PIPE = 6, MOVES = 64 };

/* Bytes only, so that equal states are equal bytes. */
struct state {
    uint8_t pc[THREADS], reg[THREADS][REGS];
    uint8_t started[THREADS];
    uint8_t announced[THREADS]; /* it waits for a lock that lets writers go first */
    uint8_t asleep[THREADS];    /* 1: waits for a condition; 2: was signalled */
    uint8_t owner[LOCKS], readers[LOCKS];
    uint8_t tokens[SEMS], once[ONCES];
    int8_t count[GROUPS];
    uint8_t closed[CHANS]; /* 1 + the operation that closed it */
    uint8_t fill[CHANS], buffer[CHANS][BUFFER];
    uint8_t var[VARS], atomic[ATOMICS];
    uint8_t in_pipe[THINGS], pipe[THINGS][PIPE];
    uint8_t armed[TIMERS];
    uint8_t exited, dead; /* the process was ended; it crashed */
};

enum fault { FAULT_NONE, FAULT_SEND, FAULT_CLOSE, FAULT_NEGATIVE };

/* A step: of a thread, of two that meet on a channel, or of all that meet at a barrier. */
struct move {
    uint8_t thread;
    uint8_t which;   /* case of a select; thread that a signal wakes (THREADS: nobody);
                       * threads of a barrier, as bits */
    uint8_t partner; /* who receives; THREADS: nobody */
    uint8_t partners_case;
    uint8_t fault;
    bool announce;
};

unsigned world_moves(const struct program *p, const struct state *s, struct move *out);
/* Takes the step, and what the threads then do by themselves. */
void world_apply(const struct program *p, struct state *s, struct move m);
/* The same, and tells the branches that each thread came through. */
struct branches {
    uint8_t n[THREADS], at[THREADS][CODE];
};
void world_step(const struct program *p, struct state *s, struct move m,
                struct branches *told);
void world_start(const struct program *p, struct state *s);
/* Does the thread's operation wait in this state? A select that may time out does not. */
bool world_waits(const struct program *p, const struct state *s, unsigned thread);
static inline bool world_ended(const struct program *p, const struct state *s, unsigned t)
{
    return s->started[t] && p->code[t][s->pc[t]].op == OP_END;
}

/* Threads that wait, each at its operation. */
struct waits {
    bool in[THREADS];
    uint8_t pc[THREADS];
};

struct node {
    struct state s;
    uint32_t edges, count;
};

/* Every state that can be reached. */
struct graph {
    const struct program *p;
    FORE_VEC(struct node) nodes;
    FORE_VEC(uint32_t) edges;
    FORE_VEC(uint32_t) order; /* of the nodes: what a node leads to comes before it */
    uint32_t *slots;          /* a hash table of the nodes, + 1 */
    size_t most, size;
    bool cut;              /* there are more */
    bool sends[OPS][OPS];  /* a send finds closed what this close closed */
    bool closes[OPS][OPS]; /* a close, the close before it */
    bool early[OPS][OPS];  /* a wait for a group at zero, and what counts it up */
    bool races[OPS][OPS];
    bool meets[OPS][OPS];    /* a send, its receive */
    bool together[OPS][OPS]; /* two threads are at these at once */
    bool racy;
};

void graph_init(struct graph *g);
void graph_release(struct graph *g);
/* False if there are more states than `most`. */
bool graph_build(struct graph *g, const struct program *p, size_t most);
/* Is there a state in which these threads wait there, and from which none of them ever goes on? */
bool graph_stuck(const struct graph *g, const struct waits *w);
/* Is there a state in which these threads are there at once? Two of them at most. */
bool graph_meets(const struct graph *g, const struct waits *w);
size_t graph_finals(const struct graph *g);

/* What a run recorded of each thread: the operation after each, CODE for none. */
struct paths {
    uint8_t first[THREADS], next[THREADS][CODE];
};

/* Ends of runs in which somebody waits for ever, and every thread did a beginning of what it
 * recorded: whoever waits, but none for what is outside. */
struct deadlocks {
    FORE_VEC(struct waits) list;
};

void find_deadlocks(const struct program *p, const struct paths *paths,
                    struct deadlocks *out);

#endif
