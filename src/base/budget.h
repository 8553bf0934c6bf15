/* What a piece of work may use. Exhaustion is a verdict (unknown), never an error. */
#ifndef FORE_BASE_BUDGET_H
#define FORE_BASE_BUDGET_H

#include "base/child.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct fore_budget {
    uint64_t deadline_ns; /* by fore_now_ns; 0: none */
    uint64_t most_cpu_ns; /* by fore_cpu_ns; 0: as much as there is */
    size_t max_bytes;     /* resident memory of the process; 0: none */
    const volatile sig_atomic_t *interrupted; /* NULL: cannot be */
    uint64_t polls;
    struct fore_beat *beat; /* other people's code is watched; NULL: by nobody */
    const char *spent;      /* why, once it is */
};

/* NULL while there is something left, else "time", "memory" or "interrupted". Cheap enough for
 * inner loops; looks at the clock every 256th call. */
const char *fore_budget_spent(struct fore_budget *b);
/* The same for outer loops, whose rounds take long: looks at the clock at every call, and leaves
 * memory to others. */
const char *fore_budget_spent_now(struct fore_budget *b);
/* Processor time that this process has taken, all its threads. */
uint64_t fore_cpu_ns(void);
/* And all its children that have ended. */
uint64_t fore_cpu_all_ns(void);
/* Memory that this process has in use, in bytes. */
size_t fore_budget_resident(void);

#endif
