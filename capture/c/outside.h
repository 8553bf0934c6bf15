/* Calls that tell the time, let it pass, or wait for something that nobody in the program can bring
 * about: one row each. Only calls of instrumented code are led here; they do what they always did
 * unless the program is controlled. WAITS: the thread gives its turn up meanwhile. */
#ifndef FORE_C_OUTSIDE_H
#define FORE_C_OUTSIDE_H

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

#define FORE_C_OUTSIDE(OWN, WAITS)                                                       \
    OWN(unsigned, sleep, (unsigned s), (s))                                              \
    OWN(int, gettimeofday, (struct timeval * t, void *zone), (t, zone))                  \
    OWN(time_t, time, (time_t * t), (t))                                                 \
    OWN(int, timespec_get, (struct timespec * t, int base), (t, base))                   \
    OWN(int, thrd_sleep, (const struct timespec *t, struct timespec *rest), (t, rest))   \
    OWN(int, poll, (struct pollfd * files, nfds_t n, int ms), (files, n, ms))            \
    OWN(int, epoll_wait, (int fd, struct epoll_event *to, int n, int ms),                \
        (fd, to, n, ms))                                                                 \
    OWN(int, accept, (int fd, struct sockaddr *from, socklen_t *n), (fd, from, n))       \
    OWN(int, accept4, (int fd, struct sockaddr *from, socklen_t *n, int flags),          \
        (fd, from, n, flags))                                                            \
    WAITS(                                                                               \
        int, ppoll,                                                                      \
        (struct pollfd * files, nfds_t n, const struct timespec *t, const sigset_t *m),  \
        (files, n, t, m))                                                                \
    WAITS(int, select, (int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t),      \
          (n, r, w, x, t))                                                               \
    WAITS(int, pselect,                                                                  \
          (int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *t,             \
           const sigset_t *m),                                                           \
          (n, r, w, x, t, m))                                                            \
    WAITS(int, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))   \
    WAITS(pid_t, wait, (int *status), (status))                                          \
    WAITS(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options)) \
    WAITS(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *u),         \
          (pid, status, options, u))                                                     \
    WAITS(int, waitid, (idtype_t type, id_t id, siginfo_t * info, int options),          \
          (type, id, info, options))                                                     \
    WAITS(int, sigwait, (const sigset_t *set, int *signal), (set, signal))               \
    WAITS(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))         \
    WAITS(int, sigtimedwait,                                                             \
          (const sigset_t *set, siginfo_t *info, const struct timespec *t),              \
          (set, info, t))                                                                \
    WAITS(int, sigsuspend, (const sigset_t *set), (set))                                 \
    WAITS(int, pause, (void), ())                                                        \
    WAITS(int, system, (const char *command), (command))                                 \
    WAITS(int, pclose, (FILE * file), (file))                                            \
    WAITS(int, flock, (int fd, int operation), (fd, operation))

#define FORE_C_DECLARE(result, name, params, args) result foresee_rt_##name params;
FORE_C_OUTSIDE(FORE_C_DECLARE, FORE_C_DECLARE)
#undef FORE_C_DECLARE

#endif
