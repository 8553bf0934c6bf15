/* Two threads call a function of a library that is loaded while the program runs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void (*add)(long *to, int locked);
static long *counter;
static int locked;

static void *thread(void *unused)
{
    for (int i = 0; i < 10; i++)
        add(counter, locked);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
    if (!library) {
        fputs(dlerror(), stderr);
        return 1;
    }
    add = (void (*)(long *, int))dlsym(library, "plugin_add");
    counter = calloc(1, sizeof *counter);
    locked = argc > 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return *counter ? 0 : 1;
}
