/* Blocks of all sizes that come, grow and go; then another thread touches one byte of each that is
 * left, and says how far behind its beginning that is. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 400, ROUNDS = 4000 };
static char *block[BLOCKS];
static size_t size[BLOCKS];
static unsigned long long seed = 88172645463325252ull;

static size_t below(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed >> 20) % n;
}

static void change(size_t i)
{
    size[i] = 1 + (below(20) ? below(3000) : below(300000));
    block[i] = block[i] && below(2) ? realloc(block[i], size[i]) : (free(block[i]), malloc(size[i]));
    if (!block[i])
        abort();
}

static void *touch(void *unused)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t at = below(size[i]);
        block[i][at] = 1;
        printf("%zu\n", at);
    }
    return unused;
}

int main(void)
{
    pthread_t t;
    for (size_t i = 0; i < BLOCKS; i++)
        change(i);
    for (int i = 0; i < ROUNDS; i++)
        change(below(BLOCKS));
    for (size_t i = 0; i < BLOCKS; i++) /* so that there is somebody to take them from */
        for (size_t at = 0; at < size[i]; at++)
            block[i][at] = 0;
    pthread_create(&t, NULL, touch, NULL);
    pthread_join(t, NULL);
    return 0;
}
