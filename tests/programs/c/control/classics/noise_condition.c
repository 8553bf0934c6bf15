/* The signal between test and wait, among noise. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static atomic_int ready, noise[2];
static void *wait_(void *x) { for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[0], 1); pthread_mutex_lock(&m); while (!atomic_load(&ready)) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return x; }
static void *set(void *x) { for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[1], 1); FIX(pthread_mutex_lock(&m);) atomic_store(&ready, 1); pthread_cond_signal(&c); FIX(pthread_mutex_unlock(&m);) for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[1], 1); return x; }
int main(void) { RUN(wait_, set); return 0; }
