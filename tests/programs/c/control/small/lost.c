/* A lost update, and an assertion that it breaks. FIXED: under a lock. */
#include <assert.h>
#include <pthread.h>

static int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    total = total + 1;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    return unused;
}

int main(void)
{
    pthread_t t[2];
    (void)m;
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(total == 2);
    return 0;
}
