/* Time, and calls that wait for something outside of the program. While it is controlled, time is the
 * schedule's: it moves a little at each step, and when no thread can go on, to the next moment that
 * a thread waits for. Input is waited for at a point; other calls give the turn up. */
#include "capture/c/runtime/libc_call.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"
#include "capture/c/times.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND 1000000000u
enum { MONOTONIC_BASE = 1000 }; /* seconds */

/* ---- the clock ---- */

static uint64_t real_ns(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void fore_turn_read_clock(void)
{
    static uint64_t began;
    if (!fore_turn.schedule.real_clock)
        return;
    if (!began)
        began = real_ns();
    fore_turn.clock = real_ns() - began;
}

/* What a clock that follows the schedule begins with; -1 for other clocks. */
static int64_t base_of(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return fore_turn.schedule.base_seconds;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        return MONOTONIC_BASE;
    default:
        return -1;
    }
}

static bool is_virtual(void)
{
    return fore_turn_on() && !fore_turn.schedule.real_clock;
}

static bool is_real_deadline(clockid_t clock, const struct timespec *until, uint64_t *at)
{
    struct timespec now;
    syscall(SYS_clock_gettime, clock, &now);
    int64_t left =
        (until->tv_sec - now.tv_sec) * (int64_t)SECOND + until->tv_nsec - now.tv_nsec;
    fore_turn_read_clock();
    *at = fore_turn.clock + (left > 0 ? (uint64_t)left : 0);
    return true;
}

uint64_t fore_turn_until(clockid_t clock, const struct timespec *until)
{
    uint64_t at;
    int64_t base = base_of(clock);
    if (!until)
        return FORE_TURN_NEVER;
    if (base < 0 || fore_turn.schedule.real_clock)
        return is_real_deadline(clock, until, &at) ? at : 0;
    if (until->tv_sec < base)
        return 0;
    uint64_t seconds = (uint64_t)(until->tv_sec - base);
    return seconds > UINT64_MAX / SECOND / 2
               ? FORE_TURN_NEVER - 1
               : seconds * SECOND + (uint64_t)until->tv_nsec;
}

static bool read_virtual(clockid_t clock, struct timespec *t)
{
    int64_t base = base_of(clock);
    if (!is_virtual() || base < 0)
        return false;
    uint64_t now = __atomic_add_fetch(&fore_turn.clock, 100, __ATOMIC_RELAXED);
    t->tv_sec = (time_t)base + (time_t)(now / SECOND);
    t->tv_nsec = (long)(now % SECOND);
    return true;
}

int foresee_rt_clock_gettime(clockid_t clock, struct timespec *t)
{
    return read_virtual(clock, t) ? 0 : fore_rt_real.clock_gettime(clock, t);
}

int foresee_rt_gettimeofday(struct timeval *to, void *zone)
{
    struct timespec t;
    if (!to || !read_virtual(CLOCK_REALTIME, &t))
        return gettimeofday(to, zone);
    to->tv_sec = t.tv_sec;
    to->tv_usec = t.tv_nsec / 1000;
    return 0;
}

time_t foresee_rt_time(time_t *to)
{
    struct timespec t;
    if (!read_virtual(CLOCK_REALTIME, &t))
        return time(to);
    if (to)
        *to = t.tv_sec;
    return t.tv_sec;
}

int foresee_rt_timespec_get(struct timespec *t, int base)
{
    return base == TIME_UTC && read_virtual(CLOCK_REALTIME, t) ? base
                                                               : timespec_get(t, base);
}

/* ---- sleep ---- */

/* False if the call is to be done as the program made it. */
static bool sleep_until(uint64_t deadline)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (!t || !is_virtual())
        return false;
    fore_turn_point((struct fore_turn_op){
        .kind = FORE_OP_sleep, .deadline = deadline, .site = fore_rt_site()});
    return true;
}

static bool sleep_for(const struct timespec *t)
{
    if (t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= SECOND)
        return false;
    return sleep_until(fore_turn.clock + (uint64_t)t->tv_sec * SECOND +
                       (uint64_t)t->tv_nsec);
}

static int sleep_outside(int status)
{
    fore_turn_back();
    return status;
}

#define OUTSIDE(call) (fore_turn_leave(), sleep_outside(call))

void fore_turn_sleep(const struct timespec *t)
{
    if (!sleep_for(t))
        OUTSIDE((int)syscall(SYS_nanosleep, t, NULL));
}

int foresee_rt_nanosleep(const struct timespec *t, struct timespec *rest)
{
    return sleep_for(t) ? 0 : OUTSIDE(fore_rt_real.nanosleep(t, rest));
}

int foresee_rt_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                               struct timespec *rest)
{
    if (flags & TIMER_ABSTIME ? sleep_until(fore_turn_until(clock, t)) : sleep_for(t))
        return 0;
    return OUTSIDE(fore_rt_real.clock_nanosleep(clock, flags, t, rest));
}

int foresee_rt_usleep(useconds_t us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000L};
    return sleep_for(&t) ? 0 : OUTSIDE(fore_rt_real.usleep(us));
}

unsigned foresee_rt_sleep(unsigned s)
{
    struct timespec t = {s, 0};
    if (sleep_for(&t))
        return 0;
    fore_turn_leave();
    unsigned left = sleep(s);
    fore_turn_back();
    return left;
}

int foresee_rt_thrd_sleep(const struct timespec *t, struct timespec *rest)
{
    return sleep_for(t) ? 0 : OUTSIDE(thrd_sleep(t, rest));
}

