/* A queue of pointers: one thread makes small objects and puts pointers to them into a bounded queue, the other takes them, reads
 * them, notes what it found in them, and gives the memory back. No kernel of the reference. */
#include "kernel.h"

enum { ROOM = 64 };
struct item {
    uint64_t key;
    uint32_t from, length;
    double weight;
    uint32_t found;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static struct item *items[ROOM];
static int first, count;
static long total;
static uint64_t result;

static void put(struct item *item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    items[(first + count++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static struct item *take(void)
{
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&not_empty, &lock);
    struct item *item = items[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static uint32_t mixed(uint32_t x)
{
    for (int i = 0; i < 200; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + (uint32_t)i;
    return x;
}

static void *work(void *argument)
{
    if (*(int *)argument == 0) {
        for (long i = 0; i < total; i++) {
            struct item *item = malloc(sizeof *item);
            if (!item)
                exit(1);
            item->key = (uint64_t)i * 0x9e3779b97f4a7c15u;
            item->from = mixed((uint32_t)i);
            item->length = (uint32_t)i % 100;
            item->weight = 1.0 / (double)(i + 1);
            put(item);
        }
        put(NULL);
        return NULL;
    }
    uint64_t sum = 0;
    for (struct item *item; (item = take()); free(item)) {
        item->found = mixed((uint32_t)item->key + item->from + item->length);
        sum += item->found + (uint64_t)(item->weight * 1000);
    }
    result = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    total = kernel_size(argc, argv, 300000);
    if (kernel_run(work))
        return 1;
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
