/* The C library reads or writes what another thread writes: a race, unless LOCKED. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[32] = "17", *block;
static int number, order[4] = {3, 1, 2, 0};
static long when[2];

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void by_library(void)
{
    char copy[32];
    int fds[2];
    switch (HOW) {
    case 0: number = (int)strtol(text, NULL, 10); break;
    case 1: snprintf(copy, sizeof copy, "<%s>", text); break;
    case 2: sscanf("4", "%d", &number); break;
    case 3: qsort(order, 4, sizeof *order, by_value); break;
    case 4: block = realloc(block, 1 << 20); break;
    case 5: clock_gettime(CLOCK_MONOTONIC, (struct timespec *)when); break;
    case 6: if (!strcmp(text, "18")) number = 1; break;
    case 7: if (pipe(fds) == 0 && write(fds[1], "ab", 2) == 2 && read(fds[0], text, 2) != 2) abort(); break;
    case 8: if (memchr(text, '9', sizeof text)) number = 2; break;
    case 9: if (strlen(text) > 40) abort(); break;
    }
}

static void by_hand(void)
{
    switch (HOW) {
    case 2: number = 5; break;
    case 3: order[1] = 7; break;
    case 4: block[0] = 1; break;
    case 5: when[0] = 1; break;
    default: text[0] = '2';
    }
}

static void *other(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    by_hand();
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return unused;
}

int main(void)
{
    pthread_t t;
    block = malloc(64);
    pthread_create(&t, NULL, other, NULL);
    usleep(50000);
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    by_library();
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    pthread_join(t, NULL);
    return 0;
}
