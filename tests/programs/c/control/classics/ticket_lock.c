/* A ticket lock whose tickets are not drawn atomically. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int next_, serving;
static atomic_int inside;
static void lock(void)
{
#ifdef FIXED
    int my = atomic_fetch_add(&next_, 1);
#else
    int my = atomic_load(&next_);
    atomic_store(&next_, my + 1);
#endif
    while (atomic_load(&serving) != my)
        sched_yield();
}
static void unlock(void)
{
    atomic_fetch_add(&serving, 1);
}
static void *f(void *x)
{
    for (int i = 0; i < 2; i++) {
        lock();
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        unlock();
    }
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, f, 0);
    pthread_create(&t[1], 0, f, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
