/* Explains in few operations and in words why a part of a history is not linearizable, or the
 * whole not sequentially consistent. */
#ifndef FORE_HISTORY_EXPLAIN_H
#define FORE_HISTORY_EXPLAIN_H

#include "history/lin.h"

/* An order that is possible up to its end. */
struct fore_stuck_order {
    const uint32_t *ops; /* indices of the explanation's ops */
    size_t n;
    const char *state;         /* the object's state at its end */
    const char *const *states; /* and after each of its operations; NULL: not known */
};

/* Why an operation cannot come next after an order. */
struct fore_objection {
    uint32_t op, order;
    const char *text;
};

enum fore_forced_by { FORE_BY_REAL_TIME, FORE_BY_PROCESS, FORE_BY_VALUE };
struct fore_forced_order {
    uint32_t before, after; /* indices of the explanation's ops */
    enum fore_forced_by by;
};

struct fore_explained_op {
    uint32_t op;      /* of the history */
    const char *text; /* "read=2"; "c3 acquire" if others read alike */
    size_t who;       /* how much of the text names the process: 3 */
    bool pending;     /* its answer does not come within the failing prefix */
};

struct fore_lin_explanation {
    /* the operations that matter, by invocation */
    FORE_VEC(struct fore_explained_op) ops;
    size_t total;   /* operations of the part */
    size_t earlier; /* how many of these led to the initial states below */
    size_t idle;    /* operations that never returned, are not shown, and cannot help */
    FORE_VEC(const char *) inits; /* the object is in one of these states at first */
    uint32_t stuck;               /* of ops: whose answer ends the failing prefix */
    FORE_VEC(struct fore_stuck_order) orders; /* the longest ones, a few */
    /* For each of ops an order that has it, as long as can be; empty if there is none. */
    FORE_VEC(struct fore_stuck_order) partial;
    FORE_VEC(struct fore_objection) objections;
    FORE_VEC(struct fore_forced_order) forced;
    /* A history that is wrong by itself: all of these operations, without the answers at `cut`
     * and later, from `init`. */
    FORE_VEC(uint32_t) witness;
    uint32_t cut;
    fore_val init;
    bool has_init; /* it can be written down */
};

/* Explains a part that fails; texts live in `a`. `effort` bounds configurations (which must be
 * given) and time: less effort leaves more operations, and never a wrong explanation. Of many
 * operations, no orders are shown. */
void fore_lin_explain(struct fore_history *h, const struct fore_lin_part *part,
                      const struct fore_limits *effort, struct fore_arena *a,
                      struct fore_lin_explanation *x);
/* The same for a history that is not sequentially consistent. */
void fore_sequential_explain(struct fore_history *h, const struct fore_lin_part *part,
                             const struct fore_limits *effort, struct fore_arena *a,
                             struct fore_lin_explanation *x);
void fore_lin_explanation_release(struct fore_lin_explanation *x);

#endif
