/* Two see a token at once, among noise. */
#include "classics.h"
static atomic_int token, inside, noise[2];
static void *node(void *x) { int me = (int)(long)x; for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[me], 1); for (int k = 0; k < 2; k++) if (atomic_load(&token) == me) { assert(atomic_fetch_add(&inside, 1) == 0); FIX(atomic_fetch_sub(&inside, 1);) atomic_store(&token, 1 - me); BUG(atomic_fetch_sub(&inside, 1);) } for (int i = 0; i < 15; i++) atomic_fetch_add(&noise[me], 1); return x; }
int main(void) { RUN(node, node); return 0; }
