/* Calls that tell the time, let it pass or wait for files until some time, and that are no
 * synchronisation (those are in calls.h): one row each. Only calls of instrumented code are led to the runtime; they do what they always did
 * unless the program is controlled. */
#ifndef FORE_C_TIMES_H
#define FORE_C_TIMES_H

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>

#define FORE_C_TIMED(X)                                                                  \
    X(unsigned, sleep, (unsigned s), (s))                                                \
    X(int, gettimeofday, (struct timeval * t, void *zone), (t, zone))                    \
    X(time_t, time, (time_t * t), (t))                                                   \
    X(int, timespec_get, (struct timespec * t, int base), (t, base))                     \
    X(int, thrd_sleep, (const struct timespec *t, struct timespec *rest), (t, rest))     \
    X(int, poll, (struct pollfd * files, nfds_t n, int ms), (files, n, ms))              \
    X(int, ppoll,                                                                        \
      (struct pollfd * files, nfds_t n, const struct timespec *t, const sigset_t *mask), \
      (files, n, t, mask))                                                               \
    X(int, select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t),   \
      (n, in, out, other, t))                                                            \
    X(int, pselect,                                                                      \
      (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t,          \
       const sigset_t *mask),                                                            \
      (n, in, out, other, t, mask))                                                      \
    X(int, epoll_wait, (int fd, struct epoll_event *events, int most, int ms),           \
      (fd, events, most, ms))                                                            \
    X(int, epoll_pwait,                                                                  \
      (int fd, struct epoll_event *events, int most, int ms, const sigset_t *mask),      \
      (fd, events, most, ms, mask))                                                      \
    X(int, timerfd_create, (int clock, int flags), (clock, flags))                       \
    X(int, timerfd_settime,                                                              \
      (int fd, int flags, const struct itimerspec *to, struct itimerspec *before),       \
      (fd, flags, to, before))                                                           \
    X(int, timerfd_gettime, (int fd, struct itimerspec *left), (fd, left))

#define FORE_C_DECLARE(result, name, params, args) result foresee_rt_##name params;
FORE_C_TIMED(FORE_C_DECLARE)
#undef FORE_C_DECLARE

#endif
