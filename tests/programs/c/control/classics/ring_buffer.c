/* A ring of two places: the producer looks at the count before it takes the lock. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;
static int slot[2], in;
static void *put(void *x) {
    FIX(pthread_mutex_lock(&m);)
    if (atomic_load(&count) < 2) { BUG(pthread_mutex_lock(&m);) slot[in % 2] = 1; in++; atomic_fetch_add(&count, 1); BUG(pthread_mutex_unlock(&m);) }
    FIX(pthread_mutex_unlock(&m);)
    return x; }
int main(void) { RUN(put, put, put); assert(count <= 2); return 0; }
