/* The thread that is joined under a lock needs that lock. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static atomic_int started;
static void *work(void *x) { atomic_store(&started, 1); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return x; }
int main(void) { pthread_t t; (void)fix; pthread_create(&t, NULL, work, NULL); pthread_mutex_lock(&m); FIX(pthread_mutex_unlock(&m);) BUG(if (atomic_load(&started)) { pthread_join(t, NULL); return 0; } pthread_mutex_unlock(&m);) pthread_join(t, NULL); return 0; }
