/* The lost update among many steps that have nothing to do with it. */
#include "classics.h"
static int n; static atomic_int noise[2];
static void *add(void *x) { int me = (int)(long)x; for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); FIX_LOCK n = n + 1; FIX_UNLOCK for (int i = 0; i < 20; i++) atomic_fetch_add(&noise[me], 1); return x; }
int main(void) { RUN(add, add); assert(n == 2); return 0; }
