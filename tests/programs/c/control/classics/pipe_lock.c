/* A lock is held while reading from a pipe that the other thread fills with the lock held. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int p[2], total;
static void *rd(void *x)
{
    char c;
#ifdef FIXED
    while (read(p[0], &c, 1) == 1) {
        pthread_mutex_lock(&m);
        total++;
        pthread_mutex_unlock(&m);
    }
#else
    for (;;) {
        pthread_mutex_lock(&m);
        if (read(p[0], &c, 1) != 1) {
            pthread_mutex_unlock(&m);
            break;
        }
        total++;
        pthread_mutex_unlock(&m);
    }
#endif
    return x;
}
static void *wr(void *x)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        if (write(p[1], "x", 1) != 1)
            return 0;
        pthread_mutex_unlock(&m);
    }
    return x;
}
int main(void)
{
    pthread_t a, b;
    if (pipe(p))
        return 9;
    pthread_create(&a, 0, wr, 0);
    pthread_create(&b, 0, rd, 0);
    pthread_join(a, 0);
    close(p[1]);
    pthread_join(b, 0);
    printf("%d\n", total);
    return total == 3 ? 0 : 1;
}
