/* Two variables that belong together are looked at one after the other. */
#include "classics.h"
static atomic_int from = 10, to;
static void *move(void *x) { FIX_LOCK atomic_fetch_sub(&from, 5); atomic_fetch_add(&to, 5); FIX_UNLOCK return x; }
static void *look(void *x) { FIX_LOCK int a = atomic_load(&from), b = atomic_load(&to); FIX_UNLOCK assert(a + b == 10); return x; }
int main(void) { RUN(move, look); return 0; }
