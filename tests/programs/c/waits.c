/* Conditions, semaphores, barriers, once: what each thread does does not depend on timing. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t sem;
static int done, made;

static void make(void)
{
    made = 1;
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&ready);
    pthread_cond_broadcast(&ready);
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&barrier);
    sem_post(&sem);
    pthread_barrier_wait(&barrier);
    pthread_once(&control, make);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&sem, 0, 0);
    sem_trywait(&sem);
    pthread_once(&control, make);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cond_wait(&ready, &m);
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&barrier);
    sem_wait(&sem);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    return done && made ? 0 : 1;
}
