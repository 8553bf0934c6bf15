/* A thread pool: main makes small tasks and puts them into a list, two threads take and do them, and give what they found
 * and the task's memory back. No kernel of the reference. */
#include "kernel.h"

#include <string.h>

struct task {
    struct task *next;
    void (*run)(struct task *task);
    uint32_t seed, result;
    char text[48];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, less = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static int waiting, closed;
static uint64_t sum;

static void hash(struct task *task)
{
    uint32_t h = task->seed;
    for (int round = 0; round < 20; round++)
        for (const char *c = task->text; *c; c++)
            h = (h ^ (unsigned char)*c) * 0x01000193u;
    task->result = h;
}

static void put(struct task *task)
{
    pthread_mutex_lock(&lock);
    while (waiting == 64)
        pthread_cond_wait(&less, &lock);
    task->next = NULL;
    *last = task;
    last = &task->next;
    waiting++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static struct task *take(void)
{
    pthread_mutex_lock(&lock);
    while (!first && !closed)
        pthread_cond_wait(&more, &lock);
    struct task *task = first;
    if (task) {
        first = task->next;
        if (!first)
            last = &first;
        waiting--;
        pthread_cond_signal(&less);
    }
    pthread_mutex_unlock(&lock);
    return task;
}

static void *work(void *unused)
{
    for (struct task *task; (task = take()); free(task)) {
        task->run(task);
        pthread_mutex_lock(&lock);
        sum += task->result;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    long tasks = kernel_size(argc, argv, 200000);
    pthread_t threads[THREADS];
    kernel_begun = 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 1;
    for (long i = 0; i < tasks; i++) {
        struct task *task = malloc(sizeof *task);
        if (!task)
            return 1;
        task->run = hash;
        task->seed = (uint32_t)i;
        snprintf(task->text, sizeof task->text, "task %ld of %ld", i, tasks);
        put(task);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    kernel_done = 1;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
