/* Strongly connected components of a graph, in linear time and without recursion. */
#ifndef FORE_HISTORY_TXN_SCC_H
#define FORE_HISTORY_TXN_SCC_H

#include "base/budget.h"

#include <stdint.h>

/* Targets of node i are targets[at[i] .. at[i + 1]). Fills `component` by node, numbered so
 * that edges go from larger numbers to smaller or equal ones; returns how many there are. If
 * the budget ends, what is filled in means nothing. */
uint32_t fore_scc(const uint32_t *at, const uint32_t *targets, uint32_t n,
                  uint32_t *component, struct fore_budget *budget);

#endif
