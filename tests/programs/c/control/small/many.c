/* Two hundred threads, each counts; prints the same on every schedule. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *counts(void *unused)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        total++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t t[200];
    for (int i = 0; i < 200; i++)
        pthread_create(&t[i], NULL, counts, NULL);
    for (int i = 0; i < 200; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", total);
    return 0;
}
