/* As a property: nobody starts before the configuration is there. FIXED: it is. */
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
