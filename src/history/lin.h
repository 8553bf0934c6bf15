/* Checks a whole history: splits it into independent parts, decides each with the fastest
 * algorithm that fits, in parallel. */
#ifndef FORE_HISTORY_LIN_H
#define FORE_HISTORY_LIN_H

#include "history/history.h"
#include "history/search.h"

enum fore_criterion { FORE_LINEARIZABLE, FORE_SEQUENTIAL };

struct fore_lin_options {
    enum fore_criterion criterion;
    const char *init;          /* NULL: the model's own */
    struct fore_limits limits; /* for the whole check */
    unsigned jobs;             /* 0: one */
    bool general_only;         /* never use the special algorithms */
    bool keep_orders;          /* keep the witness of every part */
    uint32_t share, shares;    /* only every shares-th part, from this one on; 0: all */
};

/* A part of the history, and its result. */
struct fore_lin_part {
    uint32_t object;     /* of the history */
    const uint32_t *ops; /* indices of the history's operations, by invocation; NULL if a
                          * history that is linearizable did not have to be split */
    size_t n;
    fore_val init; /* its initial state, a value of the history */
    enum fore_lin verdict;
    bool special;      /* decided by a special algorithm */
    const char *bound; /* unknown: why */
    uint64_t configs;
    uint32_t *order; /* yes, if kept: indices of the history's operations */
    size_t n_order;
    uint32_t *core; /* no: operations that suffice for the verdict, or all */
    size_t n_core;
};

struct fore_lin_result {
    enum fore_lin verdict;
    const char *bound;
    FORE_VEC(struct fore_lin_part) parts;
    size_t
        failing; /* if the answer is no: the part that failed first; others may be undecided */
    size_t turn; /* in which turn; of several shares, the smallest turn counts */
    uint64_t configs;
    uint32_t *ops_by_part;
};

enum fore_status fore_lin_check(struct fore_history *h, const struct fore_lin_options *o,
                                struct fore_lin_result *r,
                                struct fore_err *e) FORE_MUST_USE;
void fore_lin_result_release(struct fore_lin_result *r);

/* Some operations of a history, ready to be decided; keeps its memory from one set of them to
 * the next. Start with all zero; `shared` set: values are those of the history, which then grow,
 * so no other thread may use them meanwhile. */
struct fore_world {
    struct fore_vals *shared, own;
    struct fore_part part;
    FORE_VEC(struct fore_op) ops;
    FORE_VEC(uint64_t) rets;
    struct fore_searcher *searcher;
};
/* Answers at `cut` or later count as not come yet. */
void fore_world_set(struct fore_world *w, const struct fore_history *h,
                    const uint32_t *ops, size_t n, fore_val init, uint32_t cut);
/* Decides it by a special algorithm if one fits, otherwise by the general search. */
void fore_world_decide(struct fore_world *w, struct fore_limits *l, bool general_only,
                       struct fore_search_outcome *out);
void fore_world_release(struct fore_world *w);

#endif