int foresee_rt_sched_yield(void)
{
    if (!fore_turn_self())
        return fore_rt_real.sched_yield();
    fore_turn_point((struct fore_turn_op){.kind = FORE_OP_yield,
                                          .yields = true,
                                          .deadline = FORE_TURN_NEVER,
                                          .site = fore_rt_site()});
    return 0;
}

/* ---- files ---- */

bool fore_turn_ready(const struct fore_turn_op *op)
{
    fore_turn_expire_timers();
    if (op->ready)
        return op->ready(op->other);
    struct pollfd one = {(int)(intptr_t)op->other, (short)op->number, 0};
    return syscall(SYS_poll, &one, 1, 0) != 0;
}

bool fore_turn_is_inner(const struct fore_turn_op *op)
{
    struct stat s;
    return !op->ready && !fstat((int)(intptr_t)op->other, &s) &&
           (S_ISFIFO(s.st_mode) || !(s.st_mode & S_IFMT));
}

/* Files that were there before the program, as bits; those above are taken for others', too. */
enum { FILES = 256 };
static uint64_t given[FILES / 64];

void fore_turn_files_start(void)
{
    memset(given, 0, sizeof given);
    for (int fd = 0; fd < FILES; fd++)
        if (syscall(SYS_fcntl, fd, F_GETFD) >= 0)
            given[fd / 64] |= (uint64_t)1 << fd % 64;
}

/* A pipe without a name, or an eventfd. */
static bool is_made_by_program(int fd)
{
    static const char event[] = "anon_inode:[eventfd]";
    char path[64], target[sizeof event] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, target, sizeof target - 1) > 0 &&
           (!strncmp(target, "pipe:", 5) || !strcmp(target, event));
}

/* Is it something of that kind that the program has made itself, and has it no children, who would have it, too? */
bool fore_turn_is_own_file(int fd)
{
    siginfo_t child;
    return fd >= 0 && fd < FILES && !(given[fd / 64] >> fd % 64 & 1) &&
           !fore_turn.has_forked && (fore_turn_is_timer(fd) || is_made_by_program(fd)) &&
           waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD;
}

bool fore_turn_handles_signals(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    struct sigaction is;
    for (int s = 1; s < NSIG; s++) {
        bool other = true;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            other &= s != own[i];
        if (other && !sigaction(s, NULL, &is) && is.sa_handler != SIG_DFL &&
            is.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

bool fore_turn_is_own(const struct fore_turn_op *op)
{
    if (op->ready)
        return op->own && !fore_turn_handles_signals() && op->own(op->other);
    return fore_turn_is_own_file((int)(intptr_t)op->other);
}

/* A timer, an event, a set of files: telling it something does not wait. */
static bool is_nameless(int fd)
{
    struct stat s;
    return !fstat(fd, &s) && !(s.st_mode & S_IFMT);
}

/* What goes through one file is one object; descriptors are small numbers. */
static void wait_for_file(int fd, short events, uint64_t deadline)
{
    int flags = fore_turn_self() ? fcntl(fd, F_GETFL) : -1;
    if (flags < 0)
        return;
    if (flags & O_NONBLOCK || (events == POLLOUT && is_nameless(fd)))
        deadline = 0;
    fore_turn_point(
        (struct fore_turn_op){.kind = events == POLLOUT ? FORE_OP_output : FORE_OP_input,
                              .address = (const void *)(uintptr_t)(fd + 1),
                              .other = (const void *)(intptr_t)fd,
                              .number = (uint64_t)events,
                              .deadline = deadline,
                              .site = fore_rt_site()});
}

/* ---- calls of the library, as libc.h tells them ---- */

/* Does the call close descriptor N? Then others may see it, but it waits for nobody. */
static bool closes_file(const char *effects, char n)
{
    for (const char *e = effects; *e; e += strcspn(e, " "), e += *e == ' ')
        if (e[0] == 'X' && e[1] == n)
            return true;
    return false;
}

/* Before the call: it waits for a descriptor at a point, and for anything else outside. */
void fore_turn_libc_begin(const char *effects, const uint64_t *args)
{
    bool outside = false;
    const char *called = *effects == 'Y' ? fore_rt_libc_syscall((long)args[0]) : NULL;
    if (called) { /* a system call by its number */
        fore_turn_libc_begin(called, args + 1);
        return;
    }
    for (const char *e = effects; *e; e += *e == ' ') {
        bool file = e[1] >= '0' && e[1] <= '9';
        if (*e == '<' && file)
            wait_for_file((int)args[e[1] - '0'], POLLIN, FORE_TURN_NEVER);
        else if (*e == '>' && file)
            wait_for_file((int)args[e[1] - '0'], POLLOUT,
                          closes_file(effects, e[1]) ? 0 : FORE_TURN_NEVER);
        else if (*e == '>' && (e[1] == 's' || e[1] == 'c')) /* signals, children */
            fore_turn_at(FORE_OP_yield, NULL);
        else if (*e == 'L' ||
                 (*e == '<' && e[1] != 'e' && e[1] != '?')) /* see turn_poll.c */
            outside = true;
        e += strcspn(e, " ");
    }
    if (outside)
        fore_turn_leave();
}

void fore_turn_libc_end(const char *effects)
{
    fore_turn_back();
    for (const char *e = effects; *e; e += strcspn(e, " "), e += *e == ' ')
        if (e[0] == '>' && e[1] == 's')
            fore_turn_signal_sent();
}
