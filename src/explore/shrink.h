/* Finds the shortest schedule that shows a bug. */
#ifndef FORE_EXPLORE_SHRINK_H
#define FORE_EXPLORE_SHRINK_H

#include "explore/explorer.h"

/* Replaces the schedule in s->bugs[bug] by the shortest one that shows the same with no other
 * faults, as far as `limit` states allow; otherwise it is only cut after the step that shows
 * the bug. True if it is the shortest. The world of `s` must be at the start and is left there,
 * with budgets for the faults of that schedule only. */
bool fore_explorer_shrink(struct fore_explorer *s, enum fore_bug bug, size_t limit);

#endif
