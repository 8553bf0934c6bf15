/* Every kind of lock, taken in turn: by the main thread, then by another. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int n;
    pthread_mutex_t lock;
} box;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

static void *other(void *unused)
{
    struct timespec past = {1, 0};
    (void)unused;
    pthread_mutex_trylock(&m);
    pthread_mutex_timedlock(&m, &past);
    pthread_rwlock_tryrdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_trywrlock(&rw);
    pthread_exit(NULL);
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&box.lock, &recursive);
    pthread_spin_init(&spin, 0);
    pthread_mutex_lock(&box.lock);
    pthread_mutex_lock(&box.lock);
    box.n = 1;
    pthread_mutex_unlock(&box.lock);
    pthread_mutex_unlock(&box.lock);
    pthread_mutex_destroy(&box.lock);
    pthread_spin_lock(&spin);
    pthread_spin_trylock(&spin);
    pthread_spin_unlock(&spin);
    pthread_rwlock_wrlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_mutex_lock(&m);
    pthread_rwlock_rdlock(&rw);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&rw);
    pthread_mutex_unlock(&m);
    return pthread_join(pthread_self(), NULL) == EDEADLK ? 0 : 1;
}
