/* The flag is set outside of the lock, so that the signal may come between test and wait. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static atomic_int ready;
static void *wait_(void *x) { pthread_mutex_lock(&m); while (!atomic_load(&ready)) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return x; }
static void *set(void *x) { FIX(pthread_mutex_lock(&m);) atomic_store(&ready, 1); pthread_cond_signal(&c); FIX(pthread_mutex_unlock(&m);) return x; }
int main(void) { RUN(wait_, set); return 0; }
