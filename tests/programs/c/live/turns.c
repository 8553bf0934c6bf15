/* Two threads take turns on a place in the heap, argv[1] times each; it is compiled without a
 * specification. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *count)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        ++*(int *)count;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    int *count = calloc(1, sizeof *count);
    n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, count);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return *count == 2 * n ? 0 : 1;
}
