/* Two threads write as fast as they can, argv[1] times each; then argv[2] is made. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int x, y;
static int n;

static void *one(void *unused)
{
    for (int i = 1; i <= n; i++)
        x = i;
    return unused;
}

static void *other(void *unused)
{
    for (int i = 1; i <= n; i++)
        y = i;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    FILE *done = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (done)
        fclose(done);
    puts("flooded");
    return 0;
}
