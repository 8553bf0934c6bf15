/* Two locks in two orders, once in many rounds. */
#include "classics.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; static atomic_int noise[2];
static void both(pthread_mutex_t *p, pthread_mutex_t *q) { pthread_mutex_lock(p); pthread_mutex_lock(q); pthread_mutex_unlock(q); pthread_mutex_unlock(p); }
static void *one(void *x) { for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[0], 1); both(&a, &b); for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[0], 1); return x; }
static void *two(void *x) { for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[1], 1); FIX(both(&a, &b);) BUG(both(&b, &a);) for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[1], 1); return x; }
int main(void) { RUN(one, two); return 0; }
