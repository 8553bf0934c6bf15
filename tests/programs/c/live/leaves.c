/* main leaves while the others are at work: nothing that they had begun to record is lost. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_create(&t, NULL, work, NULL);
    usleep(2000);
    pthread_mutex_lock(&lock);
    int n = count;
    pthread_mutex_unlock(&lock);
    exit(n < 0);
}
