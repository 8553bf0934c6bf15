/* The limits of a piece of work. Reaching one is a verdict (unknown), never an error. */
#ifndef FORE_BASE_BUDGET_H
#define FORE_BASE_BUDGET_H

#include "base/child.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Why there is nothing left. */
enum fore_spent {
    FORE_SPENT_NOTHING, /* there is */
    FORE_SPENT_TIME,
    FORE_SPENT_MEMORY,
    FORE_SPENT_INTERRUPTED,
    FORE_SPENT_RUNS, /* as many runs were done as were asked for; set by callers, never by a
                      * budget */
};

/* "time", "memory", "interrupted" or "runs"; NULL for FORE_SPENT_NOTHING. */
const char *fore_spent_text(enum fore_spent why);

struct fore_budget {
    uint64_t deadline_ns; /* by fore_now_ns; 0: none */
    uint64_t most_cpu_ns; /* as fore_cpu_ns counts it; 0: no limit */
    size_t max_bytes;     /* resident memory of the process; 0: no limit */
    const volatile sig_atomic_t *interrupted; /* NULL: cannot be */
    uint64_t polls;
    /* supervises users' code that the work calls; NULL: it calls none */
    struct fore_beat *beat;
    enum fore_spent spent;
};

/* Cheap enough for inner loops; looks at the clock every 256th call. */
enum fore_spent fore_budget_spent(struct fore_budget *b);
/* The same for outer loops with long rounds: looks at the clock at every call, and does not
 * check memory. */
enum fore_spent fore_budget_spent_now(struct fore_budget *b);
/* Processor time that this process has taken, all its threads. */
uint64_t fore_cpu_ns(void);
/* The same, with all its children that have ended. */
uint64_t fore_cpu_all_ns(void);
/* Memory that this process has in use, in bytes. */
size_t fore_budget_resident(void);

#endif
