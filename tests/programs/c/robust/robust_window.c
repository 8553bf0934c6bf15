/* A window that is read at odd addresses, then a word far behind it, which another thread writes;
 * with an argument only what nobody writes is read. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *bytes;
static int behind = 8; /* words */
static uint64_t sums[2];

static void *reads(void *unused)
{
    uint64_t sum = 0, v;
    for (int i = 1; i < 20; i++) {
        memcpy(&v, bytes + i, sizeof v);
        sum += v;
    }
    sums[0] = sum + ((uint64_t *)(void *)bytes)[behind];
    return unused;
}

static void *writes(void *unused)
{
    ((uint64_t *)(void *)bytes)[8] = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    bytes = malloc(128);
    memset(bytes, 7, 128);
    if (argc > 1)
        behind = 9;
    pthread_create(&threads[0], NULL, reads, NULL);
    pthread_create(&threads[1], NULL, writes, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(bytes);
    return 0;
}
