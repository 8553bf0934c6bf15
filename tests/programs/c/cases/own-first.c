/* One place reaches memory of the thread's own, which is not recorded, and then what is shared: the
 * first access that was recorded is not the first that is done there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void add(int *to)
{
    ++*to;
}

static void *work(void *none)
{
    int *own = calloc(1, sizeof *own);
    for (int i = 0; i < 3; i++)
        add(own);
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    add(&shared);
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    add(own);
    free(own);
    return none;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", shared);
    return 0;
}
