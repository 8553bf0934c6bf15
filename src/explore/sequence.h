/* The messages of a path as arrows between lanes, for reports that draw. */
#ifndef FORE_EXPLORE_SEQUENCE_H
#define FORE_EXPLORE_SEQUENCE_H

#include "base/jsonw.h"
#include "explore/explorer.h"

/* Members "lanes" and "arrows" of an open object; nothing if the path is too long to look at.
 * The answer to operation `blamed` stands out. */
void fore_sequence_write(const struct fore_explorer *s, uint32_t blamed,
                         struct fore_jsonw *w);

#endif
