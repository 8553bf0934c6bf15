/* A thread spins on a plain flag. ENDLESS: which nobody sets. */
#include <pthread.h>
#include <stdio.h>
#ifdef ENDLESS
static volatile int flag, turns;
#else
static int flag;
#endif
static int data;
static void *sets(void *p)
{
    data = 42;
#ifdef ENDLESS
    while (!flag)
        turns++;
#else
    flag = 1;
#endif
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sets, 0);
    while (!flag) {
    }
    printf("%d\n", data);
    pthread_join(t, 0);
    return 0;
}
