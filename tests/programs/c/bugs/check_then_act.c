/* Made at first use: whether it is there is looked up outside of the lock under which it is
 * made. FIXED: inside. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int *instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get(void)
{
#ifndef FIXED
    if (instance)
        return instance;
#endif
    pthread_mutex_lock(&lock);
    if (!instance) {
        instance = malloc(sizeof *instance);
        if (instance)
            *instance = 7;
    }
    int *found = instance;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *asks(void *late)
{
    if (late)
        usleep(100000);
    return *get() == 7 ? NULL : late;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, asks, NULL);
    pthread_create(&t[1], NULL, asks, &lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(instance);
    return 0;
}
