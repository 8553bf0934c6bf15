/* The calls that synchronise, one row each: X for those that return an int, V for those that
 * return nothing. The instrumentor renames them to foresee_rt_…, the runtime defines these, and
 * catches the same calls of libraries that were not instrumented. A file that expands the rows
 * includes what their types need. */
#ifndef FORE_C_CALLS_H
#define FORE_C_CALLS_H

#define FORE_C_CALLS(X, V) FORE_C_CAUGHT(X, V) FORE_C_ONCE(X, V) FORE_C_STREAM_LOCKS(X, V)

/* Calls that are also caught when libraries make them. A library's own pthread_once is not. */
#define FORE_C_CAUGHT(X, V)                                                              \
    FORE_C_THREADS(X, V) FORE_C_LOCKS(X, V) FORE_C_WAITS(X, V) FORE_C_TIMES(X, V)

/* Time, which is the schedule's while the program is controlled. */
#define FORE_C_TIMES(X, V)                                                               \
    X(nanosleep, (const struct timespec *t, struct timespec *rest), (t, rest))           \
    X(clock_nanosleep,                                                                   \
      (clockid_t clock, int flags, const struct timespec *t, struct timespec *rest),     \
      (clock, flags, t, rest))                                                           \
    X(usleep, (useconds_t us), (us))                                                     \
    X(sched_yield, (void), ())                                                           \
    X(clock_gettime, (clockid_t clock, struct timespec * t), (clock, t))

#define FORE_C_THREADS(X, V)                                                             \
    X(pthread_create,                                                                    \
      (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *arg),         \
      (t, a, run, arg))                                                                  \
    X(pthread_join, (pthread_t t, void **result), (t, result))                           \
    X(pthread_tryjoin_np, (pthread_t t, void **result), (t, result))                     \
    X(pthread_timedjoin_np, (pthread_t t, void **result, const struct timespec *until),  \
      (t, result, until))                                                                \
    X(pthread_detach, (pthread_t t), (t))                                                \
    X(pthread_cancel, (pthread_t t), (t))                                                \
    X(pthread_setname_np, (pthread_t t, const char *name), (t, name))                    \
    X(thrd_create, (thrd_t * t, int (*run)(void *), void *arg), (t, run, arg))           \
    X(thrd_join, (thrd_t t, int *result), (t, result))                                   \
    X(thrd_detach, (thrd_t t), (t))

#define FORE_C_LOCKS(X, V)                                                               \
    X(pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a))   \
    X(pthread_mutex_lock, (pthread_mutex_t * m), (m))                                    \
    X(pthread_mutex_trylock, (pthread_mutex_t * m), (m))                                 \
    X(pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *until),      \
      (m, until))                                                                        \
    X(pthread_mutex_clocklock,                                                           \
      (pthread_mutex_t * m, clockid_t clock, const struct timespec *until),              \
      (m, clock, until))                                                                 \
    X(pthread_mutex_unlock, (pthread_mutex_t * m), (m))                                  \
    X(pthread_mutex_destroy, (pthread_mutex_t * m), (m))                                 \
    X(pthread_spin_init, (pthread_spinlock_t * l, int shared), (l, shared))              \
    X(pthread_spin_lock, (pthread_spinlock_t * l), (l))                                  \
    X(pthread_spin_trylock, (pthread_spinlock_t * l), (l))                               \
    X(pthread_spin_unlock, (pthread_spinlock_t * l), (l))                                \
    X(pthread_spin_destroy, (pthread_spinlock_t * l), (l))                               \
    X(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a),        \
      (l, a))                                                                            \
    X(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))                                \
    X(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))                                \
    X(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))                             \
    X(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))                             \
    X(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *until),  \
      (l, until))                                                                        \
    X(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *until),  \
      (l, until))                                                                        \
    X(pthread_rwlock_clockrdlock,                                                        \
      (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until),             \
      (l, clock, until))                                                                 \
    X(pthread_rwlock_clockwrlock,                                                        \
      (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until),             \
      (l, clock, until))                                                                 \
    X(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))                                \
    X(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))                               \
    X(mtx_init, (mtx_t * m, int type), (m, type))                                        \
    X(mtx_lock, (mtx_t * m), (m))                                                        \
    X(mtx_trylock, (mtx_t * m), (m))                                                     \
    X(mtx_timedlock, (mtx_t * m, const struct timespec *until), (m, until))              \
    X(mtx_unlock, (mtx_t * m), (m))                                                      \
    V(mtx_destroy, (mtx_t * m), (m))

#define FORE_C_WAITS(X, V)                                                               \
    X(pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t *a), (c, a))      \
    X(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t * m), (c, m))              \
    X(pthread_cond_timedwait,                                                            \
      (pthread_cond_t * c, pthread_mutex_t * m, const struct timespec *until),           \
      (c, m, until))                                                                     \
    X(pthread_cond_clockwait,                                                            \
      (pthread_cond_t * c, pthread_mutex_t * m, clockid_t clock,                         \
       const struct timespec *until),                                                    \
      (c, m, clock, until))                                                              \
    X(pthread_cond_signal, (pthread_cond_t * c), (c))                                    \
    X(pthread_cond_broadcast, (pthread_cond_t * c), (c))                                 \
    X(pthread_cond_destroy, (pthread_cond_t * c), (c))                                   \
    X(cnd_init, (cnd_t * c), (c))                                                        \
    X(cnd_wait, (cnd_t * c, mtx_t * m), (c, m))                                          \
    X(cnd_timedwait, (cnd_t * c, mtx_t * m, const struct timespec *until),               \
      (c, m, until))                                                                     \
    X(cnd_signal, (cnd_t * c), (c))                                                      \
    X(cnd_broadcast, (cnd_t * c), (c))                                                   \
    V(cnd_destroy, (cnd_t * c), (c))                                                     \
    X(sem_init, (sem_t * s, int shared, unsigned value), (s, shared, value))             \
    X(sem_wait, (sem_t * s), (s))                                                        \
    X(sem_trywait, (sem_t * s), (s))                                                     \
    X(sem_timedwait, (sem_t * s, const struct timespec *until), (s, until))              \
    X(sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *until),         \
      (s, clock, until))                                                                 \
    X(sem_post, (sem_t * s), (s))                                                        \
    X(sem_destroy, (sem_t * s), (s))                                                     \
    X(pthread_barrier_init,                                                              \
      (pthread_barrier_t * b, const pthread_barrierattr_t *a, unsigned count),           \
      (b, a, count))                                                                     \
    X(pthread_barrier_wait, (pthread_barrier_t * b), (b))                                \
    X(pthread_barrier_destroy, (pthread_barrier_t * b), (b))

#define FORE_C_ONCE(X, V)                                                                \
    X(pthread_once, (pthread_once_t * control, void (*run)(void)), (control, run))       \
    V(call_once, (once_flag * flag, void (*run)(void)), (flag, run))

/* Not caught either: the C library's own do not come by these names. */
#define FORE_C_STREAM_LOCKS(X, V)                                                        \
    V(flockfile, (FILE * f), (f))                                                        \
    X(ftrylockfile, (FILE * f), (f))                                                     \
    V(funlockfile, (FILE * f), (f))

#endif
