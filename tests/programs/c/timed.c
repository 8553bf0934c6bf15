/* The calls that wait for some time only, and the ways in which a thread can end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t sem, started;
static const struct timespec past = {1, 0};
static struct timespec far;

static void *tries(void *unused)
{
    pthread_mutex_timedlock(&m, &past);
    pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past);
    pthread_rwlock_timedrdlock(&rw, &far);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_clockrdlock(&rw, CLOCK_REALTIME, &far);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_timedwrlock(&rw, &past);
    pthread_rwlock_clockwrlock(&rw, CLOCK_REALTIME, &past);
    return unused;
}

static void *cancelled(void *unused)
{
    sem_post(&started);
    for (;;)
        pthread_testcancel();
    return unused;
}

static void *exits(void *unused)
{
    pthread_exit(unused);
}

__attribute__((always_inline)) static inline void run(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    if (f == cancelled) {
        sem_wait(&started);
        pthread_cancel(t);
        pthread_join(t, NULL);
    } else if (f == exits) {
        pthread_timedjoin_np(t, NULL, &far);
    } else {
        while (pthread_tryjoin_np(t, NULL) == EBUSY)
            ;
    }
}

int main(void)
{
    far.tv_sec = 4000000000;
    pthread_rwlock_init(&rw, NULL);
    sem_init(&sem, 0, 2);
    sem_init(&started, 0, 0);
    sem_timedwait(&sem, &far);
    sem_clockwait(&sem, CLOCK_REALTIME, &far);
    sem_timedwait(&sem, &past);
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&never, &m, &past);
    pthread_cond_clockwait(&never, &m, CLOCK_MONOTONIC, &past);
    pthread_rwlock_rdlock(&rw);
    run(tries);
    pthread_rwlock_unlock(&rw);
    pthread_mutex_unlock(&m);
    run(cancelled);
    run(exits);
    pthread_rwlock_destroy(&rw);
    return sem_destroy(&sem);
}
