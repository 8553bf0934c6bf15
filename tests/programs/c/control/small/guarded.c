/* A condition that is always signalled after its flag is set: the wait that the recorded operations
 * would allow for ever cannot happen, since the flag is looked at first. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waits(void *unused)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
