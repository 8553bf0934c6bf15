/* Two that count and one that looks, each under the lock: 7!/(2!2!3!) orders. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *counts(void *p)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return p;
}
static void *looks(void *p)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        y += x;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, counts, 0);
    pthread_create(&t[1], 0, looks, 0);
    pthread_create(&t[2], 0, counts, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
