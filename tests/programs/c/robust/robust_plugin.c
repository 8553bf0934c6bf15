/* A library that is loaded while the program runs: two threads call it, without a lock if told. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void plugin_add(long *to, int locked);
void plugin_add(long *to, int locked)
{
    if (locked)
        pthread_mutex_lock(&lock);
    (*to)++;
    if (locked)
        pthread_mutex_unlock(&lock);
}
