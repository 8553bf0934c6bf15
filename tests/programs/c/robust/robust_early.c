/* A signal comes to a thread as soon as it is there: a handler takes a lock before the thread's own
 * function is called. 200 threads, so that most runs have many that come before anything else; every
 * second one says itself what it holds back. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handled, worked;

static void handle(int number)
{
    (void)number;
    pthread_mutex_lock(&lock);
    handled++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    assert(sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGUSR1));
    return unused;
}

int main(void)
{
    pthread_attr_t a;
    sigset_t mask;
    signal(SIGUSR1, handle);
    pthread_attr_init(&a);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    pthread_attr_setsigmask_np(&a, &mask);
    for (int i = 0; i < 200; i++) {
        pthread_t t;
        assert(!pthread_create(&t, i % 2 ? &a : NULL, work, NULL));
        pthread_kill(t, SIGUSR1);
        pthread_join(t, NULL);
    }
    worked = handled;
    return 0;
}
