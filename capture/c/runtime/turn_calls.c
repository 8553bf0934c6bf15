/* The library's calls, done by turns. They stand in fore_rt_real while a schedule is followed: a
 * call that may block is a point and is done when it would not block; one that gives something back
 * was a point before it was recorded, see sync.c, and only the shadow is kept here.
 *
 * What a handler of signals calls while its thread is in here is done as it was called. */
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>

static struct fore_rt_real native;

static struct fore_turn_op op_on(unsigned kind, const void *object)
{
    return (struct fore_turn_op){.kind = (uint16_t)kind,
                                 .address = object,
                                 .site = fore_rt_site(),
                                 .deadline = FORE_TURN_NEVER};
}

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

/* ---- mutexes ---- */

static bool is_shared(const pthread_mutex_t *m)
{
#ifdef __GLIBC__
    return (m->__data.__kind & (128 | 16)) == 128; /* robust ones have that bit, too */
#else
    (void)m;
    return false;
#endif
}

static int lock_mutex(pthread_mutex_t *m)
{
    if (is_shared(m)) { /* with other processes, whose turns nobody knows */
        fore_turn_leave();
        int status = native.pthread_mutex_lock(m);
        fore_turn_back();
        return status;
    }
    fore_turn_point(op_on(FORE_OP_lock, m));
    return took(m, native.pthread_mutex_lock(m), true);
}

static int try_mutex(pthread_mutex_t *m)
{
    fore_turn_point(op_on(FORE_OP_trylock, m));
    return took(m, native.pthread_mutex_trylock(m), true);
}

/* True if it is the time that has come. */
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
        return native.pthread_mutex_clocklock(m, clock, until);
    return wait_until(op_on(FORE_OP_trylock, m), clock, until)
               ? ETIMEDOUT
               : took(m, native.pthread_mutex_trylock(m), true);
}

static int timed_lock_mutex(pthread_mutex_t *m, const struct timespec *until)
{
    return lock_mutex_until(m, CLOCK_REALTIME, until);
}

static int unlock_mutex(pthread_mutex_t *m)
{
    return gave(m, native.pthread_mutex_unlock(m));
}

static int init_mutex(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    fore_turn_forget(m);
    return native.pthread_mutex_init(m, a);
}

static int destroy_mutex(pthread_mutex_t *m)
{
    int status = native.pthread_mutex_destroy(m);
    if (!status)
        fore_turn_forget(m);
    return status;
}

static int init_mtx(mtx_t *m, int type)
{
    fore_turn_forget(m);
    return native.mtx_init(m, type);
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
    native.mtx_destroy(m);
}

/* ---- spin locks ---- */

enum { PLAIN, READERS_WRITERS, SPINS };

static int lock_spin(pthread_spinlock_t *l)
{
    struct fore_turn_op op = op_on(FORE_OP_lock, (const void *)l);
    op.number = SPINS;
    fore_turn_point(op);
    return took((const void *)l, native.pthread_spin_lock(l), true);
}

static int try_spin(pthread_spinlock_t *l)
{
    fore_turn_point(op_on(FORE_OP_trylock, (const void *)l));
    return took((const void *)l, native.pthread_spin_trylock(l), true);
}

static int unlock_spin(pthread_spinlock_t *l)
{
    return gave((const void *)l, native.pthread_spin_unlock(l));
}

static int init_spin(pthread_spinlock_t *l, int shared)
{
    fore_turn_forget((const void *)l);
    return native.pthread_spin_init(l, shared);
}

/* ---- readers and writers ---- */

static int init_rwlock(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
    fore_turn_forget(l);
    return native.pthread_rwlock_init(l, a);
}

static int destroy_rwlock(pthread_rwlock_t *l)
{
    int status = native.pthread_rwlock_destroy(l);
    if (!status)
        fore_turn_forget(l);
    return status;
}

static int lock_to_read(pthread_rwlock_t *l)
{
    fore_turn_point(op_on(FORE_OP_rlock, l));
    return took(l, native.pthread_rwlock_rdlock(l), false);
}

static int lock_to_write(pthread_rwlock_t *l)
{
    struct fore_turn_op op = op_on(FORE_OP_lock, l);
    op.number = READERS_WRITERS;
    fore_turn_point(op);
    return took(l, native.pthread_rwlock_wrlock(l), true);
}

