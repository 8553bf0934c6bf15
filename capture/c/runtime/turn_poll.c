/* Calls that wait for several files at once, and timers that are files. A wait is a point: it goes on
 * when a file is ready or its time has come, which is the schedule's time; then the call is done
 * without waiting. A handler of signals that comes meanwhile ends the wait, as it does natively. */
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"
#include "capture/c/times.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECOND 1000000000u
enum { MILLISECOND = 1000000 };

static bool is_controlled(void)
{
    return fore_turn_self() && !fore_turn.schedule.real_clock;
}

static uint64_t after_ns(const struct timespec *t)
{
    if (!t)
        return FORE_TURN_NEVER;
    uint64_t seconds = (uint64_t)t->tv_sec, most = UINT64_MAX / SECOND / 2;
    return fore_turn.clock + (seconds < most ? seconds : most) * SECOND +
           (uint64_t)t->tv_nsec;
}

/* A signal that is held back while the thread waits, and that its mask would let in. */
void fore_turn_look_for_signal(struct fore_turn_thread *t)
{
    sigset_t pending;
    if (!t->lets_in || sigpending(&pending))
        return;
    for (int s = 1; s < NSIG && !t->interrupted; s++)
        t->interrupted = sigismember(&pending, s) == 1 && !sigismember(t->lets_in, s);
}

/* Several files: is one of them ready; can only the program make one so? */
struct several {
    bool (*ready)(const void *what);
    bool (*own)(const void *what);
};

/* True if a signal ended it. While it waits signals are held back, so that none is handled between two
 * looks and missed; they are handled here, with the mask of the call if it has one. */
