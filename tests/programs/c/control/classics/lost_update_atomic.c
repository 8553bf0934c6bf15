/* Load and store are atomic, the update is not. FIXED: one read-modify-write. */
#include "classics.h"
static atomic_int n;
static void *add(void *x) { FIX(atomic_fetch_add(&n, 1);) BUG(atomic_store(&n, atomic_load(&n) + 1);) return x; }
int main(void) { RUN(add, add, add); assert(n == 3); return 0; }
