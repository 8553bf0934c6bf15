/* Conditions, semaphores, barriers and once. */
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/hold.h"
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>

/* ---- conditions ---- */

struct wait {
    struct fore_rt_op op;
    struct fore_rt_object *lock;
};

/* The lock is released and taken again: both take its tickets too. */
static struct wait wait_begin(const void *c, const void *m)
{
    struct fore_rt_thread *t = fore_rt_enter();
    struct wait w = {.lock = t ? fore_rt_object(t, m, FORE_RT_LOCK, 0) : NULL};
    if (t)
        fore_rt_leave(t);
    if (!w.lock)
        return w;
    fore_rt_let_go(fore_rt_self(), w.lock);
    fore_rt_op_put(FORE_RING_CWAIT, FORE_RING_DONE, c, FORE_RING_OBJ_COND, 0, true,
                   w.lock->id, fore_rt_ticket(w.lock));
    fore_rt_teach(fore_rt_self(), m);
    w.op = fore_rt_op_wait(FORE_RING_CWOKEN, c, FORE_RING_OBJ_COND, 0, w.lock->id);
    return w;
}

static int wait_end(struct wait w, int status)
{
    if (w.op.record) {
        fore_rt_op_finish_with(w.op, 0, fore_rt_ticket(w.lock));
        fore_rt_hold(fore_rt_self(), w.lock);
    }
    return status;
}

/* A wait that ends by itself waits for nobody: the lock is given back, and taken again. */
static void pause_begin(const void *m)
{
    struct fore_rt_op op =
        fore_rt_op_put(FORE_RING_UNLOCK, FORE_RING_DONE, m, FORE_RT_LOCK, 0, true, 0, 0);
    if (op.record && !fore_rt_tells())
        fore_rt_teach(fore_rt_self(), m);
}

static int pause_end(const void *m, int status)
{
    fore_rt_op_done(FORE_RING_LOCK, 0, m, FORE_RT_LOCK, 0, 0);
    return status;
}

static void know_of_cancellation(void)
{
    if (fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_outside(FORE_RT_THING_CANCELLATION, 0, FORE_RING_IN, NULL);
}

/* A cancelled wait takes its lock again before its cleanup handlers run. */
static void cancelled(void *w)
{
    wait_end(*(struct wait *)w, 0);
    know_of_cancellation();
}

static void cancelled_pause(void *m)
{
    pause_end(m, 0);
    know_of_cancellation();
}

int foresee_rt_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
    fore_rt_forget(c, FORE_RING_OBJ_COND);
    return fore_rt_real.pthread_cond_init(c, a);
}

/* May another process end a wait for it? */
static bool is_others_condition(const pthread_cond_t *c)
{
#ifdef __GLIBC__
    return c->__data.__wrefs & 1 && fore_rt_has_relatives();
#else
    (void)c;
    return false;
#endif
}

/* Another process may end the wait, as a timer ends one with a time limit. */
static int wait_for_processes(pthread_cond_t *c, pthread_mutex_t *m)
{
    int status;
    fore_turn_release(FORE_OP_unlock, c, m);
    pause_begin(m);
    pthread_cleanup_push(cancelled_pause, m);
    status = fore_rt_real.pthread_cond_wait(c, m);
    pthread_cleanup_pop(0);
    return pause_end(m, status);
}

int foresee_rt_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    if (is_others_condition(c))
        return wait_for_processes(c, m);
    fore_turn_release(FORE_OP_cwait, c, m);
    struct wait w = wait_begin(c, m);
    int status;
    pthread_cleanup_push(cancelled, &w);
    status = fore_rt_real.pthread_cond_wait(c, m);
    pthread_cleanup_pop(0);
    return wait_end(w, status);
}

int foresee_rt_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                      const struct timespec *until)
{
    int status;
    fore_turn_release(FORE_OP_unlock, c, m);
    pause_begin(m);
    pthread_cleanup_push(cancelled_pause, m);
    status = fore_rt_real.pthread_cond_timedwait(c, m, until);
    pthread_cleanup_pop(0);
    return pause_end(m, status);
}

int foresee_rt_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                      clockid_t clock, const struct timespec *until)
{
    int status;
    fore_turn_release(FORE_OP_unlock, c, m);
    pause_begin(m);
    pthread_cleanup_push(cancelled_pause, m);
    status = fore_rt_real.pthread_cond_clockwait(c, m, clock, until);
    pthread_cleanup_pop(0);
    return pause_end(m, status);
}

