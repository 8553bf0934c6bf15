/* A thread uses what its creator makes after having created it. */
#include "classics.h"
static atomic_int *made; static int value;
static void *use(void *x) { atomic_int *p = __atomic_load_n(&made, __ATOMIC_SEQ_CST); assert(p); return x; }
static atomic_int one;
int main(void) { pthread_t t; (void)fix; (void)value; FIX(__atomic_store_n(&made, &one, __ATOMIC_SEQ_CST);) pthread_create(&t, NULL, use, NULL); BUG(__atomic_store_n(&made, &one, __ATOMIC_SEQ_CST);) pthread_join(t, NULL); return 0; }
