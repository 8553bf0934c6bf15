/* The library's calls, done by turns. They stand in fore_rt_real while a schedule is followed: a
 * call that may block is a point and is done when it would not block; one that gives something back
 * was a point before it was recorded, see sync.c, and only the shadow is kept here.
 *
 * What a handler of signals calls while its thread is in here is done as it was called. */
#include "capture/c/runtime/turn_calls.h"
#include "capture/c/runtime/sync.h"

#include <errno.h>

struct fore_rt_real fore_turn_native;

static bool has(int status)
{
    return !status || status == EOWNERDEAD;
}

static int took(const void *lock, int status, bool alone)
{
    if (has(status))
        fore_turn_took(lock, alone);
    return status;
}

static int gave(const void *lock, int status)
{
    if (!status)
        fore_turn_gave(lock);
    return status;
}

static int c11(int status)
{
    return status == 0           ? thrd_success
           : status == EBUSY     ? thrd_busy
           : status == ETIMEDOUT ? thrd_timedout
                                 : thrd_error;
}

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

/* ---- shared with other processes, whose turns nobody knows ---- */

static int came_back(int status)
{
    fore_turn_back();
    return status;
}
#define OUTSIDE(call) (fore_turn_leave(), came_back(call))

static bool is_shared(const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return (m->__data.__kind & (128 | 16)) == 128; /* robust ones have that bit, too */
#else
    (void)m;
    return false;
#endif
}

static bool is_shared_condition(const pthread_cond_t *c, const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return c->__data.__wrefs & 1 || is_shared(m);
#else
    (void)c;
    return is_shared(m);
#endif
}

static bool is_shared_rwlock(const pthread_rwlock_t *l)
{
#ifdef __GLIBC__
    return l->__data.__shared;
#else
    (void)l;
    return false;
#endif
}

/* Behind its value the library keeps how it is to wait, which is 0 within one process. */
static bool is_shared_semaphore(const sem_t *s)
{
#if defined __GLIBC__ && __SIZEOF_POINTER__ == 8
    return ((const int *)(const void *)s)[2];
#else
    return fore_turn_is_shared(s);
#endif
}

/* ---- mutexes ---- */

static int lock_mutex(pthread_mutex_t *m)
{
    if (is_shared(m))
        return OUTSIDE(fore_turn_native.pthread_mutex_lock(m));
    fore_turn_point(fore_turn_op_on(FORE_OP_lock, m));
    return took(m, fore_turn_native.pthread_mutex_lock(m), true);
}

static int try_mutex(pthread_mutex_t *m)
{
    fore_turn_point(fore_turn_op_on(FORE_OP_trylock, m));
    return took(m, fore_turn_native.pthread_mutex_trylock(m), true);
}

/* True if the wait ended because its time has come. */
static bool wait_until(struct fore_turn_op op, clockid_t clock,
                       const struct timespec *until)
{
    struct fore_turn_thread *t = fore_turn_self();
    op.deadline = fore_turn_until(clock, until);
    fore_turn_point(op);
    return t && t->timed_out;
}

static int lock_mutex_until(pthread_mutex_t *m, clockid_t clock,
                            const struct timespec *until)
{
    if (!fore_turn_self())
        return fore_turn_native.pthread_mutex_clocklock(m, clock, until);
    return wait_until(fore_turn_op_on(FORE_OP_trylock, m), clock, until)
               ? ETIMEDOUT
               : took(m, fore_turn_native.pthread_mutex_trylock(m), true);
}

static int timed_lock_mutex(pthread_mutex_t *m, const struct timespec *until)
{
    return lock_mutex_until(m, CLOCK_REALTIME, until);
}

static int unlock_mutex(pthread_mutex_t *m)
{
    return gave(m, fore_turn_native.pthread_mutex_unlock(m));
}

static int init_mutex(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    fore_turn_forget(m);
    return fore_turn_native.pthread_mutex_init(m, a);
}

static int destroy_mutex(pthread_mutex_t *m)
{
    int status = fore_turn_native.pthread_mutex_destroy(m);
    if (!status)
        fore_turn_forget(m);
    return status;
}

static int init_mtx(mtx_t *m, int type)
{
    fore_turn_forget(m);
    return fore_turn_native.mtx_init(m, type);
}

