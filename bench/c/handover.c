/* Memory that changes hands: one thread fills blocks and puts them into a bounded queue, the
 * other takes them and works on them. No kernel of the reference. */
#include "kernel.h"

enum { ROOM = 16, BLOCK = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint32_t *items[ROOM];
static int first, count;
static long blocks;
static uint64_t result;

static void put(uint32_t *item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    items[(first + count++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static uint32_t *take(void)
{
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&not_empty, &lock);
    uint32_t *item = items[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

/* Much is computed about each block, and little of it is memory. */
static uint32_t mixed(uint32_t x)
{
    for (int i = 0; i < 40; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + (uint32_t)i;
    return x;
}

static void *work(void *argument)
{
    if (*(int *)argument == 0) {
        for (long i = 0; i < blocks; i++) {
            uint32_t *b = malloc(BLOCK * sizeof *b);
            if (!b)
                exit(1);
            for (int j = 0; j < BLOCK; j++)
                b[j] = mixed((uint32_t)(i + j));
            put(b);
        }
        put(NULL);
        return NULL;
    }
    uint64_t sum = 0;
    for (uint32_t *b; (b = take());) {
        for (int j = 0; j < BLOCK; j++)
            sum += mixed(b[j]);
        free(b);
    }
    result = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    blocks = kernel_size(argc, argv, 4000);
    if (kernel_run(work))
        return 1;
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
