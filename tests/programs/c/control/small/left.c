/* main returns while a thread still works, and says what it has seen of it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *unused)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        done++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    int seen = done;
    pthread_mutex_unlock(&m);
    printf("%d done\n", seen);
    return seen == 3 ? 3 : 0;
}
