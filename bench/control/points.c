/* Two threads that do nothing but come to points: how long one takes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { N = 100000 };
static atomic_int mine[2];

static void *count(void *x)
{
    for (int i = 0; i < N; i++)
        atomic_store_explicit(&mine[(long)x], i, memory_order_relaxed);
    return NULL;
}

/* The real clocks: the program's own are virtual. */
static double now(clockid_t clock)
{
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    double from = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%-10s %.2f us a point, %.2f us of processor time\n", argc > 1 ? argv[1] : "",
           (now(CLOCK_MONOTONIC) - from) / (2 * N) * 1e6,
           (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (2 * N) * 1e6);
    return 0;
}
