/* Satisfiability of LTL with past, for small formulas. */
#ifndef FORE_SPEC_TABLEAU_H
#define FORE_SPEC_TABLEAU_H

#include "spec/ltl.h"

enum { FORE_TABLEAU_BITS = 11 }; /* questions; above, nothing is decided */

/* Is there an infinite word whose first position satisfies f, a function of l's questions?
 * `*decided` is false if there are too many of them. */
bool fore_ltl_satisfiable(const struct fore_ltl *l, uint32_t f, bool *decided);

#endif
