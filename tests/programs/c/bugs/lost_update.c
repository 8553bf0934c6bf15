/* Two threads add to a total that nothing protects; the second comes when the first has long
 * gone. FIXED: a lock protects it. */
#include <pthread.h>
#include <unistd.h>

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *late)
{
    if (late)
        usleep(100000);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    total += 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, adds, NULL);
    pthread_create(&t[1], NULL, adds, &lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return total != 2;
}
