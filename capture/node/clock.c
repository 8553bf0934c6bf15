/* Preloaded into nodes that foresee explores: they get foresee's time and randomness.
 *
 * Clocks show the time in the page that foresee and the node share. A call with a timeout waits,
 * until its own time has come, for its event and for a bell that rings when time has moved (or
 * for a short real moment, if it cannot wait for a bell). The page tells foresee that the thread
 * waits, and until when, so that the thread counts as at rest. */
#undef _FILE_OFFSET_BITS /* open and open64 are both defined here */
#include "capture/node/clock.h"

#include "capture/node/copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_NS = 500000 };
#define SECOND 1000000000

static struct fore_node_clock *page;
static _Atomic uint64_t drawn;

#define REAL(name) ((__typeof__(&name))real_function(#name))

static void (*real_function(const char *name))(void)
{
    void *found = dlsym(RTLD_NEXT, name);
    void (*f)(void);
    if (!found)
        abort();
    memcpy(&f, &found, sizeof f);
    return f;
}

__attribute__((constructor)) static void find_page(void)
{
    const char *number = getenv(FORE_NODE_ENV);
    if (!number)
        return;
    int fd = atoi(number);
    void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    struct fore_node_clock *p = at;
    if (p->magic != FORE_NODE_MAGIC)
        return;
    page =
        p; /* the descriptor and the variable stay, because the program may be a script that
            * starts the node */
    fore_node_copy_begin(page);
    atomic_store(&page->keeper, FORE_NODE_LIBRARY);
}

/* Time. */

static int64_t now(void)
{
    return atomic_load(&page->now);
}

static int64_t in_ns(const struct timespec *t)
{
    return t->tv_sec > INT64_MAX / SECOND / 2 ? INT64_MAX / 2
                                              : t->tv_sec * SECOND + t->tv_nsec;
}

static void in_timespec(int64_t ns, struct timespec *t)
{
    t->tv_sec = ns / SECOND;
    t->tv_nsec = ns % SECOND;
}

static int64_t offset_of(clockid_t id)
{
    return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE ? FORE_NODE_EPOCH_NS
                                                               : FORE_NODE_UPTIME_NS;
}

static int is_ours(clockid_t id)
{
    return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_MONOTONIC ||
           id == CLOCK_MONOTONIC_COARSE || id == CLOCK_MONOTONIC_RAW ||
           id == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!page || !is_ours(id))
        return (int)syscall(SYS_clock_gettime, id, t);
    in_timespec(now() + offset_of(id), t);
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec s;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &s);
    *t = (struct timeval){s.tv_sec, s.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec s;
    clock_gettime(CLOCK_REALTIME, &s);
    if (out)
        *out = s.tv_sec;
    return s.tv_sec;
}

/* Waiting. */

/* Enters into the page that this thread waits until then; returns where, or -1 if all places are
 * taken. */
static int begin_wait(int64_t deadline)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    for (int i = 0; i < FORE_NODE_WAITS; i++) {
        int32_t nobody = 0;
        if (atomic_load(&page->waits[i].tid) == 0) {
            atomic_store(&page->waits[i].deadline, deadline);
            if (atomic_compare_exchange_strong(&page->waits[i].tid, &nobody, tid)) {
                atomic_store(&page->waits[i].deadline, deadline);
                return i;
            }
        }
    }
    return -1;
}

static void end_wait(int at)
{
    if (at >= 0)
        atomic_store(&page->waits[at].tid, 0);
}

static int is_due(int64_t deadline)
{
    return now() >= deadline;
}

