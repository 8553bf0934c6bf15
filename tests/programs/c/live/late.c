/* Much that is right, and when both threads have done it a race. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static long counters[64], late;
static int rounds;

static void *work(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&m);
        counters[i % 64]++;
        pthread_mutex_unlock(&m);
    }
    pthread_barrier_wait(&both);
    late++;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
