/* What would do better than what was asked for. */
#ifndef FORE_EXPLORE_HINT_H
#define FORE_EXPLORE_HINT_H

#include "explore/explorer.h"

/* A sentence, or NULL: there is nothing to say. */
const char *fore_hint_for(const struct fore_explorer *s);

#endif
