/* A queue whose put forgets the lock: two puts take one place. */
#include "classics.h"
static int tail, slot[8];
static void put(int v) { FIX_LOCK slot[tail] = v; tail = tail + 1; FIX_UNLOCK }
static void *a(void *x) { put(1); return x; }
static void *b(void *x) { put(2); return x; }
int main(void) { RUN(a, b); assert(tail == 2 && slot[0] + slot[1] == 3); return 0; }
