/* Two-stage locking: the pair is updated under two locks, one after the other. */
#include "classics.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *set(void *v) { FIX_LOCK pthread_mutex_lock(&a); x = 1; pthread_mutex_unlock(&a); pthread_mutex_lock(&b); y = x + 1; pthread_mutex_unlock(&b); FIX_UNLOCK return v; }
static void *get(void *v) { FIX_LOCK pthread_mutex_lock(&a); int s = x; pthread_mutex_unlock(&a); if (s) { pthread_mutex_lock(&b); int t = y; pthread_mutex_unlock(&b); assert(t == s + 1); } FIX_UNLOCK return v; }
int main(void) { RUN(set, get); return 0; }
