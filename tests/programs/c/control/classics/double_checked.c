/* Double-checked locking that publishes before it has filled. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready, value;
static void *use(void *x) {
    if (!atomic_load(&ready)) { pthread_mutex_lock(&m); if (!atomic_load(&ready)) { FIX(atomic_store(&value, 7);) atomic_store(&ready, 1); BUG(atomic_store(&value, 7);) } pthread_mutex_unlock(&m); }
    assert(atomic_load(&value) == 7); return x; }
int main(void) { RUN(use, use); return 0; }