int foresee_rt_pthread_cond_signal(pthread_cond_t *c)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    fore_turn_at(FORE_OP_csignal, c);
    fore_rt_op_done(FORE_RING_CSIGNAL, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return fore_rt_real.pthread_cond_signal(c);
}

int foresee_rt_pthread_cond_broadcast(pthread_cond_t *c)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    fore_turn_at(FORE_OP_cbroadcast, c);
    fore_rt_op_done(FORE_RING_CBROADCAST, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return fore_rt_real.pthread_cond_broadcast(c);
}

int foresee_rt_pthread_cond_destroy(pthread_cond_t *c)
{
    fore_rt_forget(c, FORE_RING_OBJ_COND);
    return fore_rt_real.pthread_cond_destroy(c);
}

/* ---- conditions of C11 ---- */

int foresee_rt_cnd_init(cnd_t *c)
{
    fore_rt_forget(c, FORE_RING_OBJ_COND);
    return fore_rt_real.cnd_init(c);
}

int foresee_rt_cnd_wait(cnd_t *c, mtx_t *m)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    fore_turn_release(FORE_OP_cwait, c, m);
    struct wait w = wait_begin(c, m);
    int status;
    pthread_cleanup_push(cancelled, &w);
    status = fore_rt_real.cnd_wait(c, m);
    pthread_cleanup_pop(0);
    return wait_end(w, status);
}

int foresee_rt_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    int status;
    fore_turn_release(FORE_OP_unlock, c, m);
    pause_begin(m);
    pthread_cleanup_push(cancelled_pause, m);
    status = fore_rt_real.cnd_timedwait(c, m, until);
    pthread_cleanup_pop(0);
    return pause_end(m, status);
}

int foresee_rt_cnd_signal(cnd_t *c)
{
    fore_turn_at(FORE_OP_csignal, c);
    fore_rt_op_done(FORE_RING_CSIGNAL, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return fore_rt_real.cnd_signal(c);
}

int foresee_rt_cnd_broadcast(cnd_t *c)
{
    fore_turn_at(FORE_OP_cbroadcast, c);
    fore_rt_op_done(FORE_RING_CBROADCAST, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return fore_rt_real.cnd_broadcast(c);
}

void foresee_rt_cnd_destroy(cnd_t *c)
{
    fore_rt_forget(c, FORE_RING_OBJ_COND);
    fore_rt_real.cnd_destroy(c);
}

/* ---- semaphores ---- */

/* The initial units count as released by the thread that made the semaphore. */
int foresee_rt_sem_init(sem_t *s, int shared, unsigned value)
{
    fore_rt_forget(s, FORE_RING_OBJ_SEM);
    int status = fore_rt_real.sem_init(s, shared, value);
    if (!status && value) {
        fore_turn_at(FORE_OP_release, s);
        fore_rt_op_done(FORE_RING_RELEASE, 0, s, FORE_RING_OBJ_SEM, 0, value);
    }
    return status;
}

static int acquired(int status, sem_t *s)
{
    int why = errno;
    if (!status) /* busy: the thread only tried, and would have gone on without the unit */
        fore_rt_op_put(FORE_RING_ACQUIRE, FORE_RING_DONE | FORE_RING_BUSY, s,
                       FORE_RING_OBJ_SEM, 0, true, 1, 0);
    errno = why;
    return status;
}

/* May another process end a wait for it? Behind its value the library keeps how it is to wait, which is 0 within one process. */
static bool is_others_semaphore(const sem_t *s)
{
#if defined __GLIBC__ && __SIZEOF_POINTER__ == 8
    return ((const int *)(const void *)s)[2] && fore_rt_has_relatives();
#else
    (void)s;
    return false;
#endif
}

int foresee_rt_sem_wait(sem_t *s)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    if (is_others_semaphore(s))
        return acquired(fore_rt_real.sem_wait(s), s);
    struct fore_rt_op op = fore_rt_op_wait(FORE_RING_ACQUIRE, s, FORE_RING_OBJ_SEM, 0, 1);
    int status = fore_rt_real.sem_wait(s), why = errno;
    fore_rt_op_finish(op, status);
    errno = why;
    return status;
}

int foresee_rt_sem_trywait(sem_t *s)
{
    return acquired(fore_rt_real.sem_trywait(s), s);
}

int foresee_rt_sem_timedwait(sem_t *s, const struct timespec *until)
{
    return acquired(fore_rt_real.sem_timedwait(s, until), s);
}

int foresee_rt_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    return acquired(fore_rt_real.sem_clockwait(s, clock, until), s);
}

