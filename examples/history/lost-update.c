/* Two threads increment a counter, reading and writing in two steps. Each answers the value after its own
 * increment, and both answer 1: no order of the two explains that.
 *
 *     build/examples/lost-update && echo linearizable */
#include "foresee/history.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter, have_read;

/* Both threads read before either writes: the interleaving that happens once in a million
 * runs happens here every time. */
static void *increment(void *history)
{
    foresee_call *c = foresee_invoke(history, "inc", foresee_nothing());
    int seen = atomic_load(&counter);
    atomic_fetch_add(&have_read, 1);
    while (atomic_load(&have_read) < 2)
        continue;
    atomic_store(&counter, seen + 1);
    foresee_return(c, foresee_int(seen + 1));
    return NULL;
}

int main(void)
{
    foresee_history *h = foresee_history_open("counter");
    pthread_t a, b;
    pthread_create(&a, NULL, increment, h);
    pthread_create(&b, NULL, increment, h);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    foresee_history_check_at_exit(h);
    return 0;
}
