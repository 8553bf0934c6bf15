/* Signals that come while their receiver works, mostly in the middle of being recorded. Each handler's work is to
 * be recorded, and its signal's sending comes before it. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 300 };

static atomic_int handled, work;
static int told; /* by the sender, before it sends */
static pthread_t receiver;

static void on_signal(int number)
{
    int expected = told;
    (void)number;
    if (expected != atomic_fetch_add(&handled, 1) + 1)
        _Exit(9);
}

static void *send_signals(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        told = i + 1;
        pthread_kill(receiver, SIGUSR1);
        while (atomic_load_explicit(&handled, memory_order_acquire) <= i)
            sched_yield();
    }
    return arg;
}

int main(void)
{
    struct sigaction a;
    pthread_t sender;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    sigaction(SIGUSR1, &a, NULL);
    receiver = pthread_self();
    pthread_create(&sender, NULL, send_signals, NULL);
    while (atomic_load_explicit(&handled, memory_order_acquire) < TIMES)
        if (atomic_fetch_add(&work, 1) % 100 == 99)
            sched_yield();
    pthread_join(sender, NULL);
    return 0;
}
