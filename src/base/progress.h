/* Progress of long work: one line, rewritten ten times a second on a terminal; a plain line
 * every few seconds when asked for; nothing otherwise. Written to standard error. */
#ifndef FORE_BASE_PROGRESS_H
#define FORE_BASE_PROGRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum fore_progress_mode { FORE_PROGRESS_NONE, FORE_PROGRESS_PLAIN, FORE_PROGRESS_LIVE };

struct fore_progress {
    enum fore_progress_mode mode;
    const char *what;     /* "reading", "exploring" */
    uint64_t done, total; /* total 0: unknown */
    uint64_t found;       /* findings so far */
    uint64_t calls, started_ns, shown_ns;
    bool line_open;
};

void fore_progress_start(struct fore_progress *p, enum fore_progress_mode mode,
                         const char *what);
/* Cheap enough for inner loops: looks at the clock every 1,024th call only.
 * An estimate of what remains is marked with `~`. */
void fore_progress_step(struct fore_progress *p, uint64_t done, uint64_t total);
void fore_progress_finish(struct fore_progress *p); /* removes the line */
uint64_t fore_now_ns(void);                         /* monotonic */

#endif
