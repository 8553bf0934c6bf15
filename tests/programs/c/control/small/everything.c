/* One of each that waits, correctly; prints the same on every schedule. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ITEMS = 6 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static mtx_t mtx;
static cnd_t cnd;
static sem_t free_places, items;
static int made, used, total, inits, c11, ends[2], sockets[2];
static atomic_int arrived;

static void init(void)
{
    pthread_mutex_lock(&m);
    inits++;
    pthread_mutex_unlock(&m);
}

static void *works(void *number)
{
    pthread_once(&once, init);
    call_once(&flag, init);
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        pthread_mutex_lock(&m);
        used++;
        pthread_mutex_unlock(&m);
        sem_post(&free_places);
    }
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rw);
    int seen = total;
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    total += seen >= 0;
    pthread_rwlock_unlock(&rw);
    pthread_spin_lock(&spin);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    atomic_fetch_add(&arrived, 1);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    pthread_spin_unlock(&spin);
    mtx_lock(&mtx);
    c11++;
    cnd_signal(&cnd);
    mtx_unlock(&mtx);
    char byte = 'x';
    return write(number ? ends[1] : sockets[1], &byte, 1) == 1 ? number : &m;
}

static void *sleeps(void *unused)
{
    sleep(1000);
    pthread_mutex_lock(&m);
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *is_cancelled(void *unused)
{
    sem_t never;
    sem_init(&never, 0, 0);
    sem_wait(&never);
    return unused;
}

static jmp_buf back;
static void jumps(int s)
{
    (void)s;
    longjmp(back, 1);
}

int main(void)
{
    pthread_t t[THREADS], sleeper, victim;
    pthread_mutexattr_t recursive;
    struct timespec until;
    void *result;
    char byte;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &recursive);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_spin_init(&spin, 0);
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    sem_init(&free_places, 0, 2);
    sem_init(&items, 0, 0);
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
        return 2;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, works, (void *)i);
    pthread_create(&sleeper, NULL, sleeps, NULL);
    pthread_create(&victim, NULL, is_cancelled, NULL);
    for (; made < THREADS * ITEMS; made++) {
        sem_wait(&free_places);
        sem_post(&items);
    }
    mtx_lock(&mtx);
    while (c11 < THREADS)
        cnd_wait(&cnd, &mtx);
    mtx_unlock(&mtx);
    for (int i = 1; i < THREADS; i++)
        if (read(ends[0], &byte, 1) != 1)
            return 2;
    if (read(sockets[0], &byte, 1) != 1)
        return 2;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&m);
    int late = pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&m);
    pthread_cancel(victim);
    pthread_join(victim, &result);
    signal(SIGUSR1, jumps);
    if (!setjmp(back))
        raise(SIGUSR1);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status;
    waitpid(child, &status, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_join(sleeper, NULL);
    printf("made %d used %d total %d inits %d arrived %d late %d cancelled %d child %d\n", made,
           used, total, inits, arrived, late, result == PTHREAD_CANCELED,
           WEXITSTATUS(status));
    return 0;
}
