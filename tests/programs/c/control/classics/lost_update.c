/* Two threads count; one update is lost. */
#include "classics.h"
static int n;
static void *add(void *x) { FIX_LOCK n = n + 1; FIX_UNLOCK return x; }
int main(void) { RUN(add, add); assert(n == 2); return 0; }
