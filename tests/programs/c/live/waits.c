/* Two writes that nothing orders; then it waits for the
 * file that its argument names, a minute at most. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ready, used;

static void *makes(void *unused)
{
    ready = 1;
    return unused;
}

static void *uses(void *unused)
{
    used = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, makes, NULL);
    pthread_create(&t[1], NULL, uses, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    for (int i = 0; argc > 1 && i < 6000 && access(argv[1], F_OK); i++)
        usleep(10000);
    puts(argc > 1 && access(argv[1], F_OK) ? "never warned" : "went on");
    return 0;
}
