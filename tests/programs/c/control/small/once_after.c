/* Both come to the initialiser, one of them late: neither waits for ever. */
#include <pthread.h>
#include <unistd.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;
static void make(void) { x = 1; }
static void *comes(void *p)
{
    pthread_once(&once, make);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, comes, 0);
    usleep(30000);
    pthread_once(&once, make);
    pthread_join(t, 0);
    return x - 1;
}
