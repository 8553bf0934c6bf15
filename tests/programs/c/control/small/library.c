/* Races within calls of the C library: each call reads constants and memory of its thread besides. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char shared[40];
static int kind;

static void *call(void *unused)
{
    char own[20] = "q w";
    (void)unused;
    if (kind == 0)
        strcpy(shared, "hello there");
    if (kind == 1)
        strtok(own, "q");
    if (kind == 2)
        setenv("FORESEE_NONE", "1", 1);
    if (kind == 3)
        snprintf(shared, sizeof shared, "%s %d", "hello", 7);
    for (int i = 0; kind == 4 && i < 3; i++) {
        strcpy(own, "hello");
        strcat(shared, own);
        shared[0] = 0;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    kind = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, call, NULL);
    call(NULL);
    pthread_join(t, NULL);
}
