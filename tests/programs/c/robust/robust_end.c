/* Ends as argv[1] says, after both threads have written: by a crash, SIGKILL, abort, exit from a
 * thread, _exit, or by becoming another program. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int before, within;
static const char *how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end(void)
{
    if (!strcmp(how, "crash"))
        *(volatile int *)(0x10 + before - before) = 1;
    else if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "exit"))
        exit(7);
    else if (!strcmp(how, "_exit"))
        _exit(7);
}

static void *thread(void *unused)
{
    pthread_mutex_lock(&lock);
    within = 2;
    pthread_mutex_unlock(&lock);
    end();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1] : "return";
    before = 1;
    if (!strcmp(how, "exec")) {
        execl(argv[0], argv[0], "return", (char *)NULL);
        return 1;
    }
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return strcmp(how, "return") != 0;
}
