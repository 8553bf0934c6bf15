/* Locks other than mutexes of pthread. Each call does what its namesake does, and records it:
 * the ticket is drawn while the object is held, so after acquiring and before releasing. */
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/misuse.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>

static int tried(int status, const void *lock, unsigned kind, unsigned flags)
{
    bool got = status == 0 || status == EOWNERDEAD;
    if (got || status == EBUSY || status == ETIMEDOUT)
        fore_rt_op_done(kind, got ? 0 : FORE_RING_BUSY, lock, FORE_RT_LOCK, flags, 0);
    return status;
}

/* ---- mutexes of C11 ---- */

static int tried_c11(int status, mtx_t *m)
{
    if (status == thrd_success || status == thrd_busy || status == thrd_timedout)
        fore_rt_op_done(FORE_RING_TRYLOCK, status == thrd_success ? 0 : FORE_RING_BUSY, m,
                        FORE_RT_LOCK, 0, 0);
    return status;
}

int foresee_rt_mtx_init(mtx_t *m, int type)
{
    fore_rt_forget(m, FORE_RT_LOCK);
    return fore_rt_real.mtx_init(m, type);
}

int foresee_rt_mtx_lock(mtx_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_op op = fore_rt_op_wait(FORE_RING_LOCK, m, FORE_RT_LOCK, 0, 0);
    int status = fore_rt_real.mtx_lock(m);
    fore_rt_op_finish(op, status != thrd_success);
    return status;
}

int foresee_rt_mtx_trylock(mtx_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried_c11(fore_rt_real.mtx_trylock(m), m);
}

int foresee_rt_mtx_timedlock(mtx_t *m, const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried_c11(fore_rt_real.mtx_timedlock(m, until), m);
}

int foresee_rt_mtx_unlock(mtx_t *m)
{
    fore_turn_at(FORE_OP_unlock, m);
    if (fore_rt_may_unlock((const pthread_mutex_t *)m))
        fore_rt_op_done(FORE_RING_UNLOCK, 0, m, FORE_RT_LOCK, 0, 0);
    fore_rt_unlearn(m);
    return fore_rt_real.mtx_unlock(m);
}

void foresee_rt_mtx_destroy(mtx_t *m)
{
    fore_rt_destroyed((const pthread_mutex_t *)m);
    fore_rt_forget(m, FORE_RT_LOCK);
    fore_rt_real.mtx_destroy(m);
}

/* ---- spin locks ---- */

int foresee_rt_pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    fore_rt_forget((const void *)l, FORE_RT_LOCK);
    return fore_rt_real.pthread_spin_init(l, shared);
}

int foresee_rt_pthread_spin_lock(pthread_spinlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_op op =
        fore_rt_op_wait(FORE_RING_LOCK, (const void *)l, FORE_RT_LOCK, FORE_RT_SPIN, 0);
    return fore_rt_op_finish(op, fore_rt_real.pthread_spin_lock(l));
}

int foresee_rt_pthread_spin_trylock(pthread_spinlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_spin_trylock(l), (const void *)l, FORE_RING_TRYLOCK,
                 FORE_RT_SPIN);
}

int foresee_rt_pthread_spin_unlock(pthread_spinlock_t *l)
{
    fore_turn_at(FORE_OP_unlock, (const void *)l);
    fore_rt_op_done(FORE_RING_UNLOCK, 0, (const void *)l, FORE_RT_LOCK, FORE_RT_SPIN, 0);
    return fore_rt_real.pthread_spin_unlock(l);
}

int foresee_rt_pthread_spin_destroy(pthread_spinlock_t *l)
{
    fore_rt_forget((const void *)l, FORE_RT_LOCK);
    return fore_rt_real.pthread_spin_destroy(l);
}

/* ---- streams: their locks are recursive ---- */

void foresee_rt_flockfile(FILE *f)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_op op =
        fore_rt_op_wait(FORE_RING_LOCK, f, FORE_RT_LOCK, FORE_RING_OBJ_RECURSIVE, 0);
    fore_rt_real.flockfile(f);
    fore_rt_op_finish(op, 0);
}

int foresee_rt_ftrylockfile(FILE *f)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.ftrylockfile(f), f, FORE_RING_TRYLOCK,
                 FORE_RING_OBJ_RECURSIVE);
}

void foresee_rt_funlockfile(FILE *f)
{
    fore_turn_at(FORE_OP_unlock, f);
    fore_rt_op_done(FORE_RING_UNLOCK, 0, f, FORE_RT_LOCK, FORE_RING_OBJ_RECURSIVE, 0);
    fore_rt_real.funlockfile(f);
}

/* ---- locks of readers and writers: unlocking is one call for both ---- */

static unsigned flags_of_rwlock(const pthread_rwlock_t *l)
{
    return FORE_RT_RW | (fore_rt_prefers_writers(l) ? FORE_RING_OBJ_WRITERS_FIRST : 0);
}

static int tried_to_write(int status, pthread_rwlock_t *l)
{
    return tried(status, l, FORE_RING_TRYLOCK, flags_of_rwlock(l));
}

int foresee_rt_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
    fore_rt_forget(l, FORE_RT_LOCK);
    return fore_rt_real.pthread_rwlock_init(l, a);
}

int foresee_rt_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_op op =
        fore_rt_op_wait(FORE_RING_RLOCK, l, FORE_RT_LOCK, flags_of_rwlock(l), 0);
    return fore_rt_op_finish(op, fore_rt_real.pthread_rwlock_rdlock(l));
}

int foresee_rt_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_op op =
        fore_rt_op_wait(FORE_RING_LOCK, l, FORE_RT_LOCK, flags_of_rwlock(l), 0);
    return fore_rt_op_finish(op, fore_rt_real.pthread_rwlock_wrlock(l));
}

int foresee_rt_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_rwlock_tryrdlock(l), l, FORE_RING_TRYRLOCK,
                 flags_of_rwlock(l));
}

int foresee_rt_pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
                                          const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_rwlock_timedrdlock(l, until), l, FORE_RING_TRYRLOCK,
                 flags_of_rwlock(l));
}

int foresee_rt_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                          const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried(fore_rt_real.pthread_rwlock_clockrdlock(l, clock, until), l,
                 FORE_RING_TRYRLOCK, flags_of_rwlock(l));
}

int foresee_rt_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried_to_write(fore_rt_real.pthread_rwlock_trywrlock(l), l);
}

int foresee_rt_pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
                                          const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried_to_write(fore_rt_real.pthread_rwlock_timedwrlock(l, until), l);
}

int foresee_rt_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                          const struct timespec *until)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    return tried_to_write(fore_rt_real.pthread_rwlock_clockwrlock(l, clock, until), l);
}

int foresee_rt_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    bool writes = fore_rt_is_written(l);
    fore_turn_at(writes ? FORE_OP_unlock : FORE_OP_runlock, l);
    if (fore_rt_may_unlock_rw(l))
        fore_rt_op_done(writes ? FORE_RING_UNLOCK : FORE_RING_RUNLOCK, 0, l, FORE_RT_LOCK,
                        flags_of_rwlock(l), 0);
    return fore_rt_real.pthread_rwlock_unlock(l);
}

int foresee_rt_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    fore_rt_destroyed_rw(l);
    fore_rt_forget(l, FORE_RT_LOCK);
    return fore_rt_real.pthread_rwlock_destroy(l);
}
