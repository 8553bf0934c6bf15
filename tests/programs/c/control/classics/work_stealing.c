/* A deque whose owner and thief take the last item both. FIXED: the owner swaps for it, too. */
#include "classics.h"
static atomic_int head, tail = 2, taken[2];
static void *owner(void *x) { int t = atomic_load(&tail) - 1; atomic_store(&tail, t); int h = atomic_load(&head); if (h < t) atomic_fetch_add(&taken[t], 1); else if (h == t) { FIX(if (atomic_compare_exchange_strong(&head, &h, h + 1)) atomic_fetch_add(&taken[t], 1);) BUG(atomic_store(&head, h + 1); atomic_fetch_add(&taken[t], 1);) } return x; }
static void *thief(void *x) { for (int k = 0; k < 2; k++) { int h = atomic_load(&head); if (h < atomic_load(&tail) && atomic_compare_exchange_strong(&head, &h, h + 1)) atomic_fetch_add(&taken[h], 1); } return x; }
int main(void) { RUN(owner, thief); assert(taken[0] <= 1 && taken[1] <= 1); return 0; }
