/* Where the memory of threads lies is the schedule's, too: stacks and arenas are given again when their
 * threads have gone. Prints addresses. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8 };
static void *block[THREADS];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *allocate(void *at)
{
    *(void **)at = malloc(100);
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int ended = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, allocate, &block[i]);
        printf("%lx\n", (unsigned long)t);
        pthread_detach(t);
    }
    while (ended < THREADS) {
        pthread_mutex_lock(&m);
        ended = done;
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < THREADS; i++)
        printf("%p\n", block[i]);
    return 0;
}
