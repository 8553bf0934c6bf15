/* Threads that the C library makes by itself: for a timer, and for input that it was asked to read.
 * With an argument: for a timer that is not set any more, which nobody can end. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ticks;
static long came;

static void tick(union sigval unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    ticks++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void take(union sigval request)
{
    long n = aio_return(request.sival_ptr);
    pthread_mutex_lock(&lock);
    came = n;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    (void)argv;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec often = {{0, 2000000}, {0, 2000000}}, never = {{0, 0}, {0, 0}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, argc > 1 ? &never : &often, NULL);
    pthread_mutex_lock(&lock);
    while (ticks < 3)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    timer_delete(timer);

    char text[8];
    struct aiocb request = {.aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = text, .aio_nbytes = sizeof text};
    request.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = take};
    request.aio_sigevent.sigev_value.sival_ptr = &request;
    aio_read(&request);
    pthread_mutex_lock(&lock);
    while (!came)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    printf("%ld came\n", came);
    return 0;
}
