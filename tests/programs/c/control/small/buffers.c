/* gmtime() has one buffer for all threads. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static FILE *out;

static void *say(void *arg)
{
    for (int i = 0; i < 10; i++) {
        time_t now = 1000000 + i;
        char text[32];
        strftime(text, sizeof text, "%H:%M:%S", gmtime(&now));
        flockfile(out);
        fprintf(out, "%s\n", text);
        funlockfile(out);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    out = fopen("/dev/null", "w");
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, say, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return fclose(out);
}
