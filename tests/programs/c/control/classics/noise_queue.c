/* Two puts into one place, among noise. */
#include "classics.h"
static int tail, slot[4]; static atomic_int noise[2];
static void put(int v) { FIX_LOCK slot[tail] = v; tail = tail + 1; FIX_UNLOCK }
static void *work(void *x) { int me = (int)(long)x; for (int i = 0; i < 25; i++) atomic_fetch_add(&noise[me], 1); put(me + 1); for (int i = 0; i < 25; i++) atomic_fetch_add(&noise[me], 1); return x; }
int main(void) { RUN(work, work); assert(tail == 2 && slot[0] + slot[1] == 3); return 0; }
