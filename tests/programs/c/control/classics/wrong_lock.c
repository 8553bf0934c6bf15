/* Each locks, but not the same lock. */
#include "classics.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; static int n;
static void *one(void *x) { pthread_mutex_lock(&a); n++; pthread_mutex_unlock(&a); return x; }
static void *two(void *x) { (void)b; FIX(pthread_mutex_lock(&a);) BUG(pthread_mutex_lock(&b);) n++; FIX(pthread_mutex_unlock(&a);) BUG(pthread_mutex_unlock(&b);) return x; }
int main(void) { RUN(one, two); assert(n == 2); return 0; }
