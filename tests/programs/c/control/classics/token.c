/* A token goes round; two see it at once because it is given on before it is let go. */
#include "classics.h"
static atomic_int token, inside;
static void *node(void *x) { int me = (int)(long)x; for (int k = 0; k < 2; k++) if (atomic_load(&token) == me) { assert(atomic_fetch_add(&inside, 1) == 0); FIX(atomic_fetch_sub(&inside, 1);) atomic_store(&token, (me + 1) % 3); BUG(atomic_fetch_sub(&inside, 1);) } return x; }
int main(void) { RUN(node, node, node); return 0; }
