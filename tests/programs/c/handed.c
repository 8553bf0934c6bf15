/* Memory that one thread fills and another goes through, of 8 bytes or of 4, and then a third, from the other end: what each
 * did to every place is recorded. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { PLACES = 500 };
static uint64_t *wide;
static uint32_t *narrow;
uint64_t sum;

static void *fills(void *unused)
{
    for (int i = 0; i < PLACES; i++)
        wide[i] = (uint64_t)i;
    for (int i = 0; i < PLACES; i++)
        narrow[i] = (uint32_t)i;
    return unused;
}

static void *reads(void *unused)
{
    uint64_t n = 0;
    for (int i = 0; i < PLACES; i++)
        n += wide[i];
    for (int i = 0; i < PLACES; i++)
        n += narrow[i];
    sum = n;
    return unused;
}

static void *writes(void *unused)
{
    for (int i = PLACES; i-- > 0;)
        wide[i] = 1;
    for (int i = PLACES; i-- > 0;)
        narrow[i] = 1;
    return unused;
}

int main(void)
{
    static void *(*const each[])(void *) = {fills, reads, writes, reads};
    pthread_t t;
    wide = malloc(PLACES * sizeof *wide);
    narrow = malloc(PLACES * sizeof *narrow);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t, NULL, each[i], NULL);
        pthread_join(t, NULL);
    }
    return sum == 2 * PLACES ? 0 : 1;
}
