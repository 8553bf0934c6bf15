/* Two threads that write the two variables of flood.spec as fast as they can, argv[1] times
 * each: every one of their events is relevant. */
#include <pthread.h>
#include <stdlib.h>

int left, right;
static long n;

static void *one(void *unused)
{
    for (long i = 1; i <= n; i++)
        left = (int)(i & 1023);
    return unused;
}

static void *other(void *unused)
{
    for (long i = 1; i <= n; i++)
        right = (int)(i & 1023);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    n = argc > 1 ? atol(argv[1]) : 1;
    if (pthread_create(&t[0], NULL, one, NULL) ||
        pthread_create(&t[1], NULL, other, NULL))
        return 1;
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
