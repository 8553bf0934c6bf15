/* Mutexes of pthread: the locks that are taken most. A thread takes a free mutex first and then
 * records that; only a thread that has to wait records its wait before.
 *
 * If only relevant variables are recorded, sections that say nothing are left out: if taking the
 * lock teaches the thread nothing (know.c), it is not recorded unless something happens within.
 * In that case it is recorded before that, also when that is the taking of another lock; so
 * critical sections and the nesting of locks are as they were. If everything is recorded they
 * are not left out, because an access that is merely noted would not know that it is within one. */
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/hold.h"
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/misuse.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>

static bool looks_free(const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return !__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);
#else
    (void)m;
    return true;
#endif
}

/* The holder may be about to unlock the mutex: waiting in the kernel costs more than looking at
 * it a few times. Each look takes the lock's cache line away from the holder, so looks become
 * rarer. */
static int take_mutex(pthread_mutex_t *m)
{
    enum { LONGEST = 16 };
    int status = fore_rt_real.pthread_mutex_trylock(m);
    for (unsigned pauses = 2; status == EBUSY && pauses <= LONGEST; pauses *= 2) {
        for (unsigned i = 0; i < pauses; i++)
            fore_rt_pause();
        if (looks_free(m))
            status = fore_rt_real.pthread_mutex_trylock(m);
    }
    return status;
}

static bool has(int status)
{
    return !status || status == EOWNERDEAD;
}

/* Taking a lock is no news to other threads; what the thread learnt by taking it is. */
static void taken(struct fore_rt_op op, uint32_t news, const pthread_mutex_t *m)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (!op.object || fore_rt_tells())
        return;
    t->events -= t->news - news;
    t->news = news;
    fore_rt_learn(t, m);
}

static __attribute__((noinline)) int record(pthread_mutex_t *m, int status)
{
    uint32_t news = fore_rt_self()->news;
    struct fore_rt_op op;
    if (has(status)) {
        op = fore_rt_op_put(FORE_RING_LOCK, FORE_RING_DONE, m, FORE_RT_LOCK, 0, true, 0,
                            0);
    } else {
        fore_rt_look_for_orphan(m);
        op = fore_rt_op_wait(FORE_RING_LOCK, m, FORE_RT_LOCK, 0, 0);
        status = fore_rt_real.pthread_mutex_lock(m);
        fore_rt_op_finish(op, !has(status));
        if (status == EINVAL)
            fore_rt_misuse(m, 0, FORE_RT_UNINITIALISED);
    }
    if (has(status))
        taken(op, news, m);
    return status;
}

/* Called with the lock held if the status says that it was obtained. */
static inline int record_taken(struct fore_rt_thread *t, pthread_mutex_t *m, int status)
{
    if (status || !t->shown || t->quiet || *fore_rt_know_of(m) != t->shown)
        return record(m, status);
    t->quiet = m;
    t->quiet_site = fore_rt_site();
    return 0;
}

static __attribute__((noinline)) int lock(pthread_mutex_t *m, int status)
{
    if (!fore_rt_on())
        return fore_rt_real.pthread_mutex_lock(m);
    if (status == EBUSY && !fore_turn_on())
        status = take_mutex(m);
    return fore_rt_tells() ? record(m, status) : record_taken(fore_rt_self(), m, status);
}

int foresee_rt_pthread_mutex_lock(pthread_mutex_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_thread *t = fore_rt_self();
    if (!t->shown || t->quiet || fore_rt_tells())
        return lock(m, EBUSY);
    int status = fore_rt_real.pthread_mutex_trylock(m);
    return status ? lock(m, status) : record_taken(t, m, 0);
}

/* The ticket is drawn while the mutex is held; the record is written when other threads may
 * already have it. */
static __attribute__((noinline)) int unlock(pthread_mutex_t *m)
{
    fore_turn_at(FORE_OP_unlock, m);
    if (!fore_rt_may_unlock(m))
        return fore_rt_real.pthread_mutex_unlock(m);
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *o = t ? fore_rt_last_lock(t, m) : NULL;
    uint64_t ticket = 0;
    if (t && !o)
        o = fore_rt_object(t, m, FORE_RT_LOCK, 0);
    /* otherwise a forked process gives back a lock that its parent took */
    if (o && o->ticket) {
        fore_rt_let_go(t, o);
        ticket = fore_rt_ticket(o);
        if (!fore_rt_tells())
            fore_rt_teach(t, m);
    }
    int status = fore_rt_real.pthread_mutex_unlock(m);
    if (ticket)
        fore_rt_put(t, fore_rt_take(t, 0), fore_rt_where(t, fore_rt_site()), o->id,
                    FORE_RING_WORD(FORE_RING_UNLOCK, FORE_RING_DONE, 0, ticket));
    else if (t && !o)
        fore_rt_dropped();
    if (t)
        fore_rt_leave(t);
    return status;
}

int foresee_rt_pthread_mutex_unlock(pthread_mutex_t *m)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (t->quiet != m || t->inside)
        return unlock(m);
    t->quiet = NULL;
    return fore_rt_real.pthread_mutex_unlock(m);
}

void fore_rt_say_lock(struct fore_rt_thread *t)
{
    pthread_mutex_t *m = t->quiet;
    struct fore_rt_clock *shown = t->shown;
    uint32_t news = t->news;
    t->quiet = NULL;
    struct fore_rt_object *o = fore_rt_object(t, m, FORE_RT_LOCK, 0);
    if (!o) {
        fore_rt_dropped();
        return;
    }
    fore_rt_put(t, fore_rt_take(t, 0), fore_rt_where(t, t->quiet_site), o->id,
                FORE_RING_WORD(FORE_RING_LOCK, FORE_RING_DONE, 0, fore_rt_ticket(o)));
    fore_rt_hold(t, o);
    t->events -= t->news - news;
    t->news = news;
    t->shown = shown;
}

/* ---- the other functions ---- */

static int tried(int status, pthread_mutex_t *m)
{
    if (has(status) || status == EBUSY || status == ETIMEDOUT)
        fore_rt_op_done(FORE_RING_TRYLOCK, has(status) ? 0 : FORE_RING_BUSY, m,
                        FORE_RT_LOCK, 0, 0);
    return status;
}

int foresee_rt_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    fore_rt_forget(m, FORE_RT_LOCK);
    fore_rt_unlearn(m);
    return fore_rt_real.pthread_mutex_init(m, a);
}

int foresee_rt_pthread_mutex_trylock(pthread_mutex_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_mutex_trylock(m), m);
}

int foresee_rt_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_mutex_timedlock(m, until), m);
}

int foresee_rt_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                       const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_mutex_clocklock(m, clock, until), m);
}

int foresee_rt_pthread_mutex_destroy(pthread_mutex_t *m)
{
    fore_rt_destroyed(m);
    fore_rt_forget(m, FORE_RT_LOCK);
    fore_rt_unlearn(m);
    return fore_rt_real.pthread_mutex_destroy(m);
}
