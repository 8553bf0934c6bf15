/* One signal for two who wait. FIXED: broadcast. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int go;
static void *wait_(void *x) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return x; }
static void *set(void *x) { pthread_mutex_lock(&m); go = 1; FIX(pthread_cond_broadcast(&c);) BUG(pthread_cond_signal(&c);) pthread_mutex_unlock(&m); return x; }
int main(void) { RUN(wait_, wait_, set); return 0; }
