/* 10,000 threads that come and go, some of them detached; each writes under a lock, and to memory
 * that it hands on. With an argument, two that come after all of them race for such memory: more
 * than the shadow has numbers for. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { THREADS = 10000, AT_A_TIME = 20 };
int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ended;

static void *thread(void *argument)
{
    int *own = argument;
    pthread_mutex_lock(&lock);
    total += *own;
    pthread_mutex_unlock(&lock);
    free(own);
    sem_post(&ended);
    return NULL;
}

/* Small stacks, which glibc keeps: it unmaps large ones, and its pthread_detach may then read one
 * whose thread has just ended. */
static pthread_attr_t small;

static void create(int i, pthread_t *t)
{
    int *own = malloc(sizeof *own);
    *own = 1;
    if (pthread_create(t, &small, thread, own))
        abort();
    if (i % 2)
        pthread_detach(*t);
}

static void *late(void *own)
{
    ++*(int *)own;
    return NULL;
}

static void race(void)
{
    pthread_t t[2];
    int *own = malloc(sizeof *own);
    *own = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, late, own);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t t[AT_A_TIME];
    sem_init(&ended, 0, 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (int i = 0; i < THREADS; i += AT_A_TIME) {
        for (int j = 0; j < AT_A_TIME; j++)
            create(j, &t[j]);
        for (int j = 0; j < AT_A_TIME; j++)
            sem_wait(&ended);
        for (int j = 0; j < AT_A_TIME; j += 2)
            pthread_join(t[j], NULL);
    }
    if (argc > 1)
        race();
    return total == THREADS ? 0 : 1;
}