static bool wait_for_any(struct several several, const void *what, int first,
                         uint64_t deadline, const sigset_t *mask)
{
    struct fore_turn_thread *t = fore_turn_self();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->lets_in = mask ? mask : &before;
    fore_turn_look_for_signal(t);
    fore_turn_point((struct fore_turn_op){.kind = FORE_OP_input,
                                          .address = (const void *)(intptr_t)(first + 1),
                                          .other = what,
                                          .ready = several.ready,
                                          .own = several.own,
                                          .deadline = deadline,
                                          .site = fore_rt_site()});
    bool interrupted = t->interrupted && !several.ready(what);
    t->interrupted = false;
    t->lets_in = NULL;
    if (mask)
        pthread_sigmask(SIG_SETMASK, mask, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (interrupted)
        errno = EINTR;
    return interrupted;
}

/* ---- poll ---- */

struct polled {
    const struct pollfd *files;
    nfds_t n;
};

static bool is_any_ready(const void *what)
{
    const struct polled *p = what;
    struct pollfd one;
    for (nfds_t i = 0; i < p->n; i++) {
        one = p->files[i];
        if (one.fd >= 0 && syscall(SYS_poll, &one, 1, 0) != 0)
            return true;
    }
    return false;
}

static bool are_all_own(const void *what)
{
    const struct polled *p = what;
    nfds_t i = 0;
    while (i < p->n && (p->files[i].fd < 0 || fore_turn_is_own_file(p->files[i].fd)))
        i++;
    return i == p->n;
}

static int poll_until(struct pollfd *files, nfds_t n, uint64_t deadline,
                      const sigset_t *mask)
{
    struct polled what = {files, n};
    return wait_for_any((struct several){is_any_ready, are_all_own}, &what,
                        n ? files[0].fd : -1, deadline, mask)
               ? -1
               : poll(files, n, 0);
}

static int outside(int status)
{
    fore_turn_back();
    return status;
}
#define OUTSIDE(call) (fore_turn_leave(), outside(call))

int foresee_rt_poll(struct pollfd *files, nfds_t n, int ms)
{
    uint64_t deadline =
        ms < 0 ? FORE_TURN_NEVER : fore_turn.clock + (uint64_t)ms * MILLISECOND;
    return is_controlled() ? poll_until(files, n, deadline, NULL)
                           : OUTSIDE(poll(files, n, ms));
}

int foresee_rt_ppoll(struct pollfd *files, nfds_t n, const struct timespec *t,
                     const sigset_t *mask)
{
    return is_controlled() ? poll_until(files, n, after_ns(t), mask)
                           : OUTSIDE(ppoll(files, n, t, mask));
}

/* ---- select ---- */

struct selected {
    int n;
    const fd_set *in, *out, *other;
};

static int select_now(int n, fd_set *in, fd_set *out, fd_set *other)
{
    struct timeval none = {0};
    return select(n, in, out, other, &none);
}

static bool is_selected(const void *what)
{
    const struct selected *s = what;
    fd_set in, out, other;
    if (s->in)
        in = *s->in;
    if (s->out)
        out = *s->out;
    if (s->other)
        other = *s->other;
    return select_now(s->n, s->in ? &in : NULL, s->out ? &out : NULL,
                      s->other ? &other : NULL) != 0;
}

static bool are_selected_own(const void *what)
{
    const struct selected *s = what;
    for (int fd = 0; fd < s->n; fd++)
        if (((s->in && FD_ISSET(fd, s->in)) || (s->out && FD_ISSET(fd, s->out)) ||
             (s->other && FD_ISSET(fd, s->other))) &&
            !fore_turn_is_own_file(fd))
            return false;
    return true;
}

static int select_until(int n, fd_set *in, fd_set *out, fd_set *other, uint64_t deadline,
                        const sigset_t *mask)
{
    struct selected what = {n, in, out, other};
    int first = 0;
    while (first < n && !(in && FD_ISSET(first, in)) && !(out && FD_ISSET(first, out)))
        first++;
    return wait_for_any((struct several){is_selected, are_selected_own}, &what, first,
                        deadline, mask)
               ? -1
               : select_now(n, in, out, other);
}

int foresee_rt_select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t)
{
    struct timespec wait = {t ? t->tv_sec : 0, t ? t->tv_usec * 1000L : 0};
    if (!is_controlled())
        return OUTSIDE(select(n, in, out, other, t));
    uint64_t deadline = after_ns(t ? &wait : NULL);
    int got = select_until(n, in, out, other, deadline, NULL);
    uint64_t left = deadline > fore_turn.clock ? deadline - fore_turn.clock : 0;
    if (t)
        *t = (struct timeval){(time_t)(left / SECOND),
                              (suseconds_t)(left % SECOND / 1000)};
    return got;
}

int foresee_rt_pselect(int n, fd_set *in, fd_set *out, fd_set *other,
                       const struct timespec *t, const sigset_t *mask)
{
    return is_controlled() ? select_until(n, in, out, other, after_ns(t), mask)
                           : OUTSIDE(pselect(n, in, out, other, t, mask));
}

/* ---- epoll ---- */

static bool is_epoll_ready(const void *what)
{
    struct pollfd one = {*(const int *)what, POLLIN, 0};
    return syscall(SYS_poll, &one, 1, 0) != 0;
}

/* The system lists what is in the set: "tfd:        5 events: ..." */
static bool is_epoll_own(const void *what)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", *(const int *)what);
    int list = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = list >= 0 ? syscall(SYS_read, list, text, sizeof text - 1) : -1;
    if (list >= 0)
        syscall(SYS_close, list);
    if (n <= 0 || n == sizeof text - 1)
        return false;
    text[n] = 0;
    for (const char *at = text; (at = strstr(at, "tfd:")); at += 4)
        if (!fore_turn_is_own_file(atoi(at + 4)))
            return false;
    return true;
}

int foresee_rt_epoll_pwait(int fd, struct epoll_event *events, int most, int ms,
                           const sigset_t *mask)
{
    uint64_t deadline =
        ms < 0 ? FORE_TURN_NEVER : fore_turn.clock + (uint64_t)ms * MILLISECOND;
    if (!is_controlled())
        return OUTSIDE(epoll_pwait(fd, events, most, ms, mask));
    return wait_for_any((struct several){is_epoll_ready, is_epoll_own}, &fd, fd, deadline,
                        mask)
               ? -1
               : epoll_wait(fd, events, most, 0);
}

