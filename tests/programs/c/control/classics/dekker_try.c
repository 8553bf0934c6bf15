/* A lock that looks and then takes. FIXED: it takes as it looks. */
#include "classics.h"
static atomic_int lock, inside;
static void *work(void *x) { int got; FIX(got = !atomic_exchange(&lock, 1);) BUG(got = !atomic_load(&lock); if (got) atomic_store(&lock, 1);) if (got) { assert(atomic_fetch_add(&inside, 1) == 0); atomic_fetch_sub(&inside, 1); atomic_store(&lock, 0); } return x; }
int main(void) { RUN(work, work); return 0; }
