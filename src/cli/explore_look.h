/* What the analyses find in a run of an explored program. */
#ifndef FORE_CLI_EXPLORE_LOOK_H
#define FORE_CLI_EXPLORE_LOOK_H

#include "explore/program/search.h"

/* `look` and `draw` of struct fore_search; `ctx` is the struct fore_cli. */
void fore_explore_look(void *ctx, const struct fore_rerun *p, struct fore_findings *found,
                       struct fore_wishes *more);
void fore_explore_draw(void *ctx, const struct fore_rerun *p, struct fore_finding *x,
                       struct fore_findings *f);

/* Is a race that the analyses are certain of also one of this run? Go's outcome reports a race
 * only if both goroutines stand at their accesses at once, and a goroutine does not stand at an
 * access to memory that was only its own so far. */
bool fore_explore_is_race_of_run(const struct fore_rerun *p,
                                 const struct fore_finding *x);

#endif