static int try_to_read(pthread_rwlock_t *l)
{
    fore_turn_point(op_on(FORE_OP_tryrlock, l));
    return took(l, native.pthread_rwlock_tryrdlock(l), false);
}

static int try_to_write(pthread_rwlock_t *l)
{
    fore_turn_point(op_on(FORE_OP_trylock, l));
    return took(l, native.pthread_rwlock_trywrlock(l), true);
}

static int read_until(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    if (!fore_turn_self())
        return native.pthread_rwlock_clockrdlock(l, clock, until);
    return wait_until(op_on(FORE_OP_tryrlock, l), clock, until)
               ? ETIMEDOUT
               : took(l, native.pthread_rwlock_tryrdlock(l), false);
}

static int write_until(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    struct fore_turn_op op = op_on(FORE_OP_trylock, l);
    op.number = READERS_WRITERS;
    if (!fore_turn_self())
        return native.pthread_rwlock_clockwrlock(l, clock, until);
    return wait_until(op, clock, until)
               ? ETIMEDOUT
               : took(l, native.pthread_rwlock_trywrlock(l), true);
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
    return gave(l, native.pthread_rwlock_unlock(l));
}

/* ---- conditions ---- */

/* Nobody ever waits in the library's condition: it is the shadow that is signalled. `kind` is how
 * the wait's end is recorded. */
static int wait_for_signal(pthread_cond_t *c, pthread_mutex_t *m, unsigned kind,
                           uint64_t deadline)
{
    struct fore_turn_thread *t = fore_turn_self();
    struct fore_turn_op op = op_on(kind, c);
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
    status = took(m, native.pthread_mutex_lock(m), true);
    if (t->cancelled)
        fore_turn_cancelled(t);
    return late ? ETIMEDOUT : status;
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return fore_turn_self() ? wait_for_signal(c, m, FORE_OP_cwoken, FORE_TURN_NEVER)
                            : native.pthread_cond_wait(c, m);
}

static int cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                          const struct timespec *until)
{
    return fore_turn_self()
               ? wait_for_signal(c, m, FORE_OP_lock, fore_turn_until(clock, until))
               : native.pthread_cond_clockwait(c, m, clock, until);
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
    return fore_turn_self() ? cond_clockwait(c, m, clock_of(c), until)
                            : native.pthread_cond_timedwait(c, m, until);
}

static int cond_signal(pthread_cond_t *c)
{
    fore_turn_signal(c, false);
    return native.pthread_cond_signal(c); /* for those who are not controlled */
}

static int cond_broadcast(pthread_cond_t *c)
{
    fore_turn_signal(c, true);
    return native.pthread_cond_broadcast(c);
}

static int init_cond(pthread_cond_t *c, const pthread_condattr_t *a)
{
    fore_turn_forget(c);
    return native.pthread_cond_init(c, a);
}

static int destroy_cond(pthread_cond_t *c)
{
    fore_turn_forget(c);
    return native.pthread_cond_destroy(c);
}

static pthread_cond_t *cond_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

static int init_cnd(cnd_t *c)
{
    fore_turn_forget(c);
    return native.cnd_init(c);
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
    native.cnd_destroy(c);
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
    fore_turn_point(op_on(FORE_OP_acquire, s));
    return native.sem_wait(s);
}

static int try_sem(sem_t *s)
{
    struct fore_turn_op op = op_on(FORE_OP_acquire, s);
    op.deadline = 0; /* it does not wait */
    fore_turn_point(op);
    return obtained(native.sem_trywait(s));
}

static int wait_sem_until(sem_t *s, clockid_t clock, const struct timespec *until)
{
    if (!fore_turn_self())
        return native.sem_clockwait(s, clock, until);
    if (wait_until(op_on(FORE_OP_acquire, s), clock, until)) {
        errno = ETIMEDOUT;
        return obtained(-1);
    }
    return native.sem_trywait(s);
}

static int timed_wait_sem(sem_t *s, const struct timespec *until)
{
    return wait_sem_until(s, CLOCK_REALTIME, until);
}

/* ---- barriers, once ---- */

static int init_barrier(pthread_barrier_t *b, const pthread_barrierattr_t *a,
                        unsigned count)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    fore_turn_forget(b);
    if (a)
        pthread_barrierattr_getpshared(a, &shared);
    if (shared == PTHREAD_PROCESS_PRIVATE)
        fore_turn_barrier(b, count);
    return native.pthread_barrier_init(b, a, count);
}

