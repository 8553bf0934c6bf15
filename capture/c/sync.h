/* What instrumented code calls in place of the functions of the same name. */
#ifndef FORE_C_SYNC_H
#define FORE_C_SYNC_H

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int foresee_rt_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                              void *(*run)(void *), void *argument);
int foresee_rt_pthread_join(pthread_t handle, void **result);
int foresee_rt_pthread_mutex_lock(pthread_mutex_t *m);
int foresee_rt_pthread_mutex_trylock(pthread_mutex_t *m);
int foresee_rt_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
int foresee_rt_pthread_mutex_unlock(pthread_mutex_t *m);
int foresee_rt_pthread_mutex_destroy(pthread_mutex_t *m);
int foresee_rt_pthread_spin_lock(pthread_spinlock_t *l);
int foresee_rt_pthread_spin_trylock(pthread_spinlock_t *l);
int foresee_rt_pthread_spin_unlock(pthread_spinlock_t *l);
int foresee_rt_pthread_rwlock_rdlock(pthread_rwlock_t *l);
int foresee_rt_pthread_rwlock_wrlock(pthread_rwlock_t *l);
int foresee_rt_pthread_rwlock_tryrdlock(pthread_rwlock_t *l);
int foresee_rt_pthread_rwlock_trywrlock(pthread_rwlock_t *l);
int foresee_rt_pthread_rwlock_unlock(pthread_rwlock_t *l);
int foresee_rt_pthread_rwlock_destroy(pthread_rwlock_t *l);
int foresee_rt_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int foresee_rt_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                      const struct timespec *until);
int foresee_rt_pthread_cond_signal(pthread_cond_t *c);
int foresee_rt_pthread_cond_broadcast(pthread_cond_t *c);
int foresee_rt_pthread_cond_destroy(pthread_cond_t *c);
int foresee_rt_sem_wait(sem_t *s);
int foresee_rt_sem_trywait(sem_t *s);
int foresee_rt_sem_timedwait(sem_t *s, const struct timespec *until);
int foresee_rt_sem_post(sem_t *s);
int foresee_rt_sem_destroy(sem_t *s);
int foresee_rt_pthread_barrier_init(pthread_barrier_t *b,
                                    const pthread_barrierattr_t *attributes,
                                    unsigned count);
int foresee_rt_pthread_barrier_wait(pthread_barrier_t *b);
int foresee_rt_pthread_barrier_destroy(pthread_barrier_t *b);
int foresee_rt_pthread_once(pthread_once_t *control, void (*run)(void));

#endif
