/* Peterson's lock with the two stores exchanged. */
#include "classics.h"
static atomic_int flag[2], turn, inside;
static void *work(void *x) { int me = (int)(long)x; FIX(atomic_store(&flag[me], 1); atomic_store(&turn, 1 - me);) BUG(atomic_store(&turn, 1 - me); atomic_store(&flag[me], 1);) for (int k = 0; atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me; k++) if (k == 3) { atomic_store(&flag[me], 0); return x; } assert(atomic_fetch_add(&inside, 1) == 0); atomic_fetch_sub(&inside, 1); atomic_store(&flag[me], 0); return x; }
int main(void) { RUN(work, work); return 0; }
