/* A thread waits for ever, or would; the process ends in the way that HOW says. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *ends(void *unused)
{
    usleep(50000);
    switch (HOW) {
    case 0: exit(0);
    case 1: _exit(0);
    case 2: kill(getpid(), SIGTERM); break;
    case 3: abort();
    case 4: *(volatile int *)8 = 1; break;
    }
    return unused;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&u, NULL, ends, NULL);
    if (HOW == 6) /* a thread that serves for as long as the process lives */
        pthread_detach(t);
    if (HOW >= 5) { /* main returns: whoever waits is left behind */
        pthread_join(u, NULL);
        usleep(50000);
        return 0;
    }
    pthread_join(t, NULL);
    return 0;
}
