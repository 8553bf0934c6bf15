/* A thread counts on what its creator does after it was created; it is slow enough to get away
 * with it. FIXED: the creator does it before.
 * As a property: nobody starts before the configuration is there. */
#include <pthread.h>
#include <unistd.h>

int configured, started;

static void *works(void *unused)
{
    usleep(100000);
    started = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
#ifdef FIXED
    configured = 1;
#endif
    pthread_create(&t, NULL, works, NULL);
#ifndef FIXED
    configured = 1;
#endif
    pthread_join(t, NULL);
    return !started;
}
