/* A search that was stopped, as text, so that another process can go on with it: counts,
 * histories met, and what the scheduler has still to explore. */
#ifndef FORE_EXPLORE_FRONTIER_H
#define FORE_EXPLORE_FRONTIER_H

#include "base/strbuf.h"
#include "explore/explorer.h"

/* Writes the part that all schedulers share. A scheduler that can resume appends its own lines. */
void fore_frontier_write(const struct fore_explorer *s, struct fore_strbuf *out);
/* Restores that part. `s` must be fresh, of the same system, harness and scheduler. */
enum fore_status fore_frontier_read(struct fore_explorer *s, const char *file,
                                    const char *text, struct fore_err *e) FORE_MUST_USE;

/* Identifies what a frontier is good for: the start and everything else that decides what a
 * schedule may do. */
uint64_t fore_frontier_mark(const struct fore_explorer *s);

/* Gives the next of the scheduler's lines: the text after a line's first word `word` and a
 * blank, searching from `*at`, which moves behind it. NULL if there is no more. */
const char *fore_frontier_line(const char **at, const char *word);

#endif
