/* What happens when the runtime's numbers are used up. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

unsigned fore_rt_new_ids(unsigned n) __attribute__((weak)); /* the runtime's */

static int before, after;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *argument)
{
    char *block = argument;
    pthread_mutex_lock(&m);
    before++;
    for (int i = 0; i < 1000; i++)
        block[i]++;
    after++;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    char *block = calloc(1, 1000);
    before = 1;
    if (fore_rt_new_ids)
        fore_rt_new_ids(0xfffffff0u - 1000); /* more places than anybody has memory for */
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, block);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return block[999] == 4 && after == 4 ? 0 : 1;
}
