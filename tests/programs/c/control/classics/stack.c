/* A stack whose pop forgets the lock. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int top, slot[8];
static void push(int v) { pthread_mutex_lock(&m); slot[top++] = v; pthread_mutex_unlock(&m); }
static int pop(void) { int v = 0; FIX(pthread_mutex_lock(&m);) if (top > 0) v = slot[--top]; FIX(pthread_mutex_unlock(&m);) return v; }
static int got[2];
static void *a(void *x) { got[0] = pop(); return x; }
static void *b(void *x) { got[1] = pop(); return x; }
int main(void) { push(1); push(2); RUN(a, b); assert(got[0] != got[1] && got[0] + got[1] == 3); return 0; }
