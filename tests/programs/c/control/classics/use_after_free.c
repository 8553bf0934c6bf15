/* What one thread frees the other still uses. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int *p; static int alive = 1;
static void *use(void *x) { pthread_mutex_lock(&m); int *q = alive ? p : NULL; FIX(if (q) assert(*q == 5);) pthread_mutex_unlock(&m); BUG(if (q) assert(__atomic_load_n(q, __ATOMIC_SEQ_CST) == 5);) return x; }
static void *drop(void *x) { pthread_mutex_lock(&m); alive = 0; pthread_mutex_unlock(&m); FIX(pthread_mutex_lock(&m);) __atomic_store_n(p, 0, __ATOMIC_SEQ_CST); FIX(pthread_mutex_unlock(&m);) return x; }
int main(void) { p = malloc(sizeof *p); *p = 5; RUN(use, drop); free(p); return 0; }