static void short_sleep(void)
{
    struct timespec t = {0, SHORT_NS};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

/* A call that waits, and goes on waiting after the process was copied during it. */
#define UNLESS_COPIED(r, call)                                                           \
    do {                                                                                 \
        sig_atomic_t copied_;                                                            \
        do {                                                                             \
            copied_ = fore_node_copied;                                                  \
            (r) = (call);                                                                \
        } while ((r) < 0 && errno == EINTR && copied_ != fore_node_copied);              \
    } while (0)

/* Waits until one of the descriptors is ready or time has moved; returns what poll says of `fds`. */
static int poll_or_bell(struct pollfd *fds, nfds_t n, const sigset_t *mask)
{
    enum { MOST = 64 };
    struct pollfd all[MOST + 1];
    struct timespec brief = {0, SHORT_NS};
    if (n > MOST || page->bell < 0) {
        int short_one;
        UNLESS_COPIED(short_one, REAL(ppoll)(fds, n, &brief, mask));
        return short_one;
    }
    if (n)
        memcpy(all, fds, n * sizeof *all);
    all[n] = (struct pollfd){page->bell, POLLIN, 0};
    int r;
    UNLESS_COPIED(r, REAL(ppoll)(all, n + 1, NULL, mask));
    if (r < 0)
        return r;
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = all[i].revents;
    if (!all[n].revents)
        return r;
    if (r == 1)
        short_sleep(); /* the bell rings for others, too, or was closed */
    return r - 1;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                    struct timespec *left)
{
    if (!page || !is_ours(id))
        return syscall(SYS_clock_nanosleep, id, flags, t, left) ? errno : 0;
    int64_t until = flags & TIMER_ABSTIME ? in_ns(t) - offset_of(id) : now() + in_ns(t);
    int at = begin_wait(until);
    while (!is_due(until))
        poll_or_bell(NULL, 0, NULL);
    end_wait(at);
    return 0;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    int e = clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
    errno = e ? e : errno;
    return e ? -1 : 0;
}

int usleep(useconds_t us)
{
    struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
    return nanosleep(&t, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec t = {seconds, 0};
    nanosleep(&t, NULL);
    return 0;
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
    int r;
    if (!page || ms <= 0) {
        UNLESS_COPIED(r, REAL(poll)(fds, n, ms));
        return r;
    }
    int64_t until = now() + (int64_t)ms * 1000000;
    int at = begin_wait(until);
    while (!(r = poll_or_bell(fds, n, NULL)) && !is_due(until))
        ;
    end_wait(at);
    return r;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
    int r;
    if (!page || !t || !in_ns(t)) {
        UNLESS_COPIED(r, REAL(ppoll)(fds, n, t, mask));
        return r;
    }
    int64_t until = now() + in_ns(t);
    int at = begin_wait(until);
    while (!(r = poll_or_bell(fds, n, mask)) && !is_due(until))
        ;
    end_wait(at);
    return r;
}

int epoll_pwait(int fd, struct epoll_event *e, int n, int ms, const sigset_t *mask)
{
    int r;
    if (!page || ms <= 0) {
        UNLESS_COPIED(r, REAL(epoll_pwait)(fd, e, n, ms, mask));
        return r;
    }
    int64_t until = now() + (int64_t)ms * 1000000;
    int at = begin_wait(until);
    struct pollfd one = {fd, POLLIN,
                         0}; /* an epoll's descriptor can itself be waited for */
    while (!(r = REAL(epoll_pwait)(fd, e, n, 0, mask)) && !is_due(until))
        if (poll_or_bell(&one, 1, mask) < 0) {
            r = -1;
            break;
        }
    end_wait(at);
    return r;
}

int epoll_wait(int fd, struct epoll_event *e, int n, int ms)
{
    return epoll_pwait(fd, e, n, ms, NULL);
}

/* A set of many descriptors, as poll takes it. */
struct wanted_set {
    fd_set *set;
    short events;
};

static int poll_sets(int n, const struct wanted_set w[3], struct pollfd *fds)
{
    int k = 0;
    for (int fd = 0; fd < n; fd++) {
        short events = 0;
        for (int i = 0; i < 3; i++)
            if (w[i].set && FD_ISSET(fd, w[i].set))
                events = (short)(events | w[i].events);
        if (events)
            fds[k++] = (struct pollfd){fd, events, 0};
    }
    return k;
}

int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
            const struct timespec *restrict t, const sigset_t *restrict mask)
{
    if (!page || !t || !in_ns(t)) {
        int ready;
        UNLESS_COPIED(ready, REAL(pselect)(n, r, w, x, t, mask));
        return ready;
    }
    const struct wanted_set wanted[3] = {{r, POLLIN}, {w, POLLOUT}, {x, POLLPRI}};
    struct pollfd fds[FD_SETSIZE];
    const struct timespec none = {0, 0};
    int k = poll_sets(n < FD_SETSIZE ? n : FD_SETSIZE, wanted, fds);
    int got = ppoll(fds, (nfds_t)k, t, mask);
    /* select itself is asked again for what is ready, because it counts differently. */
    return got < 0 ? got : REAL(pselect)(n, r, w, x, &none, mask);
}

int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
           struct timeval *restrict t)
{
    struct timespec s = {t ? t->tv_sec : 0, t ? t->tv_usec * 1000 : 0};
    return pselect(n, r, w, x, t ? &s : NULL, NULL);
}

