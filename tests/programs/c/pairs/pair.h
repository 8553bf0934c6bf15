/* A row is a pair of programs: a thread runs first(), then main runs second(). They use the same
 * memory; what is between them orders them, and with RACY the same program waits for time to pass
 * instead. ROW_name chooses the row. */
#ifndef PAIR_H
#define PAIR_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef RACY
#define ORDER(...) usleep(30000)
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#define SOON() usleep(30000)
#else
#define ORDER(...) __VA_ARGS__
#define LOCK() pthread_mutex_lock(&pair_lock)
#define UNLOCK() pthread_mutex_unlock(&pair_lock)
#define SOON() usleep(30000)
#endif
#define MUST(call)                                                                       \
    do {                                                                                 \
        if ((long)(call) < 0) {                                                          \
            perror(#call);                                                               \
            exit(9);                                                                     \
        }                                                                                \
    } while (0)

static void prepare(void);
static void first(void);
static void second(void);

static void *pair_thread(void *unused)
{
    first();
    return unused;
}

int main(void)
{
    pthread_t t;
    alarm(20);
    prepare();
    if (pthread_create(&t, NULL, pair_thread, NULL) != 0)
        return 8;
    second();
    pthread_join(t, NULL);
    return 0;
}
#endif
