/* The water reservoir of [jmpax], figure 1. One thread reads the level of the water and
 * stores the quantity in w; the other opens the valve v step by step, looking at w before
 * the first and the last. Nothing but their timing keeps the two in step. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int w = 20, v = 40;

static void *valve(void *unused)
{
    int quantity = 0;
    (void)unused;
    for (int step = 1; step <= 3; step++) {
        usleep(200000);
        if (step != 2)
            quantity = w;
        if (quantity < 20)
            break;
        v = 40 + 10 * step;
    }
    return NULL;
}

static void *level(void *unused)
{
    static const int readings[] = {24, 27, 31};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        usleep(i ? 200000 : 100000);
        w = readings[i];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, valve, NULL);
    pthread_create(&threads[1], NULL, level, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("water %d, valve %d\n", w, v);
    return 0;
}
