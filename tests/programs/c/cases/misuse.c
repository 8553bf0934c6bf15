/* Locks of several kinds, misused; or, with RIGHT, as kinds allow it. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

static pthread_mutex_t m;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;

static void *unlocks(void *unused)
{
    pthread_mutex_unlock(&m);
    return unused;
}

static void init(int kind, int robust)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, kind);
    pthread_mutexattr_setrobust(&a, robust);
    pthread_mutex_init(&m, &a);
}

static void *dies_with_it(void *unused)
{
    pthread_mutex_lock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    mtx_t c;
    switch (HOW) {
    case 0: /* by another thread */
        init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
        pthread_mutex_lock(&m);
        pthread_create(&t, NULL, unlocks, NULL);
        pthread_join(t, NULL);
        break;
    case 1: /* destroyed while held */
        init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
        pthread_mutex_lock(&m);
        pthread_mutex_destroy(&m);
        break;
    case 2:
        pthread_rwlock_wrlock(&w);
        pthread_rwlock_unlock(&w);
        pthread_rwlock_unlock(&w);
        break;
    case 3:
        mtx_init(&c, mtx_plain);
        mtx_lock(&c);
        mtx_unlock(&c);
        mtx_unlock(&c);
        break;
    case 4: /* after it was destroyed */
        init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        pthread_mutex_destroy(&m);
        if (pthread_mutex_lock(&m) != EINVAL)
            abort();
        break;
    case 10: /* a kind that refuses, and says so */
        init(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
        pthread_mutex_lock(&m);
        if (pthread_mutex_lock(&m) != EDEADLK)
            abort();
        pthread_create(&t, NULL, unlocks, NULL);
        pthread_join(t, NULL);
        return pthread_mutex_unlock(&m) || pthread_mutex_unlock(&m) != EPERM;
    case 11: /* taken twice, given back twice */
        init(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
        pthread_mutex_lock(&m);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        return pthread_mutex_unlock(&m);
    case 12: /* its owner died */
        init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
        pthread_create(&t, NULL, dies_with_it, NULL);
        pthread_join(t, NULL);
        if (pthread_mutex_lock(&m) != EOWNERDEAD)
            abort();
        pthread_mutex_consistent(&m);
        return pthread_mutex_unlock(&m) || pthread_mutex_destroy(&m);
    }
    return 0;
}
