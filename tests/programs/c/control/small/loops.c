/* A loop in which there is no point, so that nobody can take the turn from it. */
#include <pthread.h>
static void *loops(void *p)
{
    for (volatile unsigned i = 0;; i++) {
    }
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, loops, 0);
    pthread_join(t, 0);
    return 0;
}
