/* Waits for files until some time: an hour of it passes at once under control. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int ends[2], later[2];
static volatile sig_atomic_t handled;
static pthread_t waiter;

static void handle(int s)
{
    (void)s;
    handled = 1;
}

static void *writer(void *x)
{
    usleep(1000);
    if (write(later[1], "x", 1) != 1)
        return NULL;
    return x;
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void *interrupter(void *x)
{
    usleep(1000);
    pthread_kill(waiter, SIGUSR1);
    return x;
}

int main(void)
{
    pthread_t t;
    char c;
    int e = epoll_create1(0), n = 0;
    long began = now();
    uint64_t times = 0;
    struct sigaction a = {.sa_handler = handle};
    sigaction(SIGUSR1, &a, NULL);
    if (pipe(ends) || pipe(later))
        return 9;
    struct pollfd p = {ends[0], POLLIN, 0}, q = {later[0], POLLIN, 0};
    n += poll(&p, 1, HOUR * 1000);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timeval v = {HOUR, 0};
    n += select(ends[0] + 1, &set, NULL, NULL, &v);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(e, EPOLL_CTL_ADD, ends[0], &event);
    n += epoll_wait(e, &event, 1, HOUR * 1000);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec s = {{HOUR, 0}, {HOUR, 0}};
    timerfd_settime(timer, 0, &s, NULL);
    for (int i = 0; i < 3; i++) {
        uint64_t k = 0;
        if (read(timer, &k, sizeof k) == sizeof k)
            times += k;
    }
    struct pollfd both[2] = {{ends[0], POLLIN, 0}, {timer, POLLIN, 0}};
    int second = poll(both, 2, -1) == 1 && both[1].revents & POLLIN;
    pthread_create(&t, NULL, writer, NULL);
    int got = poll(&q, 1, -1);
    if (read(later[0], &c, 1) != 1)
        return 8;
    pthread_join(t, NULL);
    sigset_t held, none;
    sigemptyset(&none);
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &held, NULL);
    waiter = pthread_self();
    pthread_create(&t, NULL, interrupter, NULL);
    int broken = ppoll(&p, 1, NULL, &none) < 0 && errno == EINTR;
    pthread_join(t, NULL);
    printf("%d ready, %d timers, %d %d %d, %ld hours\n", n, (int)times, second, got,
           broken && handled, (now() - began) / HOUR);
    return 0;
}
