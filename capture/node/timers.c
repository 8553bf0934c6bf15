/* Timers that go off while their process does something else: alarm and setitimer, which send SIGALRM,
 * and descriptors of timers, which become ready. The page says when the next one is due, as if a thread
 * waited for it whose number is below 0; when time has come to it, foresee sends the signal that also asks
 * for copies. A descriptor is an eventfd in truth: that is read from, waited for and counted alike.
 *
 * Not here: timer_create, whose timers are real. */
#include "capture/node/timers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 16, ALARM = 0 }; /* the first is the alarm */
#define SECOND 1000000000

static struct fore_node_clock *page;

static struct {
    int used; /* it is a descriptor's, or the alarm */
    int fd;
    int64_t offset; /* of its clock */
    int64_t every;  /* 0: once */
    int wait;       /* where the page says so, or -1: it is not set */
} timers[TIMERS] = {[ALARM] = {.used = 1, .fd = -1, .wait = -1}};

void fore_node_timers_begin(struct fore_node_clock *p)
{
    page = p;
}

static int64_t from_timespec(const struct timespec *t)
{
    return t->tv_sec > INT64_MAX / SECOND / 2 ? INT64_MAX / 2
                                              : t->tv_sec * SECOND + t->tv_nsec;
}

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

/* The page's waits are shared with threads, which have numbers above 0. */
static void unset_timer(int i)
{
    if (timers[i].wait >= 0)
        atomic_store(&page->waits[timers[i].wait].tid, 0);
    timers[i].wait = -1;
}

static void set_timer(int i, int64_t due, int64_t every)
{
    unset_timer(i);
    timers[i].every = every;
    for (int k = FORE_NODE_WAITS - 1; k >= 0 && timers[i].wait < 0; k--) {
        int32_t nobody = 0;
        if (atomic_compare_exchange_strong(&page->waits[k].tid, &nobody, -1 - i)) {
            atomic_store(&page->waits[k].deadline, due);
            timers[i].wait = k;
        }
    }
}

static int64_t due_of(int i)
{
    return atomic_load(&page->waits[timers[i].wait].deadline);
}

static int64_t left_of(int i)
{
    int64_t now = atomic_load(&page->now);
    return timers[i].wait < 0 || due_of(i) <= now ? 0 : due_of(i) - now;
}

void fore_node_timers_fire(void)
{
    int64_t now = atomic_load(&page->now);
    for (int i = 0; i < TIMERS; i++) {
        if (!timers[i].used || timers[i].wait < 0 || due_of(i) > now)
            continue;
        int64_t every = timers[i].every;
        uint64_t times = every ? 1 + (uint64_t)((now - due_of(i)) / every) : 1;
        if (i == ALARM)
            syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGALRM);
        else
            (void)!write(timers[i].fd, &times, sizeof times);
        if (every)
            atomic_fetch_add(&page->waits[timers[i].wait].deadline,
                             (int64_t)times * every);
        else
            unset_timer(i);
    }
}

/* ---- alarms ---- */

int setitimer(__itimer_which_t which, const struct itimerval *restrict new,
              struct itimerval *restrict old)
{
    if (!page || which != ITIMER_REAL)
        return (int)syscall(SYS_setitimer, which, new, old);
    if (old) {
        int64_t left = left_of(ALARM), every = timers[ALARM].every;
        *old = (struct itimerval){{every / SECOND, every % SECOND / 1000},
                                  {left / SECOND, left % SECOND / 1000}};
    }
    if (new) {
        int64_t in =
            (int64_t) new->it_value.tv_sec *SECOND + new->it_value.tv_usec * 1000;
        int64_t every =
            (int64_t) new->it_interval.tv_sec *SECOND + new->it_interval.tv_usec * 1000;
        unset_timer(ALARM);
        if (in)
            set_timer(ALARM, atomic_load(&page->now) + in, every);
    }
    return 0;
}

unsigned alarm(unsigned seconds)
{
    struct itimerval new = {{0, 0}, {seconds, 0}}, old = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &new, &old);
    return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

/* ---- descriptors ---- */

static int timer_of(int fd)
{
    for (int i = ALARM + 1; i < TIMERS; i++)
        if (timers[i].used && timers[i].fd == fd)
            return i;
    return -1;
}

int timerfd_create(int clock, int flags)
{
    int i = ALARM + 1;
    while (i < TIMERS && timers[i].used)
        i++;
    if (!page || i == TIMERS)
        return (int)syscall(SYS_timerfd_create, clock, flags);
    int fd = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) |
                            (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
    if (fd >= 0) {
        timers[i].used = 1;
        timers[i].fd = fd;
        timers[i].wait = -1;
        timers[i].offset =
            clock == CLOCK_REALTIME ? FORE_NODE_EPOCH_NS : FORE_NODE_UPTIME_NS;
    }
    return fd;
}

int timerfd_gettime(int fd, struct itimerspec *now)
{
    int i = page ? timer_of(fd) : -1;
    if (i < 0)
        return (int)syscall(SYS_timerfd_gettime, fd, now);
    *now = (struct itimerspec){to_timespec(timers[i].every), to_timespec(left_of(i))};
    return 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new,
                    struct itimerspec *old)
{
    int i = page ? timer_of(fd) : -1;
    if (i < 0)
        return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
    if (old)
        timerfd_gettime(fd, old);
    int64_t value = from_timespec(&new->it_value), now = atomic_load(&page->now);
    unset_timer(i);
    if (value)
        set_timer(i, flags & TFD_TIMER_ABSTIME ? value - timers[i].offset : now + value,
                  from_timespec(&new->it_interval));
    if (value && timers[i].wait >= 0 && due_of(i) <= now)
        fore_node_timers_fire();
    return 0;
}

int close(int fd)
{
    int i = page && fd >= 0 ? timer_of(fd) : -1;
    if (i >= 0) {
        unset_timer(i);
        timers[i].used = 0;
    }
    return (int)syscall(SYS_close, fd);
}
