/* The last reference, dropped by both or nobody, among noise. */
#include "classics.h"
static atomic_int refs = 2, freed, noise[2];
static void *drop(void *x) { int me = (int)(long)x; for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); FIX(if (atomic_fetch_sub(&refs, 1) == 1) atomic_fetch_add(&freed, 1);) BUG(atomic_fetch_sub(&refs, 1); if (atomic_load(&refs) == 0) atomic_fetch_add(&freed, 1);) for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); return x; }
int main(void) { RUN(drop, drop); assert(freed == 1); return 0; }
