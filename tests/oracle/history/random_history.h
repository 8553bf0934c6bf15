/* Random small histories for the oracles: an object is really run, operations take effect
 * somewhere between invocation and response, and now and then an answer is falsified. */
#ifndef FORE_TESTS_ORACLE_RANDOM_HISTORY_H
#define FORE_TESTS_ORACLE_RANDOM_HISTORY_H

#include "base/rng.h"
#include "history/search.h"

struct random_shape {
    size_t ops;         /* at most */
    unsigned processes; /* at most 16 */
    unsigned values;    /* arguments are drawn from 0 .. values - 1 */
    unsigned pending;   /* per cent of operations that never return */
    unsigned wrong;     /* per cent of answers that are falsified */
    bool distinct;      /* what is put is put once: 1, 2, 3 … */
    unsigned only;      /* draw from the first `only` operations of the model; 0: all */
};

struct random_history {
    struct fore_vals values;
    struct fore_part part;
    FORE_VEC(struct fore_op) ops;
};

void random_history(struct random_history *h, const struct fore_model *m,
                    const struct random_shape *shape, struct fore_rng *rng);
void random_history_release(struct random_history *h);
void random_history_print(const struct random_history *h);

/* Tries every order. */
bool brute_force(const struct fore_part *p);

#endif
