/* Suggests what would do better than the scheduler that was asked for. */
#ifndef FORE_EXPLORE_HINT_H
#define FORE_EXPLORE_HINT_H

#include "explore/explorer.h"

/* Returns a sentence, or NULL: there is nothing to suggest. */
const char *fore_hint_for(const struct fore_explorer *s);

#endif
