/* Random small traces that some program could have left: every event was possible when it
 * happened. The posts of a communication and the departures from a barrier come apart, in any
 * order, as captures record them. */
#ifndef FORE_TESTS_ORACLE_RANDOM_TRACE_H
#define FORE_TESTS_ORACLE_RANDOM_TRACE_H

#include "base/rng.h"
#include "trace/trace.h"

enum random_feature {
    RANDOM_FORK = 1 << 0,
    RANDOM_JOIN = 1 << 1,
    RANDOM_CHANNEL = 1 << 2,
    RANDOM_BUFFER = 1 << 3,
    RANDOM_CLOSE = 1 << 4,
    RANDOM_LOCK = 1 << 5,
    RANDOM_RWLOCK = 1 << 6,
    RANDOM_COND = 1 << 7,
    RANDOM_SEM = 1 << 8,
    RANDOM_BARRIER = 1 << 9,
    RANDOM_ONCE = 1 << 10,
    RANDOM_WG = 1 << 11,
    RANDOM_TIMER = 1 << 12,
    RANDOM_MEMORY = 1 << 13,
    RANDOM_ATOMIC = 1 << 14,
    RANDOM_MESSAGE = 1 << 15,
    RANDOM_ALL = (1 << 16) - 1,
    /* Every arrival at a barrier is recorded, and no channel is closed while the two sides of a communication
     * on it are apart: what the machine needs. */
    RANDOM_WHOLE = 1 << 16,
};

enum { RANDOM_THREADS = 6, RANDOM_OBJECTS = 3 };

struct random_trace {
    struct fore_trace trace;
    FORE_VEC(uint32_t) group; /* per event: which round of which barrier, 0: none */
};

void random_trace_make(struct random_trace *r, uint64_t seed, unsigned features,
                       size_t events);
void random_trace_release(struct random_trace *r);

#endif
