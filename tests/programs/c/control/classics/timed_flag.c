/* A timed wait whose result nobody looks at. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool ready;
static int value;
static void *w(void *x)
{
    pthread_mutex_lock(&m);
    value = 7;
    ready = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    struct timespec u;
    clock_gettime(CLOCK_REALTIME, &u);
    u.tv_sec += 1;
    pthread_mutex_lock(&m);
#ifdef FIXED
    int e = 0;
    while (!ready && !e)
        e = pthread_cond_timedwait(&c, &m, &u);
    if (ready)
        assert(value == 7);
#else
    if (!ready)
        pthread_cond_timedwait(&c, &m, &u);
    assert(value == 7);
#endif
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
