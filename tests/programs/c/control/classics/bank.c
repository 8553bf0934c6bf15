/* Transfers lock one account at a time; the sum is looked at in between. */
#include "classics.h"
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int money[2] = {100, 100};
static void *transfer(void *x) { FIX_LOCK pthread_mutex_lock(&m[0]); money[0] -= 10; pthread_mutex_unlock(&m[0]); pthread_mutex_lock(&m[1]); money[1] += 10; pthread_mutex_unlock(&m[1]); FIX_UNLOCK return x; }
static void *audit(void *x) { FIX_LOCK pthread_mutex_lock(&m[0]); pthread_mutex_lock(&m[1]); int sum = money[0] + money[1]; pthread_mutex_unlock(&m[1]); pthread_mutex_unlock(&m[0]); FIX_UNLOCK assert(sum == 200); return x; }
int main(void) { RUN(transfer, audit); return 0; }
