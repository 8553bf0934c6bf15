/* A reader of a sequence lock that does not look at the number again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint seq;
static atomic_int a, b;
static void *w(void *x)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&seq, 1);
        atomic_store(&a, i);
        atomic_store(&b, i);
        atomic_fetch_add(&seq, 1);
    }
    return x;
}
static void *r(void *x)
{
    for (int tries = 0; tries < 50; tries++) {
        unsigned s = atomic_load(&seq);
        if (s & 1)
            continue;
        int p = atomic_load(&a), q = atomic_load(&b);
#ifdef FIXED
        if (atomic_load(&seq) != s)
            continue;
#endif
        assert(p == q);
        break;
    }
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, w, 0);
    pthread_create(&t[1], 0, r, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
