/* A private heap: each thread fills, sorts and sums arrays that it allocates. */
#include "kernel.h"

enum { LENGTH = 100000 };
static long arrays;
static uint64_t sums[THREADS];

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(uint32_t *a, long n)
{
    while (n > 1) {
        long low = -1, high = n;
        uint32_t pivot = a[(n - 1) / 2];
        for (;;) {
            do
                low++;
            while (a[low] < pivot);
            do
                high--;
            while (a[high] > pivot);
            if (low >= high)
                break;
            swap(&a[low], &a[high]);
        }
        sort(a, high + 1);
        a += high + 1;
        n -= high + 1;
    }
}

static void *work(void *argument)
{
    int me = *(int *)argument;
    uint32_t random = 12345 + (uint32_t)me;
    for (long i = 0; i < arrays; i++) {
        uint32_t *a = malloc(LENGTH * sizeof *a);
        if (!a)
            return NULL;
        for (int j = 0; j < LENGTH; j++) {
            random = random * 1664525 + 1013904223;
            a[j] = random >> 8;
        }
        sort(a, LENGTH);
        for (int j = 0; j < LENGTH; j += 1000)
            sums[me] += a[j];
        free(a);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    arrays = kernel_size(argc, argv, 130);
    if (kernel_run(work))
        return 1;
    printf("%llu\n", (unsigned long long)(sums[0] + sums[1]));
    return 0;
}
