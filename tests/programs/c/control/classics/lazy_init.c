/* Made twice: the first one is lost. */
#include "classics.h"
static int *made; static atomic_int makes;
static void *use(void *x) { FIX_LOCK if (!made) { atomic_fetch_add(&makes, 1); made = &(int[1]){0}[0]; } FIX_UNLOCK return x; }
int main(void) { RUN(use, use); assert(makes == 1); return 0; }
