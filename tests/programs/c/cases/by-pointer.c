/* Threads that begin with functions of a table, copy and print memory, and take locks in two orders: the functions are
 * named, and who called the copy, the print and the locks is told. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char shared[600];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#define AWAY __attribute__((noinline))
#define HERE() __asm__ volatile("" ::: "memory")

AWAY static void store(const char *from)
{
    memcpy(shared, from, 500);
    HERE();
}

AWAY static void keep(const char *from)
{
    store(from);
    HERE();
}

AWAY static void show(void)
{
    printf("%zu\n", strlen(shared));
    HERE();
}

AWAY static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}

AWAY static void up(void)
{
    both(&a, &b);
    HERE();
}

AWAY static void down(void)
{
    both(&b, &a);
    HERE();
}

static void *writer(void *text)
{
    keep(text);
    up();
    return NULL;
}

static void *reader(void *unused)
{
    usleep(20000); /* so that nobody takes the locks at the same time */
    show();
    down();
    return unused;
}

int main(void)
{
    static void *(*volatile run[2])(void *) = {writer, reader};
    static char text[600] = "text";
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, run[i], text);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
