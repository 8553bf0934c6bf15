/* Writes much more than there is room for. */
#include <pthread.h>

enum { TIMES = 200000 };
int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return counter == 2 * TIMES ? 0 : 1;
}
