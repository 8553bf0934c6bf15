/* Two readers who both want to write, among noise. */
#include "classics.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static int v; static atomic_int noise[2];
static void *work(void *x) { int me = (int)(long)x; for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); pthread_rwlock_rdlock(&l); int s = v; FIX(pthread_rwlock_unlock(&l);) if (s < 9) { pthread_rwlock_wrlock(&l); v++; pthread_rwlock_unlock(&l); } BUG(pthread_rwlock_unlock(&l);) for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); return x; }
int main(void) { RUN(work, work); return 0; }
