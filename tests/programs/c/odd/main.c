/* Small C programs with odd synchronisation, in one binary: the argument is the name of one. All are
 * correct in every interleaving, but those whose names begin with "bug-". */
#include "odd.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct start {
    body *f;
    int i;
};

static void *begin(void *arg)
{
    const struct start *s = arg;
    s->f(s->i);
    return NULL;
}

void several(int n, body *f)
{
    pthread_t threads[8];
    struct start starts[8];
    for (int i = 0; i < n; i++) {
        starts[i] = (struct start){f, i};
        pthread_create(&threads[i], NULL, begin, &starts[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

void must(bool good)
{
    if (good)
        return;
    puts("the program is wrong");
    _exit(9);
}

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

void forwards(void)
{
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
}

void backwards(void)
{
    pthread_mutex_lock(&two);
    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
}

int main(int argc, char **argv)
{
    const struct odd *const all[] = {odd_locks, odd_others, odd_readers, odd_siblings, odd_waits};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (const struct odd *x = all[k]; x->name; x++) {
            if (argc < 2)
                puts(x->name);
            else if (strcmp(x->name, argv[1]) == 0) {
                x->run();
                return 0;
            }
        }
    return argc < 2 ? 0 : 2;
}
