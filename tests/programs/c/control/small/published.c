/* Publishes a value by a flag. With `relaxed` nothing synchronises the two threads: the accesses to the value race, though
 * they cannot meet, since the reader waits for the flag. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static int value;
static memory_order with = memory_order_seq_cst;

static void *publish(void *arg)
{
    value = 42;
    if (with == memory_order_relaxed)
        atomic_store_explicit(&ready, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

static int is_ready(void)
{
    return with == memory_order_relaxed
               ? atomic_load_explicit(&ready, memory_order_relaxed)
               : atomic_load_explicit(&ready, memory_order_acquire);
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    if (argc > 1)
        with = memory_order_relaxed;
    pthread_create(&t, NULL, publish, NULL);
    while (!is_ready())
        sched_yield();
    printf("%d\n", value);
    pthread_join(t, NULL);
    return 0;
}
