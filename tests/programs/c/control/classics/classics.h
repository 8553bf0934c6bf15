/* What the classics share: threads that are started and joined, and locks that FIXED takes. */
#ifndef CLASSICS_H
#define CLASSICS_H
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t fix = PTHREAD_MUTEX_INITIALIZER;

/* The one edit of the correct twin. */
#ifdef FIXED
#define FIX(x) x
#define BUG(x)
#else
#define FIX(x)
#define BUG(x) x
#endif
#define FIX_LOCK FIX(pthread_mutex_lock(&fix);)
#define FIX_UNLOCK FIX(pthread_mutex_unlock(&fix);)

static inline void run_all(int n, void *(*const f[])(void *))
{
    pthread_t t[8];
    (void)fix;
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, f[i], (void *)(long)i);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}
#define RUN(...)                                                                         \
    do {                                                                                 \
        void *(*const all_[])(void *) = {__VA_ARGS__};                                   \
        run_all((int)(sizeof all_ / sizeof *all_), all_);                                \
    } while (0)
#endif
