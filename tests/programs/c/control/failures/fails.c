/* One way to fail each, in the runs in which the second thread comes between two steps of the first
 * one; with ALWAYS in every run, since each waits for the other. With NEVER the two steps are one. */
#include <assert.h>
#include <foresee/mark.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t stepped, came;
static int step, seen;
int started, configured;
static foresee_history *number;

static void between(void)
{
#ifdef ALWAYS
    sem_post(&stepped);
    sem_wait(&came);
#endif
}

static void fail(void);

/* The first thread: two steps, and what was done between them decides. */
static void *first(void *x)
{
#ifdef NEVER
    pthread_mutex_lock(&m);
    step = 0;
    int now = step;
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m);
    step = 0;
    pthread_mutex_unlock(&m);
    between();
    pthread_mutex_lock(&m);
    int now = step;
    pthread_mutex_unlock(&m);
#endif
    if (now)
        fail();
    return x;
}

static void *second(void *x)
{
#ifdef ALWAYS
    sem_wait(&stepped);
#endif
    pthread_mutex_lock(&m);
    step = 1;
    pthread_mutex_unlock(&m);
    sem_post(&came);
    return x;
}

#if defined ASSERTION
static void fail(void)
{
    assert(!"the second thread came between");
}
#elif defined ABORT
static void fail(void)
{
    fprintf(stderr, "fatal: the second thread came between\n");
    abort();
}
#elif defined CRASH
static void fail(void)
{
    int *volatile nowhere = NULL;
    seen = *nowhere;
}
#elif defined STATUS
static void fail(void)
{
    exit(7);
}
#elif defined SANITIZER
static void fail(void)
{
    char *volatile p = malloc(10);
    free(p);
    seen = p[3];
}
#elif defined MISUSE
static void fail(void)
{
    pthread_mutex_unlock(&other);
}
#elif defined BLOCKS
static void fail(void)
{
    sem_t never;
    sem_init(&never, 0, 0);
    sem_wait(&never);
}
#elif defined RACE
static void *write_seen(void *x)
{
    seen++;
    return x;
}
static void fail(void)
{
    pthread_t t;
    pthread_create(&t, NULL, write_seen, NULL);
    seen++;
    pthread_join(t, NULL);
}
#elif defined PROPERTY
static void fail(void)
{
    started = 1;
    configured = 1;
}
#elif defined HISTORY
static void fail(void)
{
    foresee_return(foresee_invoke(number, "write", foresee_int(1)), foresee_nothing());
    foresee_return(foresee_invoke(number, "read", foresee_nothing()), foresee_int(2));
}
#endif

int main(void)
{
    pthread_t t[2];
    started = configured = 0;
    number = foresee_object("register");
    sem_init(&stepped, 0, 0);
    sem_init(&came, 0, 0);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
