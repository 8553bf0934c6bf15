/* A lock and a condition made of futexes, with a time and a requeue; with LOST, the lock looks for
 * waiters before it is free. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, waiting, changed, moved;
static int full, sum, late;

static long futex(atomic_int *at, int what, int value, const void *fourth)
{
    return syscall(SYS_futex, at, what, value, fourth, &moved, 0);
}

static void lock(void)
{
    int is = 0;
    while (!atomic_compare_exchange_strong(&word, &is, 1)) {
        waiting++;
        futex(&word, FUTEX_WAIT, 1, NULL);
        waiting--;
        is = 0;
    }
}

static void unlock(void)
{
#ifdef LOST
    int wake = waiting;
    word = 0;
#else
    word = 0;
    int wake = waiting;
#endif
    if (wake)
        futex(&word, FUTEX_WAKE, 1, NULL);
}

static void wait_for_change(void)
{
    int was = changed;
    unlock();
    futex(&changed, FUTEX_WAIT_PRIVATE, was, NULL);
    lock();
}

static void change(void)
{
    changed++;
    futex(&changed, FUTEX_WAKE_PRIVATE, 1000, NULL);
}

static void *put(void *x)
{
    for (int i = 1; i <= 3; i++) {
        lock();
        while (full)
            wait_for_change();
        full = i;
        change();
        unlock();
    }
    return x;
}

static void *get(void *x)
{
    for (int i = 1; i <= 3; i++) {
        lock();
        while (!full)
            wait_for_change();
        sum += full;
        full = 0;
        change();
        unlock();
    }
    return x;
}

/* Nobody wakes it where it began to wait. */
static void *move(void *x)
{
    futex(&moved, FUTEX_WAIT_PRIVATE, 0, NULL);
    return x;
}

int main(void)
{
    pthread_t t[2];
    struct timespec hour = {3600, 0};
    late = futex(&changed, FUTEX_WAIT, 0, &hour) && errno == ETIMEDOUT;
    late += futex(&changed, FUTEX_WAIT, 1, &hour) && errno == EAGAIN;
    pthread_create(&t[0], NULL, put, NULL);
    pthread_create(&t[1], NULL, get, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_create(&t[0], NULL, move, NULL);
    atomic_int other = 0;
    while (syscall(SYS_futex, &moved, FUTEX_REQUEUE_PRIVATE, 0, 1L, &other, 0) < 1)
        usleep(100);
    while (futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL) < 1)
        usleep(100);
    pthread_join(t[0], NULL);
    printf("sum %d, late %d\n", sum, late);
    return 0;
}
