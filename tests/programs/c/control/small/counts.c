/* Two threads race in three ways between the same two places. */
#include <pthread.h>
#include <stdio.h>
static int shared;
static void *counts(void *p)
{
    for (int i = 0; i < 20; i++)
        shared++;
    return p;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, counts, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("%d\n", shared);
    return 0;
}
