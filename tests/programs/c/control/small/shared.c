/* A child that shares memory: it signals a condition, posts a semaphore, holds a lock of readers and
 * writers and wakes a futex, all of which the parent waits for. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    pthread_mutex_t lock;
    pthread_cond_t told;
    pthread_rwlock_t readers;
    sem_t posted;
    atomic_int word;
    int ready, read;
} *s;

static int child(void)
{
    pthread_rwlock_rdlock(&s->readers);
    sem_post(&s->posted);
    usleep(2000);
    s->read = 1;
    pthread_rwlock_unlock(&s->readers);
    pthread_mutex_lock(&s->lock);
    s->ready = 1;
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
    usleep(2000);
    s->word = 1;
    syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return 0;
}

static void make(void)
{
    pthread_mutexattr_t m;
    pthread_condattr_t c;
    pthread_rwlockattr_t r;
    s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&m);
    pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->lock, &m);
    pthread_condattr_init(&c);
    pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&s->told, &c);
    pthread_rwlockattr_init(&r);
    pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&s->readers, &r);
    sem_init(&s->posted, 1, 0);
}

int main(void)
{
    make();
    pid_t p = fork();
    if (!p)
        _exit(child());
    sem_wait(&s->posted);
    pthread_rwlock_wrlock(&s->readers);
    int read = s->read;
    pthread_rwlock_unlock(&s->readers);
    pthread_mutex_lock(&s->lock);
    while (!s->ready)
        pthread_cond_wait(&s->told, &s->lock);
    pthread_mutex_unlock(&s->lock);
    while (!s->word)
        syscall(SYS_futex, &s->word, FUTEX_WAIT, 0, NULL, NULL, 0);
    waitpid(p, NULL, 0);
    printf("read %d\n", read);
    return !read;
}
