/* A barrier for three, to which two come: who waits there is known, since it is one of this process. */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *come(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, 0, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, come, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