static int lock_mtx(mtx_t *m)
{
    return c11(lock_mutex(mutex_of(m)));
}

static int try_mtx(mtx_t *m)
{
    return c11(try_mutex(mutex_of(m)));
}

static int timed_lock_mtx(mtx_t *m, const struct timespec *until)
{
    return c11(lock_mutex_until(mutex_of(m), CLOCK_REALTIME, until));
}

static int unlock_mtx(mtx_t *m)
{
    return c11(unlock_mutex(mutex_of(m)));
}

static void destroy_mtx(mtx_t *m)
{
    fore_turn_forget(m);
    fore_turn_native.mtx_destroy(m);
}

/* ---- spin locks ---- */

enum { PLAIN, READERS_WRITERS, SPINS, OF_STREAM };

static int lock_spin(pthread_spinlock_t *l)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_lock, (const void *)l);
    op.number = SPINS;
    fore_turn_point(op);
    return took((const void *)l, fore_turn_native.pthread_spin_lock(l), true);
}

static int try_spin(pthread_spinlock_t *l)
{
    fore_turn_point(fore_turn_op_on(FORE_OP_trylock, (const void *)l));
    return took((const void *)l, fore_turn_native.pthread_spin_trylock(l), true);
}

static int unlock_spin(pthread_spinlock_t *l)
{
    return gave((const void *)l, fore_turn_native.pthread_spin_unlock(l));
}

static void lock_stream(FILE *f)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_lock, f);
    op.number = OF_STREAM;
    fore_turn_point(op);
    fore_turn_native.flockfile(f);
    took(f, 0, true);
}

static int try_stream(FILE *f)
{
    fore_turn_point(fore_turn_op_on(FORE_OP_trylock, f));
    return took(f, fore_turn_native.ftrylockfile(f), true);
}

static void unlock_stream(FILE *f)
{
    fore_turn_native.funlockfile(f);
    gave(f, 0);
}

static int init_spin(pthread_spinlock_t *l, int shared)
{
    fore_turn_forget((const void *)l);
    return fore_turn_native.pthread_spin_init(l, shared);
}

/* ---- readers and writers ---- */

static int init_rwlock(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
    fore_turn_forget(l);
    return fore_turn_native.pthread_rwlock_init(l, a);
}

static int destroy_rwlock(pthread_rwlock_t *l)
{
    int status = fore_turn_native.pthread_rwlock_destroy(l);
    if (!status)
        fore_turn_forget(l);
    return status;
}

static int lock_to_read(pthread_rwlock_t *l)
{
    if (is_shared_rwlock(l))
        return OUTSIDE(fore_turn_native.pthread_rwlock_rdlock(l));
    fore_turn_point(fore_turn_op_on(FORE_OP_rlock, l));
    return took(l, fore_turn_native.pthread_rwlock_rdlock(l), false);
}

static int lock_to_write(pthread_rwlock_t *l)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_lock, l);
    if (is_shared_rwlock(l))
        return OUTSIDE(fore_turn_native.pthread_rwlock_wrlock(l));
    op.number = READERS_WRITERS;
    fore_turn_point(op);
    return took(l, fore_turn_native.pthread_rwlock_wrlock(l), true);
}

static int try_to_read(pthread_rwlock_t *l)
{
    fore_turn_point(fore_turn_op_on(FORE_OP_tryrlock, l));
    return took(l, fore_turn_native.pthread_rwlock_tryrdlock(l), false);
}

static int try_to_write(pthread_rwlock_t *l)
{
    fore_turn_point(fore_turn_op_on(FORE_OP_trylock, l));
    return took(l, fore_turn_native.pthread_rwlock_trywrlock(l), true);
}

static int read_until(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    if (!fore_turn_self())
        return fore_turn_native.pthread_rwlock_clockrdlock(l, clock, until);
    return wait_until(fore_turn_op_on(FORE_OP_tryrlock, l), clock, until)
               ? ETIMEDOUT
               : took(l, fore_turn_native.pthread_rwlock_tryrdlock(l), false);
}

