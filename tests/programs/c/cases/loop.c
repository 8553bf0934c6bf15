/* A loop whose accesses take turns at two places: each place counts its own. */
#include <pthread.h>
#include <stdio.h>

static int n;

static void *add(void *none)
{
    for (int i = 0; i < 10; i++) {
        int was = n;
        n = was + 1;
    }
    return none;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
