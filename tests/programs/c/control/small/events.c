/* A loop that waits for an eventfd by HOW; with LOST, it empties the eventfd after its queue. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

static int events, set, queued, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wait_for_event(void)
{
#if HOW == 1
    struct epoll_event e;
    epoll_wait(set, &e, 1, -1);
#elif HOW == 2
    fd_set in;
    FD_ZERO(&in);
    FD_SET(events, &in);
    select(events + 1, &in, NULL, NULL, NULL);
#else
    struct pollfd p = {events, POLLIN, 0};
    poll(&p, 1, -1);
#endif
}

static int empty(void)
{
    uint64_t n;
    return read(events, &n, sizeof n) > 0;
}

static void *loop(void *x)
{
    while (done < 2) {
        wait_for_event();
#ifndef LOST
        empty();
#endif
        pthread_mutex_lock(&lock);
        done += queued;
        queued = 0;
        pthread_mutex_unlock(&lock);
#ifdef LOST
        empty();
#endif
    }
    return x;
}

int main(void)
{
    uint64_t one = 1;
    pthread_t t;
    struct epoll_event e = {.events = EPOLLIN};
    events = eventfd(0, 0);
    set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, events, &e);
    pthread_create(&t, NULL, loop, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        queued++;
        pthread_mutex_unlock(&lock);
        if (write(events, &one, sizeof one) < 0)
            return 1;
    }
    pthread_join(t, NULL);
    printf("done %d\n", done);
    return 0;
}
