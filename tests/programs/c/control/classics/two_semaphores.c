/* Two semaphores taken in opposite orders. */
#include <pthread.h>
#include <semaphore.h>
static sem_t a, b;
static void *f(void *x)
{
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return x;
}
static void *g(void *x)
{
#ifdef FIXED
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
#else
    sem_wait(&b);
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
#endif
    return x;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t[0], 0, f, 0);
    pthread_create(&t[1], 0, g, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
