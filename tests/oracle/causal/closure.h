/* The happens-before order of a small trace straight from the definitions: every edge by a
 * look at every pair, then the transitive closure. */
#ifndef FORE_TESTS_ORACLE_CLOSURE_H
#define FORE_TESTS_ORACLE_CLOSURE_H

#include "causal/pass.h"
#include "random_trace.h"

struct closure {
    size_t n;
    bool *reach; /* reach[i * n + j]: i is before j or happens with it */
};

void closure_make(struct closure *c, const struct random_trace *r, unsigned mask);
void closure_release(struct closure *c);

#endif