static int write_until(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_trylock, l);
    op.number = READERS_WRITERS;
    if (!fore_turn_self())
        return fore_turn_native.pthread_rwlock_clockwrlock(l, clock, until);
    return wait_until(op, clock, until)
               ? ETIMEDOUT
               : took(l, fore_turn_native.pthread_rwlock_trywrlock(l), true);
}

static int timed_read(pthread_rwlock_t *l, const struct timespec *until)
{
    return read_until(l, CLOCK_REALTIME, until);
}

static int timed_write(pthread_rwlock_t *l, const struct timespec *until)
{
    return write_until(l, CLOCK_REALTIME, until);
}

static int unlock_rwlock(pthread_rwlock_t *l)
{
    return gave(l, fore_turn_native.pthread_rwlock_unlock(l));
}

/* ---- conditions ---- */

/* Nobody ever waits in the library's condition: it is the shadow that is signalled. `kind` is how
 * the wait's end is recorded. */
static int wait_for_signal(pthread_cond_t *c, pthread_mutex_t *m, unsigned kind,
                           uint64_t deadline)
{
    struct fore_turn_thread *t = fore_turn_self();
    struct fore_turn_op op = fore_turn_op_on(kind, c);
    op.other = m;
    op.deadline = deadline;
    fore_turn_wait_begins(t, c);
    int status = unlock_mutex(m);
    if (status) {
        t->since = 0;
        return status;
    }
    fore_turn_point(op);
    bool late = t->timed_out;
    fore_turn_wait_ends(t);
    status = took(m, fore_turn_native.pthread_mutex_lock(m), true);
    if (t->cancelled)
        fore_turn_cancelled(t);
    return late ? ETIMEDOUT : status;
}

static bool waits_by_turns(const pthread_cond_t *c, const pthread_mutex_t *m)
{
    return fore_turn_self() && !is_shared_condition(c, m);
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return waits_by_turns(c, m) ? wait_for_signal(c, m, FORE_OP_cwoken, FORE_TURN_NEVER)
                                : OUTSIDE(fore_turn_native.pthread_cond_wait(c, m));
}

static int cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                          const struct timespec *until)
{
    return waits_by_turns(c, m)
               ? wait_for_signal(c, m, FORE_OP_lock, fore_turn_until(clock, until))
               : OUTSIDE(fore_turn_native.pthread_cond_clockwait(c, m, clock, until));
}

static clockid_t clock_of(const pthread_cond_t *c)
{
#ifdef __GLIBC__
    return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
#else
    (void)c;
    return CLOCK_REALTIME;
#endif
}

static int cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                          const struct timespec *until)
{
    return waits_by_turns(c, m)
               ? cond_clockwait(c, m, clock_of(c), until)
               : OUTSIDE(fore_turn_native.pthread_cond_timedwait(c, m, until));
}

static int cond_signal(pthread_cond_t *c)
{
    fore_turn_signal(c, false);
    return fore_turn_native.pthread_cond_signal(
        c); /* for threads that are not controlled */
}

static int cond_broadcast(pthread_cond_t *c)
{
    fore_turn_signal(c, true);
    return fore_turn_native.pthread_cond_broadcast(c);
}

static int init_cond(pthread_cond_t *c, const pthread_condattr_t *a)
{
    fore_turn_forget(c);
    return fore_turn_native.pthread_cond_init(c, a);
}

static int destroy_cond(pthread_cond_t *c)
{
    fore_turn_forget(c);
    return fore_turn_native.pthread_cond_destroy(c);
}

static pthread_cond_t *cond_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

static int init_cnd(cnd_t *c)
{
    fore_turn_forget(c);
    return fore_turn_native.cnd_init(c);
}

static int wait_cnd(cnd_t *c, mtx_t *m)
{
    return c11(cond_wait(cond_of(c), mutex_of(m)));
}

static int timed_wait_cnd(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    return c11(cond_clockwait(cond_of(c), mutex_of(m), CLOCK_REALTIME, until));
}

static int signal_cnd(cnd_t *c)
{
    return c11(cond_signal(cond_of(c)));
}

static int broadcast_cnd(cnd_t *c)
{
    return c11(cond_broadcast(cond_of(c)));
}

static void destroy_cnd(cnd_t *c)
{
    fore_turn_forget(c);
    fore_turn_native.cnd_destroy(c);
}

/* ---- semaphores ---- */

