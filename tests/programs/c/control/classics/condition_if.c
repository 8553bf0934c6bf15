/* A condition is waited for with `if`: another consumer takes the item first. */
#include "classics.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int items;
static void *take(void *x) { pthread_mutex_lock(&m); FIX(while) BUG(if) (!items) pthread_cond_wait(&c, &m); assert(items > 0); items--; pthread_mutex_unlock(&m); return x; }
static void *put(void *x) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); items++; pthread_cond_signal(&c); pthread_mutex_unlock(&m); } return x; }
int main(void) { RUN(take, take, put); return 0; }
