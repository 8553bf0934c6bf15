/* The calls that synchronise. Each does what its namesake does, and records it: a ticket is
 * taken while the object is held, so after acquiring and before releasing. */
#include "c/rt.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "c/sync.h"

/* ---- one operation ---- */

struct op {
    struct fore_ring_record *record;
    struct fore_rt_object *object;
};

static struct op put(unsigned kind, unsigned flags, const void *address, unsigned of,
                     unsigned object_flags, bool ticket, uint64_t a, uint64_t b)
{
    struct op op = {0};
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return op;
    if (address)
        op.object = fore_rt_object(t, address, of, object_flags);
    if (!address || op.object) {
        uint32_t where = fore_rt_where(t, t->site);
        op.record = fore_rt_take(t, 1);
        ((uint64_t *)(op.record + 1))[0] = a;
        ((uint64_t *)(op.record + 1))[1] = b;
        fore_rt_put(t, op.record, where, op.object ? op.object->id : 0,
                    FORE_RING_WORD(kind, flags, 1,
                                   ticket && op.object ? fore_rt_ticket(op.object) : 0));
    } else {
        fore_rt_dropped();
    }
    fore_rt_leave(t);
    return op;
}

/* About to wait. */
static struct op wait_on(unsigned kind, const void *address, unsigned of, unsigned flags,
                         uint64_t a)
{
    return put(kind, 0, address, of, flags, false, a, 0);
}

/* Done at once. */
static void done(unsigned kind, unsigned flags, const void *address, unsigned of,
                 unsigned object_flags, uint64_t a)
{
    put(kind, FORE_RING_DONE | flags, address, of, object_flags,
        !(flags & FORE_RING_BUSY), a, 0);
}

static void complete(struct op op)
{
    if (!op.record)
        return;
    uint64_t ticket = op.object ? fore_rt_ticket(op.object) : 0;
    uint64_t word = (op.record->word & 0xffffff) | FORE_RING_DONE << 8 | ticket << 24;
    __atomic_store_n(&op.record->word, word, __ATOMIC_RELEASE);
}

/* It failed: the record becomes one that says nothing. */
static void withdraw(struct op op)
{
    if (op.record)
        __atomic_store_n(&op.record->word,
                         FORE_RING_WORD(FORE_RING_DEF_STRING, FORE_RING_DONE, 1, 0),
                         __ATOMIC_RELEASE);
}

static int finish(struct op op, int failed)
{
    if (failed)
        withdraw(op);
    else
        complete(op);
    return failed;
}

/* ---- threads ---- */

struct start {
    void *(*run)(void *);
    void *argument;
    uint32_t number;
};

struct known {
    struct known *after;
    pthread_t handle;
    uint32_t number; /* 0: free */
};

static struct {
    uint32_t lock;
    struct known *first;
} threads;

/* With threads.lock held. A handle comes again when its thread is gone. */
static void remember(pthread_t handle, uint32_t number)
{
    struct known *k = threads.first;
    while (k && k->number && !pthread_equal(k->handle, handle))
        k = k->after;
    if (!k && (k = calloc(1, sizeof *k))) {
        k->after = threads.first;
        threads.first = k;
    }
    if (k) {
        k->handle = handle;
        k->number = number;
    }
}

static uint32_t number_of(pthread_t handle)
{
    uint32_t found = 0;
    fore_rt_spin(&threads.lock);
    for (struct known *k = threads.first; k && !found; k = k->after)
        if (k->number && pthread_equal(k->handle, handle))
            found = k->number;
    fore_rt_unspin(&threads.lock);
    return found;
}

static void forget_thread(uint32_t number)
{
    fore_rt_spin(&threads.lock);
    for (struct known *k = threads.first; k; k = k->after)
        if (k->number == number)
            k->number = 0;
    fore_rt_unspin(&threads.lock);
}

static void ended(void *unused)
{
    (void)unused;
    fore_rt_end_thread();
}

