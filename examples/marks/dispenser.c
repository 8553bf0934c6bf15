/* A dispenser hands out numbers. It looks at the last one and stores the next in two steps, and
 * both customers of this run look before either stores: both get number 1. Each looks happy.
 * With -DFIXED the steps are one.
 *
 *     foresee cc dispenser.c -o dispenser && foresee run -- ./dispenser */
#include "foresee/mark.h"

#include <pthread.h>
#include <stdio.h>

static foresee_history *marks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int last;

static int take(void)
{
    pthread_mutex_lock(&lock);
    int number = last + 1;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&lock);
#endif
    last = number;
    pthread_mutex_unlock(&lock);
    return number;
}

static void *customer(void *unused)
{
    foresee_call *call = foresee_invoke(marks, "inc", foresee_nothing());
    int number = take();
    foresee_return(call, foresee_int(number));
    printf("number %d\n", number);
    return unused;
}

int main(void)
{
    pthread_t customers[2];
    marks = foresee_object("counter");
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&customers[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(customers[i], NULL);
    return 0;
}
