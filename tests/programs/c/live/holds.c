/* Two threads that take turns by locks and a condition, correctly, argv[1] times. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
int next;
static int n;

static void *takes_turns(void *who)
{
    int me = who != NULL;
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        while (next != me)
            pthread_cond_wait(&turn, &lock);
        next = !me;
        pthread_cond_signal(&turn);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&t[0], NULL, takes_turns, NULL);
    pthread_create(&t[1], NULL, takes_turns, &next);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
