/* Ways of threads and processes to come and go that are correct, each by the name in argv[1]:
 * whatever is recorded of them, nothing races and nothing hangs. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { MANY = 2000 };
int shared, last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, go;

static void add(void)
{
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
}

static void *adds(void *unused)
{
    add();
    sem_post(&ready);
    return unused;
}

/* The last thread to end ends the process. */
static void *outlives(void *first)
{
    pthread_join(*(pthread_t *)first, NULL);
    add();
    last = 1;
    return NULL;
}

static int main_exits(void)
{
    static pthread_t self, t;
    self = pthread_self();
    add();
    pthread_create(&t, NULL, outlives, &self);
    pthread_detach(t);
    pthread_exit(NULL);
}

static void *sleeps(void *unused)
{
    adds(NULL);
    sem_wait(&go);
    return unused;
}

static void *rests(void *unused)
{
    adds(NULL);
    for (;;)
        pause();
    return unused;
}

/* Threads that are still there when the process ends. */
static int detached(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t t;
        pthread_create(&t, NULL, rests, NULL);
        pthread_detach(t);
        sem_wait(&ready);
    }
    add();
    return 0;
}

static int exits_c11(void *unused)
{
    (void)unused;
    add();
    thrd_exit(3);
}

static int c11(void)
{
    thrd_t t;
    int result = 0;
    thrd_create(&t, exits_c11, NULL);
    thrd_join(t, &result);
    shared++;
    return result == 3 ? 0 : 1;
}

static void at_quick_exit_add(void)
{
    add();
    last = 1;
}

static int quick(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adds, NULL);
    pthread_join(t, NULL);
    at_quick_exit(at_quick_exit_add);
    quick_exit(0);
}

static int at_exit(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adds, NULL);
    pthread_join(t, NULL);
    atexit(at_quick_exit_add);
    return 0;
}

static void destroy(void *own)
{
    add();
    free(own);
}

static void *has_own(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, malloc(8));
    add();
    return NULL;
}

/* What threads do after their end. */
static int keys(void)
{
    pthread_key_t key;
    pthread_t t[4];
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, has_own, &key);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return shared == 8 ? 0 : 1;
}

/* Other programs, and one that there is not. */
static int others(void)
{
    char *argv[] = {"none", NULL};
    pthread_t t;
    if (system("true") || execv("/none", argv) != -1)
        return 1;
    pthread_create(&t, NULL, adds, NULL);
    pthread_join(t, NULL);
    last = shared;
    return 0;
}

/* All of them at the same time. */
static int many(void)
{
    static pthread_t t[MANY];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (int i = 0; i < MANY; i++)
        if (pthread_create(&t[i], &small, sleeps, NULL))
            abort();
    for (int i = 0; i < MANY; i++)
        sem_wait(&ready);
    for (int i = 0; i < MANY; i++)
        sem_post(&go);
    for (int i = 0; i < MANY; i++)
        pthread_join(t[i], NULL);
    return shared == MANY ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {{"main_exits", main_exits}, {"detached", detached}, {"c11", c11},
                {"quick", quick},           {"at_exit", at_exit},   {"keys", keys},
                {"others", others},         {"many", many}};
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            return ways[i].run();
    return 2;
}
