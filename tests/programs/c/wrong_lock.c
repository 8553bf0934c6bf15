/* Each thread holds a lock while it counts, but not the same one; FIXED: the same one. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *adds(void *lock)
{
    pthread_mutex_lock(lock);
    count++;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
#ifdef FIXED
    pthread_mutex_t *second = &a;
#else
    pthread_mutex_t *second = &b;
#endif
    pthread_create(&t[0], NULL, adds, &a);
    pthread_create(&t[1], NULL, adds, second);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return count == 0;
}
