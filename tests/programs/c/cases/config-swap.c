/* A pointer that is used after the lock was given back under which it was read. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct cfg {
    int port;
};
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static struct cfg *now;
static void *reader(void *x)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&l);
        struct cfg *c = now;
#ifdef FIXED
        sum += c->port;
        pthread_rwlock_unlock(&l);
#else
        pthread_rwlock_unlock(&l);
        sum += c->port;
#endif
    }
    return (void *)(long)sum;
}
static void *writer(void *x)
{
    struct cfg *c = malloc(sizeof *c);
    c->port = 2;
    pthread_rwlock_wrlock(&l);
    struct cfg *old = now;
    now = c;
    pthread_rwlock_unlock(&l);
    free(old);
    return x;
}
int main(void)
{
    pthread_t t[2];
    now = malloc(sizeof *now);
    now->port = 1;
    pthread_create(&t[0], 0, reader, 0);
    pthread_create(&t[1], 0, writer, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    free(now);
    return 0;
}
