/* What threads do when their function is over: they hand back what they had for themselves. */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handed_back;

static void hand_back(void *own)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    handed_back += *(int *)own;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#else
    (void)lock;
#endif
    free(own);
}

static void *works(void *unused)
{
    int *own = malloc(sizeof *own);
    *own = 1;
    pthread_setspecific(key, own);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_key_create(&key, hand_back);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, works, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return handed_back > 0 ? 0 : 1;
}
