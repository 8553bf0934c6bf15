/* Two readers who both want to write. FIXED: they let go before. */
#include "classics.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static int v;
static void *work(void *x) { pthread_rwlock_rdlock(&l); int s = v; FIX(pthread_rwlock_unlock(&l);) if (s < 9) { pthread_rwlock_wrlock(&l); v++; pthread_rwlock_unlock(&l); } BUG(pthread_rwlock_unlock(&l);) return x; }
int main(void) { RUN(work, work); return 0; }
