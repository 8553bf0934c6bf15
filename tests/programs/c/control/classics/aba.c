/* ABA: a compare-and-swap on a stack whose top was popped and pushed again. FIXED: with a version. */
#include "classics.h"
static atomic_int next[3] = {-1, 0, 1}; /* 2 -> 1 -> 0 */
static atomic_int top = 2; static atomic_int freed[3];
#define NODE(t) FIX((t) & 15) BUG(t)
#define MAKE(n, t) FIX((n) | (((t) >> 4) + 1) << 4) BUG(n)
static int pop(void) { for (;;) { int t = atomic_load(&top), n = NODE(t); if (n < 0 || n > 2) return -1; int to = next[n]; if (to < 0) to = 15; int m = MAKE(to, t); BUG(if (to == 15) m = -1;) if (atomic_compare_exchange_strong(&top, &t, m)) return n; } }
static void push(int n) { for (;;) { int t = atomic_load(&top); int at = NODE(t); next[n] = at > 2 ? -1 : at; if (atomic_compare_exchange_strong(&top, &t, MAKE(n, t))) return; } }
static int used[3];
static void *one(void *x) { int n = pop(); if (n >= 0) assert(atomic_fetch_add(&freed[n], 1) == 0); return x; }
static void *two(void *x) { int n = pop(); int k = pop(); if (k >= 0) assert(atomic_fetch_add(&freed[k], 1) == 0); if (n >= 0) push(n); return x; }
int main(void) { (void)used; RUN(one, two); int n = pop(); if (n >= 0) assert(freed[n] == 0); return 0; }
