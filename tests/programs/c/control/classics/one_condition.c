/* One condition for two reasons, and signal instead of broadcast. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n;
#ifdef FIXED
#define WAKE pthread_cond_broadcast(&c)
#else
#define WAKE pthread_cond_signal(&c)
#endif
static void *put(void *x)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 1)
            pthread_cond_wait(&c, &m);
        n++;
        WAKE;
        pthread_mutex_unlock(&m);
    }
    return x;
}
static void *get(void *x)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 0)
            pthread_cond_wait(&c, &m);
        n--;
        WAKE;
        pthread_mutex_unlock(&m);
    }
    return x;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, i % 2 ? put : get, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