/* What was not obtained is not recorded, and so not counted. */
static int obtained(int status)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (status && t && t->operations)
        t->operations--;
    return status;
}

static int wait_sem(sem_t *s)
{
    if (is_shared_semaphore(s))
        return OUTSIDE(fore_turn_native.sem_wait(s));
    fore_turn_point(fore_turn_op_on(FORE_OP_acquire, s));
    return fore_turn_native.sem_wait(s);
}

static int try_sem(sem_t *s)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_acquire, s);
    op.deadline = 0; /* it does not wait */
    fore_turn_point(op);
    return obtained(fore_turn_native.sem_trywait(s));
}

static int wait_sem_until(sem_t *s, clockid_t clock, const struct timespec *until)
{
    if (!fore_turn_self())
        return fore_turn_native.sem_clockwait(s, clock, until);
    if (wait_until(fore_turn_op_on(FORE_OP_acquire, s), clock, until)) {
        errno = ETIMEDOUT;
        return obtained(-1);
    }
    return fore_turn_native.sem_trywait(s);
}

static int timed_wait_sem(sem_t *s, const struct timespec *until)
{
    return wait_sem_until(s, CLOCK_REALTIME, until);
}

/* ---- all of them ---- */

void fore_turn_calls_start(void)
{
    fore_turn_native = fore_rt_real;
#define DO(name, ours) fore_rt_real.name = ours;
    DO(pthread_mutex_init, init_mutex)
    DO(pthread_mutex_lock, lock_mutex)
    DO(pthread_mutex_trylock, try_mutex)
    DO(pthread_mutex_timedlock, timed_lock_mutex)
    DO(pthread_mutex_clocklock, lock_mutex_until)
    DO(pthread_mutex_unlock, unlock_mutex)
    DO(pthread_mutex_destroy, destroy_mutex)
    DO(mtx_init, init_mtx)
    DO(mtx_lock, lock_mtx)
    DO(mtx_trylock, try_mtx)
    DO(mtx_timedlock, timed_lock_mtx)
    DO(mtx_unlock, unlock_mtx)
    DO(mtx_destroy, destroy_mtx)
    DO(pthread_spin_init, init_spin)
    DO(pthread_spin_lock, lock_spin)
    DO(pthread_spin_trylock, try_spin)
    DO(pthread_spin_unlock, unlock_spin)
    DO(flockfile, lock_stream)
    DO(ftrylockfile, try_stream)
    DO(funlockfile, unlock_stream)
    DO(pthread_rwlock_init, init_rwlock)
    DO(pthread_rwlock_rdlock, lock_to_read)
    DO(pthread_rwlock_wrlock, lock_to_write)
    DO(pthread_rwlock_tryrdlock, try_to_read)
    DO(pthread_rwlock_trywrlock, try_to_write)
    DO(pthread_rwlock_timedrdlock, timed_read)
    DO(pthread_rwlock_timedwrlock, timed_write)
    DO(pthread_rwlock_clockrdlock, read_until)
    DO(pthread_rwlock_clockwrlock, write_until)
    DO(pthread_rwlock_unlock, unlock_rwlock)
    DO(pthread_rwlock_destroy, destroy_rwlock)
    DO(pthread_cond_init, init_cond)
    DO(pthread_cond_wait, cond_wait)
    DO(pthread_cond_timedwait, cond_timedwait)
    DO(pthread_cond_clockwait, cond_clockwait)
    DO(pthread_cond_signal, cond_signal)
    DO(pthread_cond_broadcast, cond_broadcast)
    DO(pthread_cond_destroy, destroy_cond)
    DO(cnd_init, init_cnd)
    DO(cnd_wait, wait_cnd)
    DO(cnd_timedwait, timed_wait_cnd)
    DO(cnd_signal, signal_cnd)
    DO(cnd_broadcast, broadcast_cnd)
    DO(cnd_destroy, destroy_cnd)
    DO(sem_wait, wait_sem)
    DO(sem_trywait, try_sem)
    DO(sem_timedwait, timed_wait_sem)
    DO(sem_clockwait, wait_sem_until)
#undef DO
    fore_turn_thread_calls_start();
}

void fore_turn_calls_stop(void)
{
    fore_rt_real = fore_turn_native;
}
