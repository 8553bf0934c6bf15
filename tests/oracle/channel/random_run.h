/* Random programs of threads and channels, run by a random scheduler: the trace of such a run.
 * Unbuffered and buffered channels, select, default, timeout, close, threads that are created
 * as it goes, locks, semaphores, barriers, once, wait groups and conditions. The scheduler knows Go's semantics and nothing of foresee. */
#ifndef FORE_TESTS_ORACLE_RANDOM_RUN_H
#define FORE_TESTS_ORACLE_RANDOM_RUN_H

#include "base/rng.h"
#include "trace/trace.h"

enum run_feature {
    RUN_BUFFER = 1 << 0,
    RUN_SELECT = 1 << 1,
    RUN_DEFAULT = 1 << 2,
    RUN_CLOSE = 1 << 3,
    RUN_LOCK = 1 << 4,
    RUN_SYNC =
        1 << 5, /* semaphore, barrier, once, wait group; with RUN_LOCK a condition */
};

/* `steps` bounds the operations. The caller releases the trace. */
void random_run(struct fore_trace *t, uint64_t seed, unsigned features, unsigned steps);

#endif
