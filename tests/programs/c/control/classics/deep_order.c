/* Needs three of the other's steps in between: a -> b -> c. */
#include "classics.h"
static atomic_int a, b, bad;
static void *one(void *x) { FIX_LOCK atomic_store(&a, 1); atomic_store(&b, 0); atomic_store(&a, 2); atomic_store(&b, 1); FIX_UNLOCK return x; }
static void *two(void *x) { FIX_LOCK int p = atomic_load(&a), q = atomic_load(&b), r = atomic_load(&a); FIX_UNLOCK if (p == 1 && q == 0 && r == 2 && !FIX(1) BUG(atomic_load(&b))) bad = 1; return x; }
int main(void) { RUN(one, two); assert(!bad); return 0; }
