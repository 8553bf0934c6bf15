/* Two semaphores taken in two orders. */
#include "classics.h"
#include <semaphore.h>
static sem_t a, b;
static void *one(void *x) { sem_wait(&a); sem_wait(&b); sem_post(&b); sem_post(&a); return x; }
static void *two(void *x) { FIX(sem_wait(&a); sem_wait(&b);) BUG(sem_wait(&b); sem_wait(&a);) sem_post(&a); sem_post(&b); return x; }
int main(void) { sem_init(&a, 0, 1); sem_init(&b, 0, 1); RUN(one, two); return 0; }
