/* A thread waits for a semaphore, and one for a condition, of which another process has the other end. A run that is
 * ended while they wait shows no deadlock. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 10 };

static struct {
    sem_t begun;
    pthread_mutex_t m;
    pthread_cond_t more;
    int n;
} *both;

static void *count(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        sem_wait(&both->begun);
    return unused;
}

static void *follow(void *unused)
{
    pthread_mutex_lock(&both->m);
    while (both->n < TIMES)
        pthread_cond_wait(&both->more, &both->m);
    pthread_mutex_unlock(&both->m);
    return unused;
}

static void work(void)
{
    for (int i = 0; i < TIMES; i++) {
        usleep(10000);
        sem_post(&both->begun);
        pthread_mutex_lock(&both->m);
        both->n++;
        pthread_cond_signal(&both->more);
        pthread_mutex_unlock(&both->m);
    }
}

int main(void)
{
    pthread_mutexattr_t locks;
    pthread_condattr_t conditions;
    pthread_t t[2];
    both = mmap(NULL, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&both->begun, 1, 0);
    pthread_mutexattr_init(&locks);
    pthread_mutexattr_setpshared(&locks, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&both->m, &locks);
    pthread_condattr_init(&conditions);
    pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&both->more, &conditions);
    if (!fork()) {
        work();
        _exit(0);
    }
    pthread_create(&t[0], NULL, count, NULL);
    pthread_create(&t[1], NULL, follow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    wait(NULL);
    return 0;
}
