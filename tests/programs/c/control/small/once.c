#include <pthread.h>
#include <stdlib.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static void make(void)
{
    pthread_mutex_lock(&m);
    table = calloc(4, sizeof *table);
    pthread_mutex_unlock(&m);
}
static void *f(void *x)
{
    pthread_once(&once, make);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    table[0]++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}
static void *g(void *x)
{
    pthread_once(&once, make);
#ifdef FIXED
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    table[0]++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
#else
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    table[0]++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
#endif
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, f, 0);
    pthread_create(&t[1], 0, g, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    free(table);
    return 0;
}
