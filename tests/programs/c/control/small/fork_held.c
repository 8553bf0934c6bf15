/* A child waits for a lock that another thread of its parent holds when it forks. FIXED: that thread has given it back. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, forked;

static void *holds(void *x)
{
    pthread_mutex_lock(&m);
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    sem_post(&held);
    sem_wait(&forked);
#ifndef FIXED
    pthread_mutex_unlock(&m);
#endif
    return x;
}

int main(void)
{
    pthread_t t;
    sem_init(&held, 0, 0);
    sem_init(&forked, 0, 0);
    pthread_create(&t, NULL, holds, NULL);
    sem_wait(&held);
    pid_t child = fork();
    if (!child) {
        alarm(1); /* which ends it */
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        _exit(0);
    }
    sem_post(&forked);
    waitpid(child, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
