/* Two threads race; then it ends as argv[1] says. What was found is told all the same. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int raced;

static void *thread(void *unused)
{
    raced++;
    return unused;
}

static void *ends(void *how)
{
    if (!strcmp(how, "crash"))
        *(volatile int *)0x10 = 1;
    else if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "thread"))
        exit(7);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (argc > 1 && !strcmp(argv[1], "exec"))
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
    pthread_create(&t[2], NULL, ends, argc > 1 ? argv[1] : "");
    pthread_join(t[2], NULL);
    return 0;
}
