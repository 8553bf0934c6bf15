/* Makes the schedule of a failure as short as it can: the fewest switches between threads with
 * which the program still fails in the same way. */
#ifndef FORE_EXPLORE_SHORTEN_H
#define FORE_EXPLORE_SHORTEN_H

#include "explore/program/search.h"

enum fore_status fore_shorten(struct fore_rerun *p, struct fore_search_failure *f,
                              const struct fore_search *s,
                              struct fore_err *e) FORE_MUST_USE;

#endif
