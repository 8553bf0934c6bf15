/* What is read from the descriptor comes after it was written, and the array is filled too late. */
#include <pthread.h>
#include <sys/eventfd.h>

enum { TIMES = 6 };

static int fd, slots[TIMES];

static void *give(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        eventfd_write(fd, 1);
        slots[i] = i + 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    fd = eventfd(0, EFD_SEMAPHORE);
    pthread_create(&t, NULL, give, NULL);
    for (int i = 0; i < TIMES; i++) {
        eventfd_t n;
        eventfd_read(fd, &n);
        sum += slots[i];
    }
    pthread_join(t, NULL);
    return sum < 0;
}
