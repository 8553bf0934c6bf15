/* main gives the thread a while, and takes it that this is enough. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *works(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, works, NULL);
    usleep(20000);
    pthread_mutex_lock(&lock);
    assert(done);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