static void *trampoline(void *argument)
{
    struct start s = *(struct start *)argument;
    void *result;
    free(argument);
    fore_rt_begin_thread(s.number);
    pthread_cleanup_push(ended,
                         NULL); /* also when it is cancelled or calls pthread_exit */
    result = s.run(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

/* The thread's number is known to whoever may join it before anybody can. */
int foresee_rt_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                              void *(*run)(void *), void *argument)
{
    struct start *s = fore_rt_on() ? malloc(sizeof *s) : NULL;
    if (!s)
        return pthread_create(handle, attributes, run, argument);
    uint32_t number = fore_rt_new_thread();
    *s = (struct start){run, argument, number};
    fore_rt_spin(&threads.lock);
    int failed = pthread_create(handle, attributes, trampoline, s);
    if (!failed)
        remember(*handle, number);
    fore_rt_unspin(&threads.lock);
    if (failed)
        free(s);
    else
        put(FORE_RING_SIGNAL, FORE_RING_DONE, NULL, 0, 0, false, number, 0);
    return failed;
}

int foresee_rt_pthread_join(pthread_t handle, void **result)
{
    uint32_t number = fore_rt_on() ? number_of(handle) : 0;
    if (!number)
        return pthread_join(handle, result);
    struct op op = put(FORE_RING_JOIN, 0, NULL, 0, 0, false, number, 0);
    int failed = pthread_join(handle, result);
    if (!failed)
        forget_thread(number);
    return finish(op, failed);
}

/* ---- mutexes and spin locks ---- */

enum { LOCK = FORE_RING_OBJ_LOCK, RW = FORE_RING_OBJ_RW, SPIN = FORE_RING_OBJ_HIDDEN };

int foresee_rt_pthread_mutex_lock(pthread_mutex_t *m)
{
    struct op op = wait_on(FORE_RING_LOCK, m, LOCK, 0, 0);
    int status = pthread_mutex_lock(m);
    finish(op, status && status != EOWNERDEAD);
    return status;
}

static int tried(int status, const void *lock, unsigned kind, unsigned flags)
{
    bool got = status == 0 || status == EOWNERDEAD;
    if (got || status == EBUSY || status == ETIMEDOUT)
        done(kind, got ? 0 : FORE_RING_BUSY, lock, LOCK, flags, 0);
    return status;
}

int foresee_rt_pthread_mutex_trylock(pthread_mutex_t *m)
{
    return tried(pthread_mutex_trylock(m), m, FORE_RING_TRYLOCK, 0);
}

int foresee_rt_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    return tried(pthread_mutex_timedlock(m, until), m, FORE_RING_TRYLOCK, 0);
}

int foresee_rt_pthread_mutex_unlock(pthread_mutex_t *m)
{
    done(FORE_RING_UNLOCK, 0, m, LOCK, 0, 0);
    return pthread_mutex_unlock(m);
}

int foresee_rt_pthread_mutex_destroy(pthread_mutex_t *m)
{
    fore_rt_forget(m, LOCK);
    return pthread_mutex_destroy(m);
}

int foresee_rt_pthread_spin_lock(pthread_spinlock_t *l)
{
    struct op op = wait_on(FORE_RING_LOCK, (const void *)l, LOCK, SPIN, 0);
    return finish(op, pthread_spin_lock(l));
}

int foresee_rt_pthread_spin_trylock(pthread_spinlock_t *l)
{
    return tried(pthread_spin_trylock(l), (const void *)l, FORE_RING_TRYLOCK, SPIN);
}

int foresee_rt_pthread_spin_unlock(pthread_spinlock_t *l)
{
    done(FORE_RING_UNLOCK, 0, (const void *)l, LOCK, SPIN, 0);
    return pthread_spin_unlock(l);
}

/* ---- locks of readers and writers: unlocking is one call for both ---- */

static _Thread_local const void
    *writing[16]; /* the locks that this thread holds to write */

static void note_writing(const void *lock, bool begins)
{
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
        if (writing[i] == (begins ? NULL : lock)) {
            writing[i] = begins ? lock : NULL;
            return;
        }
}

static bool is_writing(const void *lock)
{
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
        if (writing[i] == lock)
            return true;
    return false;
}

int foresee_rt_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    struct op op = wait_on(FORE_RING_RLOCK, l, LOCK, RW, 0);
    return finish(op, pthread_rwlock_rdlock(l));
}

int foresee_rt_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    struct op op = wait_on(FORE_RING_LOCK, l, LOCK, RW, 0);
    int failed = finish(op, pthread_rwlock_wrlock(l));
    if (!failed)
        note_writing(l, true);
    return failed;
}

int foresee_rt_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    return tried(pthread_rwlock_tryrdlock(l), l, FORE_RING_TRYRLOCK, RW);
}

int foresee_rt_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    int failed = tried(pthread_rwlock_trywrlock(l), l, FORE_RING_TRYLOCK, RW);
    if (!failed)
        note_writing(l, true);
    return failed;
}

int foresee_rt_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    bool writes = is_writing(l);
    done(writes ? FORE_RING_UNLOCK : FORE_RING_RUNLOCK, 0, l, LOCK, RW, 0);
    if (writes)
        note_writing(l, false);
    return pthread_rwlock_unlock(l);
}

int foresee_rt_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    fore_rt_forget(l, LOCK);
    return pthread_rwlock_destroy(l);
}

