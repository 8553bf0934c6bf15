/* What watching takes.
 *   doubles: memory that several threads come to, by 8 bytes. Prints how many times as much it all takes.
 *   bytes: a thread alone goes through bytes again and again, and does other things between. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOUBLES = 1 << 22, BYTES = 10000 };
static double *grid;
int step;

static long resident(void)
{
    char line[128];
    long kilobytes = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "RssAnon:", 8) == 0)
            kilobytes = atol(line + 8);
    if (f)
        fclose(f);
    return kilobytes;
}

static void *half(void *which)
{
    size_t from = which ? DOUBLES / 2 : 0;
    for (size_t i = from; i < from + DOUBLES / 2; i++)
        grid[i] += 1;
    return NULL;
}

static int fill_doubles(void)
{
    pthread_t threads[2];
    grid = malloc(DOUBLES * sizeof *grid);
    if (!grid)
        return 2;
    for (size_t i = 0; i < DOUBLES; i++)
        grid[i] = (double)i;
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, half, i ? grid : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%.1f times\n", (double)resident() * 1024 / (DOUBLES * sizeof *grid));
    return 0;
}

static void write_all(char *bytes)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i]++;
}

static void *fill_bytes(void *unused)
{
    char *bytes = malloc(BYTES);
    if (!bytes)
        return unused;
    write_all(bytes);
    step = 1;
    write_all(bytes);
    step = 2;
    write_all(bytes);
    free(bytes);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1 && strcmp(argv[1], "doubles") == 0)
        return fill_doubles();
    pthread_create(&thread, NULL, fill_bytes, NULL);
    pthread_join(thread, NULL);
    return 0;
}
