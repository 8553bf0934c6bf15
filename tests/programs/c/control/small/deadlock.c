/* Two locks, taken in both orders; a run of its own gets away with it. FIXED: in one. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *turned)
{
    pthread_mutex_t *first = turned ? &b : &a, *second = turned ? &a : &b;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
#ifdef FIXED
    void *turned = NULL;
#else
    void *turned = t;
#endif
    pthread_create(&t[0], NULL, both, NULL);
    usleep(50000);
    pthread_create(&t[1], NULL, both, turned);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
