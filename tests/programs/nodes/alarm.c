/* A node of the tests that answers an hour later, when a timer goes off; it remembers one client only, so that a
 * second one in that hour leaves the first without an answer.
 *
 *   alarm signal      SIGALRM
 *   alarm timerfd     a descriptor of a timer, and epoll */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static char line[4096], reply[256];

static void answer(int unused)
{
    (void)unused;
    if (write(STDOUT_FILENO, reply, strlen(reply)) < 0)
        _exit(1);
}

static int read_line(void)
{
    size_t n = 0;
    do {
        if (read(STDIN_FILENO, line + n, 1) != 1)
            return 0;
    } while (line[n++] != '\n' && n < sizeof line - 1);
    line[n] = 0;
    return 1;
}

static void take_line(int timer)
{
    const char *id = strstr(line, "\"msg_id\":"), *src = strstr(line, "\"src\":\""), *echo = strstr(line, "\"echo\":");
    int init = strstr(line, "\"init\"") != NULL;
    snprintf(reply, sizeof reply, "{\"src\":\"n1\",\"dest\":\"c%c\",\"body\":{\"type\":\"%s_ok\",\"echo\":%c,\"in_reply_to\":%c}}\n",
             src[8], init ? "init" : "echo", echo ? echo[7] : '0', id[9]);
    if (init)
        answer(0);
    else if (timer >= 0)
        timerfd_settime(timer, 0, &(struct itimerspec){{0, 0}, {3600, 0}}, NULL);
    else
        alarm(3600);
}

int main(int argc, char **argv)
{
    int timer = -1, all = -1;
    if (argc > 1 && !strcmp(argv[1], "timerfd")) {
        timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
        all = epoll_create1(0);
        struct epoll_event input = {EPOLLIN, {.fd = STDIN_FILENO}}, due = {EPOLLIN, {.fd = timer}};
        if (epoll_ctl(all, EPOLL_CTL_ADD, STDIN_FILENO, &input) || epoll_ctl(all, EPOLL_CTL_ADD, timer, &due))
            return 3;
    } else {
        signal(SIGALRM, answer);
    }
    for (;;) {
        struct epoll_event ready = {0, {.fd = STDIN_FILENO}};
        uint64_t times;
        if (all >= 0 && epoll_wait(all, &ready, 1, -1) != 1)
            return 3;
        if (ready.data.fd == timer) {
            if (read(timer, &times, sizeof times) != sizeof times || times != 1)
                return 3;
            answer(0);
        } else if (!read_line()) {
            return 0;
        } else {
            take_line(timer);
        }
    }
}