int foresee_rt_sem_post(sem_t *s)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    fore_turn_at(FORE_OP_release, s);
    fore_rt_op_done(FORE_RING_RELEASE, 0, s, FORE_RING_OBJ_SEM, 0, 1);
    return fore_rt_real.sem_post(s);
}

int foresee_rt_sem_destroy(sem_t *s)
{
    fore_rt_forget(s, FORE_RING_OBJ_SEM);
    return fore_rt_real.sem_destroy(s);
}

/* ---- barriers ---- */

int foresee_rt_pthread_barrier_init(pthread_barrier_t *b,
                                    const pthread_barrierattr_t *attributes,
                                    unsigned count)
{
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *o = NULL;
    if (t) {
        fore_rt_forget(b, FORE_RING_OBJ_BARRIER);
        o = fore_rt_object(t, b, FORE_RING_OBJ_BARRIER, 0);
        fore_rt_leave(t);
    }
    if (o)
        o->size = count;
    return fore_rt_real.pthread_barrier_init(b, attributes, count);
}

int foresee_rt_pthread_barrier_wait(pthread_barrier_t *b)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *o = t ? fore_rt_object(t, b, FORE_RING_OBJ_BARRIER, 0) : NULL;
    if (t)
        fore_rt_leave(t);
    struct fore_rt_op op =
        fore_rt_op_wait(FORE_RING_BARRIER, b, FORE_RING_OBJ_BARRIER, 0, o ? o->size : 0);
    int status = fore_rt_real.pthread_barrier_wait(b);
    fore_rt_op_finish(op, status && status != PTHREAD_BARRIER_SERIAL_THREAD);
    return status;
}

int foresee_rt_pthread_barrier_destroy(pthread_barrier_t *b)
{
    fore_rt_forget(b, FORE_RING_OBJ_BARRIER);
    return fore_rt_real.pthread_barrier_destroy(b);
}

/* ---- once ---- */

static _Thread_local struct {
    const void *control;
    void (*run)(void);
    struct fore_c_site *site;
    bool ran;
} once;

struct tried {
    const void *control;
    struct fore_c_site *site;
};

/* By an exception, or the thread was cancelled. */
static void leave_once(void *of)
{
    const struct tried *t = of;
    fore_rt_once_left(t->control, t->site);
}

/* Recorded before the threads that wait for it go on. If something ran at this address before, that was
 * another object, whose memory is used again (std::future has one of its own). */
static void run_once(void)
{
    const void *control = once.control;
    struct fore_c_site *site = once.site;
    struct tried tried = {control, site};
    fore_rt_once_tried(control, site);
    foresee_rt_site = (uintptr_t)site | 1;
    pthread_cleanup_push(leave_once, &tried);
    once.run();
    pthread_cleanup_pop(0);
    foresee_rt_site = (uintptr_t)site;
    fore_rt_forget(control, FORE_RING_OBJ_ONCE);
    fore_rt_op_done(FORE_RING_ONCE, 0, control, FORE_RING_OBJ_ONCE, 0, 0);
    once.ran = true;
}

static void once_begin(const void *control, void (*run)(void))
{
    once.control = control;
    once.run = run;
    once.site = fore_rt_site();
    once.ran = false;
}

static void once_end(const void *control, bool failed)
{
    if (!failed && !once.ran)
        fore_rt_op_put(FORE_RING_ONCE, FORE_RING_DONE | FORE_RING_BUSY, control,
                       FORE_RING_OBJ_ONCE, 0, true, 0, 0);
    once.ran = false;
}

int foresee_rt_pthread_once(pthread_once_t *control, void (*run)(void))
{
    if (!fore_rt_on())
        return fore_rt_real.pthread_once(control, run);
    once_begin(control, run);
    int failed = fore_rt_real.pthread_once(control, run_once);
    once_end(control, failed);
    return failed;
}

void foresee_rt_call_once(once_flag *flag, void (*run)(void))
{
    if (!fore_rt_on()) {
        fore_rt_real.call_once(flag, run);
        return;
    }
    once_begin(flag, run);
    fore_rt_real.call_once(flag, run_once);
    once_end(flag, false);
}
