/* A bounded queue with two conditions: one thread computes items and puts them, the other takes
 * them and goes on with them. */
#include "kernel.h"

enum { ROOM = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint32_t items[ROOM];
static int first, count;
static long total;
static uint64_t result;

static void put(uint32_t item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    items[(first + count++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static uint32_t take(void)
{
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&not_empty, &lock);
    uint32_t item = items[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static uint32_t mixed(uint32_t x)
{
    for (int i = 0; i < 2000; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + (uint32_t)i;
    return x;
}

static void *work(void *argument)
{
    uint64_t sum = 0;
    long n = total;
    if (*(int *)argument == 0) {
        for (long i = 0; i < n; i++)
            put(mixed((uint32_t)i));
        return NULL;
    }
    for (long i = 0; i < n; i++)
        sum += mixed(take());
    result = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    total = kernel_size(argc, argv, 200000);
    if (kernel_run(work))
        return 1;
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
