/* ThreadSanitizer's annotations: what happens before what, locks of the program's own, accesses
 * and memory that are not to be reported. */
#include "capture/c/annotate.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/sync.h"

#define X(name, params) int foresee_rt_##name params;
#define V(name, params) void foresee_rt_##name params;
FORE_C_ANNOTATED(X, V)
#undef X
#undef V

#define X(name) __attribute__((weak)) void name(void);
FORE_C_ANNOTATED_NOTHING(X)
#undef X
#define X(name)                                                                          \
    void name(void)                                                                      \
    {                                                                                    \
    }
FORE_C_ANNOTATED_NOTHING(X)
#undef X

#define X(name) __attribute__((weak)) void *name(void);
FORE_C_ANNOTATED_HANDLE(X)
#undef X
#define X(name)                                                                          \
    void *name(void)                                                                     \
    {                                                                                    \
        static char handle;                                                              \
        return &handle;                                                                  \
    }
FORE_C_ANNOTATED_HANDLE(X)
#undef X

/* The others under their own names, for programs that check whether they exist or call them by a
 * pointer. */
#define X(name, params) __attribute__((weak, alias("foresee_rt_" #name))) int name params;
#define V(name, params)                                                                  \
    __attribute__((weak, alias("foresee_rt_" #name))) void name params;
FORE_C_ANNOTATED(X, V)
#undef X
#undef V

/* ---- order ---- */

static void record_annotation(const void *at, unsigned kind)
{
    if (fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_outside(FORE_RT_THING_TOLD, (uint64_t)(uintptr_t)at, kind,
                        fore_rt_site());
}

void foresee_rt___tsan_acquire(void *at)
{
    record_annotation(at, FORE_RING_IN);
}

void foresee_rt___tsan_release(void *at)
{
    record_annotation(at, FORE_RING_OUT);
}

void foresee_rt_AnnotateHappensBefore(const char *file, int line, const void *at)
{
    (void)file, (void)line;
    record_annotation(at, FORE_RING_OUT);
}

void foresee_rt_AnnotateHappensAfter(const char *file, int line, const void *at)
{
    (void)file, (void)line;
    record_annotation(at, FORE_RING_IN);
}

/* ---- locks ---- */

static void tell_lock(const void *at, bool writes, bool takes)
{
    unsigned kind = writes  ? takes ? FORE_RING_LOCK : FORE_RING_UNLOCK
                    : takes ? FORE_RING_RLOCK
                            : FORE_RING_RUNLOCK;
    if (fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_op_done(kind, 0, at, FORE_RT_LOCK, FORE_RT_RW, 0);
}

void foresee_rt_AnnotateRWLockAcquired(const char *file, int line, const void *at,
                                       long writes)
{
    (void)file, (void)line;
    tell_lock(at, writes != 0, true);
}

void foresee_rt_AnnotateRWLockReleased(const char *file, int line, const void *at,
                                       long writes)
{
    (void)file, (void)line;
    tell_lock(at, writes != 0, false);
}

enum { READ_LOCK = 1 << 3, TRY_FAILED = 1 << 5 }; /* of ThreadSanitizer's flags */

void foresee_rt___tsan_mutex_post_lock(void *at, unsigned flags, int recursion)
{
    (void)recursion;
    if (!(flags & TRY_FAILED))
        tell_lock(at, !(flags & READ_LOCK), true);
}

int foresee_rt___tsan_mutex_pre_unlock(void *at, unsigned flags)
{
    tell_lock(at, !(flags & READ_LOCK), false);
    return 1;
}

/* ---- what is not reported ---- */

/* While accesses are ignored the thread has no stamp, so that every access comes to the runtime. */
static void ignore(unsigned kind, int by)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (!fore_rt_on())
        return;
    if (!t->ignored[0] && !t->ignored[1]) {
        t->kept_stamp = foresee_rt_stamp;
        foresee_rt_stamp = 0;
    }
    if (by > 0 || t->ignored[kind == FORE_RING_WRITE])
        t->ignored[kind == FORE_RING_WRITE] =
            (uint16_t)(t->ignored[kind == FORE_RING_WRITE] + by);
    if (!t->ignored[0] && !t->ignored[1] && t->kept_stamp)
        foresee_rt_stamp = (t->kept_stamp & ~(uint64_t)FORE_RT_POSITION) |
                           (t->records & FORE_RT_POSITION);
}

void foresee_rt_AnnotateIgnoreReadsBegin(const char *file, int line)
{
    (void)file, (void)line;
    ignore(FORE_RING_READ, 1);
}

void foresee_rt_AnnotateIgnoreReadsEnd(const char *file, int line)
{
    (void)file, (void)line;
    ignore(FORE_RING_READ, -1);
}

void foresee_rt_AnnotateIgnoreWritesBegin(const char *file, int line)
{
    (void)file, (void)line;
    ignore(FORE_RING_WRITE, 1);
}

void foresee_rt_AnnotateIgnoreWritesEnd(const char *file, int line)
{
    (void)file, (void)line;
    ignore(FORE_RING_WRITE, -1);
}

enum { MOST_BENIGN = 256 };
static struct {
    uint32_t n, lock;
    struct {
        const char *from, *to;
    } at[MOST_BENIGN];
} benign;

bool fore_rt_is_ignored(const struct fore_rt_thread *t, const char *p, unsigned kind)
{
    uint32_t n = __atomic_load_n(&benign.n, __ATOMIC_ACQUIRE);
    if (t->ignored[kind == FORE_RING_WRITE])
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (p >= benign.at[i].from && p < benign.at[i].to)
            return true;
    return false;
}

void foresee_rt_AnnotateBenignRaceSized(const char *file, int line, const void *at,
                                        size_t n, const char *why)
{
    (void)file, (void)line, (void)why;
    fore_rt_spin(&benign.lock);
    if (benign.n < MOST_BENIGN) {
        benign.at[benign.n].from = at;
        benign.at[benign.n].to = (const char *)at + n;
        __atomic_store_n(&benign.n, benign.n + 1, __ATOMIC_RELEASE);
    }
    fore_rt_unspin(&benign.lock);
}

void foresee_rt_AnnotateBenignRace(const char *file, int line, const void *at,
                                   const char *why)
{
    foresee_rt_AnnotateBenignRaceSized(file, line, at, 1, why);
}
