/* A barrier made of a counter that is reset too early. FIXED: by its last one, with a round. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int arrived, round_;
static atomic_int phase[2];
static void meet(void) { pthread_mutex_lock(&m); int r = round_; (void)r; if (++arrived == 2) { round_++; FIX(arrived = 0;) pthread_cond_broadcast(&c); } FIX(while (r == round_) pthread_cond_wait(&c, &m);) BUG(while (arrived < 2) pthread_cond_wait(&c, &m); arrived = 0;) pthread_mutex_unlock(&m); }
static void *work(void *x) { int me = (int)(long)x; for (int k = 0; k < 2; k++) { atomic_fetch_add(&phase[me], 1); meet(); assert(atomic_load(&phase[1 - me]) >= k + 1); } return x; }
int main(void) { RUN(work, work); return 0; }
