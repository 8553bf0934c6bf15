/* argv[1] threads that come and go one after the other, more than the shadow has numbers for. Those that use the number of
 * another again must not be taken for it.
 *   slots    the first thread writes every slot, each of the others one of them, and nothing orders the two
 *   race     but for two in the middle, which increment the same memory at the same time
 *   ordered  the same, with a lock */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };
int slot[MOST];
static atomic_int written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *own, count;
static const char *way;

static void *writes_all(void *unused)
{
    (void)unused;
    for (int i = 0; i < MOST; i++)
        slot[i] = 1;
    atomic_store_explicit(&written, 1, memory_order_relaxed); /* orders nothing */
    return NULL;
}

static void *writes_one(void *argument)
{
    *(int *)argument = 2;
    return NULL;
}

static void *increments(void *unused)
{
    if (!strcmp(way, "ordered"))
        pthread_mutex_lock(&lock);
    ++*own;
    if (!strcmp(way, "ordered"))
        pthread_mutex_unlock(&lock);
    return unused;
}

static pthread_t begin(void *(*run)(void *), void *argument)
{
    pthread_t t;
    if (pthread_create(&t, NULL, run, argument))
        abort();
    return t;
}

static void two_at_once(void)
{
    pthread_t one = begin(increments, NULL), two = begin(increments, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[1]) : 0;
    way = argc > 2 ? argv[2] : "";
    own = calloc(1, sizeof *own);
    if (!strcmp(way, "slots"))
        pthread_detach(begin(writes_all, NULL));
    while (!strcmp(way, "slots") && !atomic_load_explicit(&written, memory_order_relaxed))
        ;
    for (int i = 0; i < threads; i++) {
        if (strcmp(way, "slots") && i == 9000)
            two_at_once();
        pthread_join(begin(writes_one, !strcmp(way, "slots") ? &slot[i] : &count), NULL);
    }
    return 0;
}
