/* The last reference is dropped by both, or by nobody. */
#include "classics.h"
static atomic_int refs = 2, freed;
static void *drop(void *x) { FIX(if (atomic_fetch_sub(&refs, 1) == 1) atomic_fetch_add(&freed, 1);) BUG(atomic_fetch_sub(&refs, 1); if (atomic_load(&refs) == 0) atomic_fetch_add(&freed, 1);) return x; }
int main(void) { RUN(drop, drop); assert(freed == 1); return 0; }
