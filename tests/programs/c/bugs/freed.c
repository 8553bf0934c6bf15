/* Memory that is given back when the other thread says that it is done with it, in a way that
 * orders nothing. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
enum { GIVES = memory_order_release, TAKES = memory_order_acquire };
#else
enum { GIVES = memory_order_relaxed, TAKES = memory_order_relaxed };
#endif

static atomic_int done;

static void *doubles(void *p)
{
    *(int *)p *= 2;
    atomic_store_explicit(&done, 1, GIVES);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int *p = malloc(sizeof *p);
    *p = 4;
    pthread_create(&t, NULL, doubles, p);
    while (!atomic_load_explicit(&done, TAKES))
        sched_yield();
    free(p);
    pthread_join(t, NULL);
    return 0;
}
