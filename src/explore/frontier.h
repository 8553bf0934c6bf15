/* A search that was stopped, as text, so that another process can go on with it: counts,
 * histories met, and what the scheduler has still to explore. */
#ifndef FORE_EXPLORE_FRONTIER_H
#define FORE_EXPLORE_FRONTIER_H

#include "base/strbuf.h"
#include "explore/explorer.h"

/* The part that all schedulers share. A scheduler that can resume appends its own lines. */
void fore_frontier_write(const struct fore_explorer *s, struct fore_strbuf *out);
/* Restores that part. `s` must be fresh, of the same system, harness and scheduler. */
enum fore_status fore_frontier_read(struct fore_explorer *s, const char *file,
                                    const char *text, struct fore_err *e) FORE_MUST_USE;

/* What a frontier is good for: the start and whatever else decides what a schedule may do. */
uint64_t fore_frontier_mark(const struct fore_explorer *s);

/* The scheduler's lines: the text behind a line that begins with `word` and a blank, from
 * `*at` on; `*at` moves behind it. NULL if there is no more. */
const char *fore_frontier_line(const char **at, const char *word);

#endif
