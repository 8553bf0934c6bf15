/* The general algorithm: is there an order of these operations that the object allows and
 * that respects real time? Exact for every model; exponential in the worst case, hence
 * the budget. */
#ifndef FORE_HISTORY_SEARCH_H
#define FORE_HISTORY_SEARCH_H

#include "base/budget.h"
#include "history/model.h"

#include <stdatomic.h>

enum fore_lin { FORE_LIN_YES, FORE_LIN_NO, FORE_LIN_UNKNOWN };

struct fore_limits {
    struct fore_budget budget;
    uint64_t max_configs; /* 0: no limit */
    size_t max_bytes;     /* that one search may hold, about; 0: 512 MiB */
    /* One of several searches, of which the one with the smallest index that fails counts:
     * gives up when `failing` falls below `index`. NULL: there are no others. */
    const atomic_size_t *failing;
    size_t index;
};

/* Operations of one object, sorted by invocation; positions are distinct. */
struct fore_part {
    const struct fore_model *model;
    struct fore_vals *values;
    fore_val init;
    const struct fore_op *ops;
    size_t n;
};

struct fore_search_outcome {
    enum fore_lin verdict;
    FORE_VEC(uint32_t) order; /* yes: the witness, as indices of part->ops */
    FORE_VEC(uint32_t) core;  /* no: operations that suffice for it; empty: all of them */
    uint32_t stuck;           /* no: the operation whose answer no order reaches, or n */
    uint64_t configs;         /* configurations visited */
    bool special;             /* decided without the general search */
    const char *bound;        /* unknown: which limit ended the search */
};

void fore_outcome_release(struct fore_search_outcome *o);
void fore_search(const struct fore_part *part, struct fore_limits *limits,
                 struct fore_search_outcome *out);

/* The same for many searches one after the other: keeps its memory between them. */
struct fore_searcher *fore_searcher_new(void);
void fore_searcher_run(struct fore_searcher *m, const struct fore_part *part,
                       struct fore_limits *limits, struct fore_search_outcome *out);
void fore_searcher_free(struct fore_searcher *m);

/* Every state in which the object can be when all answered operations have taken effect,
 * each once. False if a limit was hit. */
struct fore_states {
    FORE_VEC(fore_val) v;
};
bool fore_search_states(const struct fore_part *part, struct fore_limits *limits,
                        struct fore_states *out);

#endif
