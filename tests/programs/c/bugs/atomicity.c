/* Two globals belong together; each is written under the lock, but not both. The user of this
 * run comes after them. FIXED: both are written in one critical section.
 * As a property: whoever uses them finds the length of its data. */
#include <pthread.h>
#include <unistd.h>

int data, length, in_use;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *grows(void *unused)
{
    pthread_mutex_lock(&lock);
    data = 2;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    length = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *uses(void *unused)
{
    usleep(100000);
    pthread_mutex_lock(&lock);
    in_use = 1;
    in_use = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, grows, NULL);
    pthread_create(&t[1], NULL, uses, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return data != length;
}
