/* Five of them. */
#include "classics.h"
static pthread_mutex_t fork_[5] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *eat(void *x) { long i = (long)x, a = i, b = (i + 1) % 5; FIX(if (b < a) { long t = a; a = b; b = t; }) pthread_mutex_lock(&fork_[a]); pthread_mutex_lock(&fork_[b]); pthread_mutex_unlock(&fork_[b]); pthread_mutex_unlock(&fork_[a]); return x; }
int main(void) { RUN(eat, eat, eat, eat, eat); return 0; }
