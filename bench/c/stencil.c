/* The worst case: a grid that main fills, and nothing but accesses to it; each thread has half of
 * the rows, and a barrier is between two steps. */
#include "kernel.h"

enum { SIDE = 1024 };
static double *from, *to;
static long steps;
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    int me = *(int *)argument;
    int first = 1 + me * (SIDE - 2) / THREADS, last = 1 + (me + 1) * (SIDE - 2) / THREADS;
    double *a = from, *b = to;
    for (long step = 0; step < steps; step++) {
        for (int y = first; y < last; y++)
            for (int x = 1; x < SIDE - 1; x++)
                b[y * SIDE + x] = 0.25 * (a[y * SIDE + x - 1] + a[y * SIDE + x + 1] +
                                          a[(y - 1) * SIDE + x] + a[(y + 1) * SIDE + x]);
        double *other = a;
        a = b;
        b = other;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    double sum = 0;
    steps = kernel_size(argc, argv, 800);
    from = calloc(SIDE * SIDE, sizeof *from);
    to = calloc(SIDE * SIDE, sizeof *to);
    if (!from || !to || pthread_barrier_init(&barrier, NULL, THREADS))
        return 1;
    for (int i = 0; i < SIDE * SIDE; i++)
        from[i] = to[i] = i % 17;
    if (kernel_run(work))
        return 1;
    for (int i = 0; i < SIDE * SIDE; i += SIDE)
        sum += from[i + 7];
    printf("%.6f\n", sum);
    return 0;
}