static int destroy_barrier(pthread_barrier_t *b)
{
    fore_turn_forget(b);
    return native.pthread_barrier_destroy(b);
}

static int wait_barrier(pthread_barrier_t *b)
{
    bool last;
    if (!fore_turn_self() || !fore_turn_knows_barrier(b)) {
        fore_turn_leave();
        int status = native.pthread_barrier_wait(b);
        fore_turn_back();
        return status;
    }
    fore_turn_point(op_on(FORE_OP_arrive, b));
    struct fore_turn_op op = op_on(FORE_OP_barrier, b);
    op.number = fore_turn_arrive(b, &last);
    fore_turn_point(op);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static void once_over(void *control)
{
    fore_turn_once(control, false);
}

static int run_once(pthread_once_t *control, void (*run)(void))
{
    int status;
    fore_turn_point(op_on(FORE_OP_once, control));
    fore_turn_once(control, true);
    pthread_cleanup_push(once_over, control);
    status = native.pthread_once(control, run);
    pthread_cleanup_pop(1);
    return status;
}

static void run_call_once(once_flag *flag, void (*run)(void))
{
    fore_turn_point(op_on(FORE_OP_once, flag));
    fore_turn_once(flag, true);
    pthread_cleanup_push(once_over, flag);
    native.call_once(flag, run);
    pthread_cleanup_pop(1);
}

/* ---- threads ---- */

static bool wait_for_end(pthread_t handle, uint64_t deadline)
{
    struct fore_turn_op op = op_on(FORE_OP_join, NULL);
    op.whom = fore_turn_known((unsigned long)handle);
    op.deadline = deadline;
    if (!op.whom)
        return false;
    op.address = op.whom;
    fore_turn_point(op);
    return true;
}

static int join_thread(pthread_t t, void **result)
{
    bool known = fore_turn_self() && wait_for_end(t, FORE_TURN_NEVER);
    if (!known)
        fore_turn_leave();
    int status = native.pthread_join(t, result);
    if (!known)
        fore_turn_back();
    else if (!status)
        fore_turn_gone((unsigned long)t);
    return status;
}

static int join_thrd(thrd_t t, int *result)
{
    bool known = fore_turn_self() && wait_for_end(t, FORE_TURN_NEVER);
    if (!known)
        fore_turn_leave();
    int status = native.thrd_join(t, result);
    if (!known)
        fore_turn_back();
    else if (status == thrd_success)
        fore_turn_gone((unsigned long)t);
    return status;
}

/* A thread that has ended as far as turns go ends at once. */
static int join_if_over(pthread_t t, void **result, uint64_t deadline, int busy)
{
    struct fore_turn_thread *me = fore_turn_self();
    if (!me || !wait_for_end(t, deadline))
        return native.pthread_tryjoin_np(t, result);
    if (me->timed_out)
        return busy;
    fore_turn_gone((unsigned long)t);
    return native.pthread_join(t, result);
}

static int try_join(pthread_t t, void **result)
{
    return join_if_over(t, result, 0, EBUSY);
}

static int timed_join(pthread_t t, void **result, const struct timespec *until)
{
    return join_if_over(t, result, fore_turn_until(CLOCK_REALTIME, until), ETIMEDOUT);
}

/* It waits in here, where it cannot be cancelled: it is let go, and ends when it has the turn. */
static int cancel_thread(pthread_t t)
{
    struct fore_turn_thread *whom = fore_turn_known((unsigned long)t);
    fore_turn_point(op_on(FORE_OP_yield, whom));
    int status = native.pthread_cancel(t);
    if (!status && whom)
        whom->cancelled = true;
    return status;
}

void fore_turn_cancelled(struct fore_turn_thread *t)
{
    t->cancelled = false;
    pthread_testcancel();
}

/* ---- all of them ---- */

void fore_turn_calls_start(void)
{
    native = fore_rt_real;
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
    DO(pthread_barrier_init, init_barrier)
    DO(pthread_barrier_wait, wait_barrier)
    DO(pthread_barrier_destroy, destroy_barrier)
    DO(pthread_once, run_once)
    DO(call_once, run_call_once)
    DO(pthread_join, join_thread)
    DO(pthread_tryjoin_np, try_join)
    DO(pthread_timedjoin_np, timed_join)
    DO(thrd_join, join_thrd)
    DO(pthread_cancel, cancel_thread)
#undef DO
}

void fore_turn_calls_stop(void)
{
    fore_rt_real = native;
}