/* ---- conditions ---- */

/* The lock is released and taken again: both take its tickets too. */
static int wait_with(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *lock = t ? fore_rt_object(t, m, LOCK, 0) : NULL;
    if (t)
        fore_rt_leave(t);
    if (!lock)
        return until ? pthread_cond_timedwait(c, m, until) : pthread_cond_wait(c, m);
    put(FORE_RING_CWAIT, FORE_RING_DONE, c, FORE_RING_OBJ_COND, 0, true, lock->id,
        fore_rt_ticket(lock));
    struct op op = wait_on(FORE_RING_CWOKEN, c, FORE_RING_OBJ_COND, 0, lock->id);
    int status = until ? pthread_cond_timedwait(c, m, until) : pthread_cond_wait(c, m);
    if (op.record)
        ((uint64_t *)(op.record + 1))[1] = fore_rt_ticket(lock);
    complete(op);
    return status;
}

int foresee_rt_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return wait_with(c, m, NULL);
}

int foresee_rt_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                      const struct timespec *until)
{
    return wait_with(c, m, until);
}

int foresee_rt_pthread_cond_signal(pthread_cond_t *c)
{
    done(FORE_RING_CSIGNAL, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return pthread_cond_signal(c);
}

int foresee_rt_pthread_cond_broadcast(pthread_cond_t *c)
{
    done(FORE_RING_CBROADCAST, 0, c, FORE_RING_OBJ_COND, 0, 0);
    return pthread_cond_broadcast(c);
}

int foresee_rt_pthread_cond_destroy(pthread_cond_t *c)
{
    fore_rt_forget(c, FORE_RING_OBJ_COND);
    return pthread_cond_destroy(c);
}

/* ---- semaphores ---- */

int foresee_rt_sem_wait(sem_t *s)
{
    struct op op = wait_on(FORE_RING_ACQUIRE, s, FORE_RING_OBJ_SEM, 0, 1);
    int status = sem_wait(s), why = errno;
    finish(op, status);
    errno = why;
    return status;
}

static int acquired(int status, sem_t *s)
{
    int why = errno;
    if (!status)
        done(FORE_RING_ACQUIRE, 0, s, FORE_RING_OBJ_SEM, 0, 1);
    errno = why;
    return status;
}

int foresee_rt_sem_trywait(sem_t *s)
{
    return acquired(sem_trywait(s), s);
}

int foresee_rt_sem_timedwait(sem_t *s, const struct timespec *until)
{
    return acquired(sem_timedwait(s, until), s);
}

int foresee_rt_sem_post(sem_t *s)
{
    done(FORE_RING_RELEASE, 0, s, FORE_RING_OBJ_SEM, 0, 1);
    return sem_post(s);
}

int foresee_rt_sem_destroy(sem_t *s)
{
    fore_rt_forget(s, FORE_RING_OBJ_SEM);
    return sem_destroy(s);
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
    return pthread_barrier_init(b, attributes, count);
}

int foresee_rt_pthread_barrier_wait(pthread_barrier_t *b)
{
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *o = t ? fore_rt_object(t, b, FORE_RING_OBJ_BARRIER, 0) : NULL;
    if (t)
        fore_rt_leave(t);
    struct op op =
        wait_on(FORE_RING_BARRIER, b, FORE_RING_OBJ_BARRIER, 0, o ? o->size : 0);
    int status = pthread_barrier_wait(b);
    finish(op, status && status != PTHREAD_BARRIER_SERIAL_THREAD);
    return status;
}

int foresee_rt_pthread_barrier_destroy(pthread_barrier_t *b)
{
    fore_rt_forget(b, FORE_RING_OBJ_BARRIER);
    return pthread_barrier_destroy(b);
}

/* ---- once ---- */

static _Thread_local struct {
    pthread_once_t *control;
    void (*run)(void);
    bool ran;
} once;

/* Recorded before those who wait for it go on. */
static void run_once(void)
{
    pthread_once_t *control = once.control;
    once.run();
    done(FORE_RING_ONCE, 0, control, FORE_RING_OBJ_ONCE, 0, 0);
    once.ran = true;
}

int foresee_rt_pthread_once(pthread_once_t *control, void (*run)(void))
{
    if (!fore_rt_on())
        return pthread_once(control, run);
    once.control = control;
    once.run = run;
    once.ran = false;
    int failed = pthread_once(control, run_once);
    if (!failed && !once.ran)
        put(FORE_RING_ONCE, FORE_RING_DONE | FORE_RING_BUSY, control, FORE_RING_OBJ_ONCE,
            0, true, 0, 0);
    once.ran = false;
    return failed;
}
