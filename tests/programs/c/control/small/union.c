/* Main writes the whole of a union, a thread one byte of it. With an argument the thread is the second to come, unless
 * the machine is very busy; either way the two race. */
#include <pthread.h>
#include <unistd.h>
static union {
    int whole;
    char part[4];
} u;
static void *writes_part(void *p)
{
    if (p)
        usleep(20000);
    u.part[1] = 1;
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pthread_create(&t, 0, writes_part, argc > 1 ? &t : 0);
    if (argc == 1)
        usleep(20000);
    u.whole = 5;
    pthread_join(t, 0);
    return 0;
}
