/* Nobody joins the consumers, so main may return while one of them still waits: the producer wakes one only, and
 * does so before the others ask. With FIXED it wakes all. With POOL they serve for as long as main gives them work, and
 * are left waiting at its end whatever the order was. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int jobs, finished;

#ifdef POOL
static void *serve(void *unused)
{
    pthread_mutex_lock(&m);
    for (;;) {
        while (!jobs)
            pthread_cond_wait(&some, &m);
        jobs--;
        finished++;
        pthread_cond_signal(&done);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, serve, NULL);
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        jobs++;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&some);
    }
    pthread_mutex_lock(&m);
    while (finished < 5)
        pthread_cond_wait(&done, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
#else
static void *produce(void *unused)
{
    pthread_mutex_lock(&m);
    jobs = 1;
    pthread_mutex_unlock(&m);
#ifdef FIXED
    pthread_cond_broadcast(&some);
#else
    pthread_cond_signal(&some);
#endif
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&m);
    while (!jobs)
        pthread_cond_wait(&some, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, produce, NULL);
    for (int i = 1; i < 3; i++)
        pthread_create(&t[i], NULL, consume, NULL);
    pthread_join(t[0], NULL);
    return 0;
}
#endif
