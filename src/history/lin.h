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
};

/* A part of the history, and what became of it. */
struct fore_lin_part {
    uint32_t object;     /* of the history */
    const uint32_t *ops; /* indices of the history's operations, by invocation */
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
    size_t failing; /* no: the first part that fails; the later ones may be undecided */
    uint64_t configs;
    uint32_t *ops_by_part;
};

enum fore_status fore_lin_check(struct fore_history *h, const struct fore_lin_options *o,
                                struct fore_lin_result *r,
                                struct fore_err *e) FORE_MUST_USE;
void fore_lin_result_release(struct fore_lin_result *r);

/* The operations `ops` of a history with a value table of their own: one thread may work on
 * it while others work on other parts. */
struct fore_world {
    struct fore_vals values;
    struct fore_part part; /* without its values */
    struct fore_op *ops;
};
void fore_world_init(struct fore_world *w, const struct fore_history *h,
                     const uint32_t *ops, size_t n, fore_val init);
/* The same, but answers at `cut` or later have not come yet. */
void fore_world_init_cut(struct fore_world *w, const struct fore_history *h,
                         const uint32_t *ops, size_t n, fore_val init, uint32_t cut);
struct fore_part fore_world_part(struct fore_world *w); /* good as long as `w` stays */
void fore_world_release(struct fore_world *w);
/* The initial state as a value of the history; NULL: as model and dialect have it. */
enum fore_status fore_lin_start(struct fore_history *h, const char *text, fore_val *init,
                                struct fore_err *e) FORE_MUST_USE;

/* Decides one part: a special algorithm if one fits, else the general search. */
void fore_decide(const struct fore_part *p, struct fore_limits *l, bool general_only,
                 struct fore_outcome *out);

#endif
