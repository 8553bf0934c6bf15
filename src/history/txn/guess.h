/* A guess of everything that a history leaves open (in which order others than the recorded
 * versions were written, and who wrote a value that several wrote), and the graph that
 * follows from it. If that has no forbidden cycle, the guess is a proof. */
#ifndef FORE_HISTORY_TXN_GUESS_H
#define FORE_HISTORY_TXN_GUESS_H

#include "base/budget.h"
#include "base/vec.h"
#include "history/txn/index.h"

enum fore_dep_kind {
    FORE_DEP_WW,   /* wrote an earlier version */
    FORE_DEP_WR,   /* was read by */
    FORE_DEP_RW,   /* read a version that the other replaced */
    FORE_DEP_TIME, /* ended before the other began */
    FORE_DEP_SELF, /* from its start to its commit: not shown */
};

/* `from` comes before `to`. FORE_NO_TXN: a moment between transactions. */
struct fore_dep {
    uint32_t from, to, key;
    enum fore_dep_kind kind;
    bool by_time; /* ww and rw: the order of the writes is that of real time */
};

struct fore_txn_guess {
    struct fore_txn_index *x; /* `others` of its versions are kept sorted by rank */
    uint64_t *rank;           /* by transaction: place << 32 | transaction */
    uint32_t *chosen;         /* by reading: the write, index + 1; 0: the initial value */
};

void fore_txn_guess_init(struct fore_txn_guess *g, struct fore_txn_index *x);
void fore_txn_guess_release(struct fore_txn_guess *g);
/* These transactions share their places in this order from now on. */
void fore_txn_guess_reorder(struct fore_txn_guess *g, const uint32_t *order, size_t n);

/* The graph of a level. Nodes are transactions, or for snapshot isolation the starts (2 t)
 * and commits (2 t + 1) of transactions, and then moments. */
struct fore_txn_graph {
    uint32_t nodes;
    FORE_VEC(uint64_t)
    edges; /* from << 32 | to; of parallel snapshot isolation without rw */
    FORE_VEC(uint64_t) closing; /* of parallel snapshot isolation: its rw edges */
    uint32_t *component;        /* by node: strongly connected; all edges together */
    uint32_t *size;             /* by component */
    uint32_t components;
};

/* If the budget ends first, the graph is good for nothing but its release. */
void fore_txn_graph_make(struct fore_txn_graph *graph, const struct fore_txn_guess *g,
                         enum fore_txn_level level, struct fore_budget *budget);
void fore_txn_graph_release(struct fore_txn_graph *graph);

#endif
