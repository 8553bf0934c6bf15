/* What analyses see in a run of a program that is explored. */
#ifndef FORE_CLI_EXPLORE_LOOK_H
#define FORE_CLI_EXPLORE_LOOK_H

#include "explore/program/search.h"

/* `look` and `draw` of struct fore_search; `ctx` is the struct fore_cli. */
void fore_explore_look(void *ctx, const struct fore_rerun *p, struct fore_findings *found,
                       struct fore_wishes *more);
void fore_explore_draw(void *ctx, const struct fore_rerun *p, struct fore_finding *x,
                       struct fore_findings *f);

#endif
