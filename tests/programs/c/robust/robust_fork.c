/* A process forks while another thread of it works and while it holds a lock; the copy goes on by
 * itself, with threads of its own. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int shared, by_parent, by_child;
static volatile int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *busy(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&other);
        free(malloc(100));
        pthread_mutex_unlock(&other);
    }
    return unused;
}

static void *in_child(void *unused)
{
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int child(void)
{
    pthread_t t[2];
    by_child = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, in_child, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return shared == 3 ? 0 : 1;
}

int main(void)
{
    pthread_t t;
    int status = 1;
    pthread_create(&t, NULL, busy, NULL);
    pthread_mutex_lock(&lock);
    shared = 1;
    pid_t pid = fork();
    if (pid == 0)
        exit(child());
    by_parent = 1;
    pthread_mutex_unlock(&lock);
    waitpid(pid, &status, 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(t, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
