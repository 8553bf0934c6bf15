/* Why a run violates a property: the part of the formula that became false, and where. */
#ifndef FORE_SPEC_EXPLAIN_H
#define FORE_SPEC_EXPLAIN_H

#include "spec/spec.h"

struct fore_blame {
    const struct fore_node *node; /* NULL: no part of it, the whole property */
    size_t position;              /* the state at which it is false, from 0 */
};

/* `letters` are those of the states of a run that violates the property at its last one. */
struct fore_blame fore_explain(const struct fore_spec *s, const struct fore_property *p,
                               const uint32_t *letters, size_t n);

#endif
