/* Three threads in one certain order. */
#include "classics.h"
static atomic_int s;
static void *one(void *x) { FIX_LOCK if (atomic_load(&s) == 0) atomic_store(&s, 1); FIX_UNLOCK return x; }
static void *two(void *x) { FIX_LOCK int v = atomic_load(&s); FIX_UNLOCK if (v == 1 && FIX(0) BUG(1)) atomic_store(&s, 2); return x; }
static void *three(void *x) { if (atomic_load(&s) == 2) atomic_store(&s, 3); return x; }
int main(void) { RUN(three, two, one); assert(s != 3); return 0; }
