/* Memory that one thread gives back and another gets, through the library's own calls too; stacks
 * of threads that are gone; buffers that change hands under a lock. Nothing races. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *box;
static int sum;

static void touch(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] += i;
}

/* So large that whichever thread asks next gets it. */
static void touch_large(int i)
{
    enum { LARGE = 500 };
    long *large = malloc(LARGE * sizeof *large);
    for (int k = 0; k < LARGE; k++)
        large[k] = i + k;
    free(large);
}

static void *thread(void *unused)
{
    int local[16] = {0};
    for (int i = 0; i < 200; i++) {
        int *mine = malloc(64 * sizeof *mine);
        memset(mine, 0, 64 * sizeof *mine);
        touch(mine, 64);
        touch(local, 16);
        char *copy = strdup("some text that the library allocates");
        copy[3] = 'x';
        pthread_mutex_lock(&lock);
        sum += mine[5] + local[3];
        free(box);
        box = copy;
        pthread_mutex_unlock(&lock);
        free(mine);
        touch_large(i);
    }
    return unused;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    for (int round = 0; round < 3; round++) {
        pthread_t t[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, thread, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
    }
    free(box);
    return sum ? 0 : 1;
}
