/* Boolean functions in their one reduced, ordered form: equal functions have equal ids.
 */
#ifndef FORE_SPEC_BDD_H
#define FORE_SPEC_BDD_H

#include "base/map.h"
#include "base/vec.h"

enum { FORE_BDD_FALSE = 0, FORE_BDD_TRUE = 1 };

struct fore_bdd_node {
    uint32_t var, low, high;
};

struct fore_bdd {
    FORE_VEC(struct fore_bdd_node) nodes; /* 0 and 1 are the constants */
    struct fore_map by_hash, ites;
    FORE_VEC(uint32_t) ite_args; /* four words for each remembered if-then-else */
};

void fore_bdd_init(struct fore_bdd *b);
void fore_bdd_release(struct fore_bdd *b);
uint32_t fore_bdd_var(struct fore_bdd *b, uint32_t var);
uint32_t fore_bdd_ite(struct fore_bdd *b, uint32_t f, uint32_t g, uint32_t h);

static inline uint32_t fore_bdd_not(struct fore_bdd *b, uint32_t f)
{
    return fore_bdd_ite(b, f, FORE_BDD_FALSE, FORE_BDD_TRUE);
}

static inline uint32_t fore_bdd_and(struct fore_bdd *b, uint32_t f, uint32_t g)
{
    return fore_bdd_ite(b, f, g, FORE_BDD_FALSE);
}

static inline uint32_t fore_bdd_or(struct fore_bdd *b, uint32_t f, uint32_t g)
{
    return fore_bdd_ite(b, f, FORE_BDD_TRUE, g);
}

static inline uint32_t fore_bdd_iff(struct fore_bdd *b, uint32_t f, uint32_t g)
{
    return fore_bdd_ite(b, f, g, fore_bdd_not(b, g));
}

#endif