/* A real deadline in the near future, on the same clock. */
static struct timespec soon(clockid_t id)
{
    struct timespec t;
    syscall(SYS_clock_gettime, id, &t);
    in_timespec(in_ns(&t) + SHORT_NS, &t);
    return t;
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
                           const struct timespec *t)
{
    if (!page)
        return REAL(pthread_cond_clockwait)(c, m, id, t);
    int64_t until = in_ns(t) - offset_of(id);
    int at = begin_wait(until), r;
    do {
        struct timespec s = soon(id);
        r = REAL(pthread_cond_clockwait)(c, m, id, &s);
    } while (r == ETIMEDOUT && !is_due(until));
    end_wait(at);
    return r;
}

/* The clock that a condition uses cannot be read from it: a time later than an uptime of many
 * years is a date. */
static clockid_t clock_meant(const struct timespec *t)
{
    return in_ns(t) > FORE_NODE_EPOCH_NS / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                           const struct timespec *restrict t)
{
    return page ? pthread_cond_clockwait(c, m, clock_meant(t), t)
                : REAL(pthread_cond_timedwait)(c, m, t);
}

int sem_clockwait(sem_t *s, clockid_t id, const struct timespec *t)
{
    if (!page)
        return REAL(sem_clockwait)(s, id, t);
    int64_t until = in_ns(t) - offset_of(id);
    int at = begin_wait(until), r;
    do {
        struct timespec brief = soon(id);
        r = REAL(sem_clockwait)(s, id, &brief);
    } while (r && errno == ETIMEDOUT && !is_due(until));
    end_wait(at);
    return r;
}

int sem_timedwait(sem_t *restrict s, const struct timespec *restrict t)
{
    return page ? sem_clockwait(s, CLOCK_REALTIME, t) : REAL(sem_timedwait)(s, t);
}

/* Chance. */

static void draw(void *out, size_t n)
{
    unsigned char *to = out;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t x = page->seed + 0x9e3779b97f4a7c15u * (atomic_fetch_add(&drawn, 1) + 1);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        memcpy(to + i, &x, n - i < 8 ? n - i : 8);
    }
}

ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    if (!page)
        return syscall(SYS_getrandom, out, n, flags);
    draw(out, n);
    return (ssize_t)n;
}

int getentropy(void *out, size_t n)
{
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    return getrandom(out, n, 0) < 0 ? -1 : 0;
}

/* Opens a file with 1 MB of seeded random bytes. */
static int open_chance(void)
{
    enum { BYTES = 1 << 20 };
    int fd = memfd_create("urandom", MFD_CLOEXEC);
    unsigned char *bytes = malloc(BYTES);
    if (fd < 0 || !bytes) {
        free(bytes);
        return fd;
    }
    draw(bytes, BYTES);
    ssize_t n = write(fd, bytes, BYTES);
    free(bytes);
    lseek(fd, 0, SEEK_SET);
    return n == BYTES ? fd : -1;
}

static int is_chance(const char *path)
{
    return page && path &&
           (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

#define OPEN(name)                                                                       \
    int name(const char *path, int flags, ...)                                           \
    {                                                                                    \
        va_list args;                                                                    \
        va_start(args, flags);                                                           \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;          \
        va_end(args);                                                                    \
        return is_chance(path) ? open_chance()                                           \
                               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);  \
    }
OPEN(open)
OPEN(open64)
