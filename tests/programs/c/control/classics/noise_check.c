/* Check and act on two variables, among noise; needs a switch in two certain places. */
#include "classics.h"
static atomic_int a, b, noise[3], seen;
static void *one(void *x) { for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[0], 1); FIX_LOCK atomic_store(&a, 1); atomic_store(&b, 1); FIX_UNLOCK for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[0], 1); return x; }
static void *two(void *x) { for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[1], 1); FIX_LOCK int p = atomic_load(&a), q = atomic_load(&b); FIX_UNLOCK if (p && !q) atomic_store(&seen, 1); for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[1], 1); return x; }
int main(void) { RUN(one, two); assert(!seen); return 0; }
