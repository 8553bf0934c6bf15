/* Counters that both threads increment, each group of them under a lock of its own. */
#include "kernel.h"

enum { BINS = 256, LOCKS = 16 };
static pthread_mutex_t locks[LOCKS];
static uint64_t bins[BINS];
static long samples;

static void *work(void *argument)
{
    uint32_t random = 99 + (uint32_t) * (int *)argument;
    for (long i = 0; i < samples; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t bin = random >> 24;
        pthread_mutex_lock(&locks[bin % LOCKS]);
        bins[bin]++;
        pthread_mutex_unlock(&locks[bin % LOCKS]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t total = 0;
    samples = kernel_size(argc, argv, 10000000);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    if (kernel_run(work))
        return 1;
    for (int i = 0; i < BINS; i++)
        total += bins[i];
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