int foresee_rt_epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    return is_controlled() ? foresee_rt_epoll_pwait(fd, events, most, ms, NULL)
                           : OUTSIDE(epoll_wait(fd, events, most, ms));
}

/* ---- timers that are files ---- */

enum { TIMERS = 64 };
static struct timer {
    bool made;
    bool unread; /* it comes again when it has been read */
    clockid_t clock;
    uint64_t at, every; /* at: NEVER: it is not set */
} timers[TIMERS];       /* by descriptor; others run in real time */

static struct timer *timer_of(int fd)
{
    return fd >= 0 && fd < TIMERS && timers[fd].made ? &timers[fd] : NULL;
}

bool fore_turn_is_timer(int fd)
{
    return timer_of(fd);
}

int foresee_rt_timerfd_create(int clock, int flags)
{
    int fd = timerfd_create(clock, flags);
    if (fd >= 0 && fd < TIMERS)
        timers[fd] = (struct timer){is_controlled(), false, clock, FORE_TURN_NEVER, 0};
    return fd;
}

static struct timespec as_time(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

static void tell_left(const struct timer *t, struct itimerspec *left)
{
    bool set = t->at != FORE_TURN_NEVER;
    left->it_interval = as_time(t->every);
    left->it_value =
        as_time(set && t->at > fore_turn.clock ? t->at - fore_turn.clock : set);
}

int foresee_rt_timerfd_settime(int fd, int flags, const struct itimerspec *to,
                               struct itimerspec *before)
{
    static const struct itimerspec never;
    struct timer *t = is_controlled() ? timer_of(fd) : NULL;
    if (!t || !to)
        return timerfd_settime(fd, flags, to, before);
    if (before)
        tell_left(t, before);
    bool set = to->it_value.tv_sec || to->it_value.tv_nsec;
    t->unread = false;
    t->every = after_ns(&to->it_interval) - fore_turn.clock;
    t->at = !set                        ? FORE_TURN_NEVER
            : flags & TFD_TIMER_ABSTIME ? fore_turn_until(t->clock, &to->it_value)
                                        : after_ns(&to->it_value);
    return timerfd_settime(fd, 0, &never, NULL);
}

int foresee_rt_timerfd_gettime(int fd, struct itimerspec *left)
{
    const struct timer *t = is_controlled() ? timer_of(fd) : NULL;
    if (!t)
        return timerfd_gettime(fd, left);
    tell_left(t, left);
    return 0;
}

uint64_t fore_turn_next_timer(void)
{
    uint64_t next = FORE_TURN_NEVER;
    for (int fd = 0; fd < TIMERS; fd++)
        if (timers[fd].made && timers[fd].at < next)
            next = timers[fd].at;
    return next;
}

static bool is_there(int fd, int ms)
{
    struct pollfd one = {fd, POLLIN, 0};
    return syscall(SYS_poll, &one, 1, ms) != 0;
}

/* The real one comes now, and is there before any thread looks. One that comes again and again does so
 * when it has been read: otherwise time would never stop for it. */
void fore_turn_expire_timers(void)
{
    static const struct itimerspec now = {.it_value = {0, 1}};
    for (int fd = 0; fd < TIMERS; fd++) {
        struct timer *t = &timers[fd];
        if (!t->made)
            continue;
        if (t->unread && !is_there(fd, 0)) {
            t->unread = false;
            t->at = fore_turn.clock + t->every;
        }
        if (t->at > fore_turn.clock)
            continue;
        timerfd_settime(fd, 0, &now, NULL);
        is_there(fd, 10);
        t->at = FORE_TURN_NEVER;
        t->unread = t->every;
    }
}
