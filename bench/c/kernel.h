/* What the kernels share: two threads, each with its number, and a size from the command line. */
#ifndef BENCH_C_KERNEL_H
#define BENCH_C_KERNEL_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

/* What kernel.spec names: not hot. */
int kernel_begun, kernel_done;

static int kernel_run(void *(*thread)(void *))
{
    static int numbers[THREADS];
    pthread_t threads[THREADS];
    kernel_begun = 1;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, thread, &numbers[i]))
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    kernel_done = 1;
    return 0;
}

/* In percent of about a second. */
static long kernel_size(int argc, char **argv, long full)
{
    long percent = argc > 1 ? atol(argv[1]) : 100;
    return full * percent / 100;
}

#endif
