/* Signals that threads send each other, and handlers that others wait for: what comes out is the same on every
 * schedule. A handler ends waits of its own thread and of others, comes while its thread waits for a lock, a condition,
 * a semaphore, another thread, input or time, jumps away, and is itself interrupted. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t posted, other, ready;
static atomic_int handled, queued, outer, ran_within;
static volatile sig_atomic_t within;
static sigjmp_buf here;
static int ends[2], open_now;

static void posts(int s)
{
    (void)s;
    handled++;
    sem_post(&posted);
}

static void queues(int s, siginfo_t *info, void *context)
{
    (void)s;
    if (!context)
        abort();
    queued += info->si_value.sival_int;
    sem_post(&other);
}

/* SIGUSR1 is not held back here, SIGUSR2 is. */
static void nests(int s)
{
    (void)s;
    within = 1;
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR2);
    ran_within += within;
    within = 0;
    outer++;
}

static void jumps(int s)
{
    (void)s;
    siglongjmp(here, 1);
}

/* Its own handler ends its wait. */
static void *waits_for_handler(void *x)
{
    sem_post(&ready);
    while (sem_wait(&posted)) {}
    return x;
}

static void *waits_for_condition(void *x)
{
    pthread_mutex_lock(&m);
    sem_post(&ready);
    while (!open_now)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return x;
}

static void *reads(void *x)
{
    char one;
    ssize_t n;
    sem_post(&ready);
    while ((n = read(ends[0], &one, 1)) < 0 && errno == EINTR) {}
    return n == 1 ? x : NULL;
}

static void *sleeps(void *x)
{
    sem_post(&ready);
    while (handled < 4) /* the last of them is its own */
        usleep(1000);
    return x;
}

static void *jumps_away(void *x)
{
    if (sigsetjmp(here, 1))
        return x;
    sem_post(&ready);
    for (;;)
        usleep(1000);
}

static pthread_t begin(void *f(void *), int signal)
{
    pthread_t t;
    pthread_create(&t, NULL, f, &m);
    sem_wait(&ready);
    pthread_kill(t, signal);
    return t;
}

static void *ends_well(pthread_t t)
{
    void *x;
    pthread_join(t, &x);
    return x;
}

int main(void)
{
    struct sigaction a = {.sa_handler = posts}, q = {.sa_sigaction = queues};
    q.sa_flags = SA_SIGINFO | SA_RESTART;
    sem_init(&posted, 0, 0);
    sem_init(&other, 0, 0);
    sem_init(&ready, 0, 0);
    if (pipe(ends))
        return 2;
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGRTMIN, &q, NULL);
    int good = ends_well(begin(waits_for_handler, SIGUSR1)) == &m;
    pthread_t waits = begin(waits_for_condition, SIGUSR1);
    pthread_t reader = begin(reads, SIGUSR1), sleeper = begin(sleeps, SIGUSR1);
    pthread_mutex_lock(&m);
    open_now = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    if (write(ends[1], "x", 1) != 1)
        return 2;
    good += ends_well(waits) == &m;
    good += ends_well(reader) == &m;
    good += ends_well(sleeper) == &m;
    for (int i = 1; i <= 3; i++) /* each of these counts */
        sigqueue(getpid(), SIGRTMIN, (union sigval){i});
    for (int i = 0; i < 3; i++)
        while (sem_wait(&other)) {}
    struct sigaction n = {.sa_handler = nests};
    sigaddset(&n.sa_mask, SIGUSR2);
    sigaction(SIGHUP, &n, NULL);
    sigaction(SIGUSR2, &a, NULL);
    raise(SIGHUP);
    signal(SIGTERM, jumps);
    good += ends_well(begin(jumps_away, SIGTERM)) == &m;
    printf("%d ended, %d handled, %d queued, %d nested in %d\n", good, handled, queued, ran_within, outer);
    return 0;
}
