/* Calls that tell the time or let it pass, and that are no synchronisation (those are in calls.h): one
 * row each. Only calls of instrumented code are led to the runtime; they do what they always did
 * unless the program is controlled. */
#ifndef FORE_C_TIMES_H
#define FORE_C_TIMES_H

#include <sys/time.h>
#include <threads.h>
#include <time.h>

#define FORE_C_TIMED(X)                                                                  \
    X(unsigned, sleep, (unsigned s), (s))                                                \
    X(int, gettimeofday, (struct timeval * t, void *zone), (t, zone))                    \
    X(time_t, time, (time_t * t), (t))                                                   \
    X(int, timespec_get, (struct timespec * t, int base), (t, base))                     \
    X(int, thrd_sleep, (const struct timespec *t, struct timespec *rest), (t, rest))

#define FORE_C_DECLARE(result, name, params, args) result foresee_rt_##name params;
FORE_C_TIMED(FORE_C_DECLARE)
#undef FORE_C_DECLARE

#endif
