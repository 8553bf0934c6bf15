/* A library that was not built by foresee keeps two threads until the process ends, as pools do. With
 * -DUSES: the program that gives it work. */
#include <pthread.h>
#include <stdio.h>

void pool_do(void (*work)(void));

#ifdef USES
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void work(void)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pool_do(work);
    pool_do(work);
    pthread_mutex_lock(&lock);
    while (done < 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    puts("done");
    return 0;
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*todo[16])(void);
static int n;

static void *serve(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!n)
            pthread_cond_wait(&changed, &lock);
        void (*next)(void) = todo[--n];
        pthread_mutex_unlock(&lock);
        next();
    }
    return unused;
}

void pool_do(void (*work)(void))
{
    static int begun;
    for (; begun < 2; begun++) {
        pthread_t t;
        pthread_create(&t, NULL, serve, NULL);
    }
    pthread_mutex_lock(&lock);
    todo[n++] = work;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}
#endif
