/* Who only tries to take a lock does not wait for it, though its holder waits for who tries. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t none;
static int failed;

static void *try_all(void *arg)
{
    failed += pthread_mutex_trylock(&mutex) != 0;
    failed += pthread_rwlock_tryrdlock(&lock) != 0;
    failed += pthread_rwlock_trywrlock(&lock) != 0;
    failed += sem_trywait(&none) != 0;
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&none, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t, 0, try_all, 0);
    pthread_join(t, 0);
    return failed == 4 ? 0 : 5;
}
