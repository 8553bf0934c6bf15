/* One thread writes x, another reads it, and nothing but what HOW says orders the two. With RACY the
 * second does not wait. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int x, fds[2];
static pthread_t main_thread;

enum { PIPE, SOCKET, POLL, SELECT, EPOLL, STREAM, CLOSE, KILL, CHILD, FILELOCK, EVENT };

static void give(void)
{
    char one = 1;
    unsigned long eight = 1;
    switch (HOW) {
    case STREAM: {
        FILE *f = fdopen(dup(fds[1]), "w");
        fputs("go\n", f);
        fclose(f);
        break;
    }
    case CLOSE:
    case CHILD:
        close(fds[1]);
        break;
    case KILL:
        kill(getpid(), SIGUSR1);
        break;
    case FILELOCK: {
        struct flock l = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
        fcntl(fds[1], F_OFD_SETLK, &l);
        break;
    }
    case EVENT:
        if (write(fds[1], &eight, 8) != 8)
            abort();
        break;
    default:
        if (send(fds[1], &one, 1, 0) != 1 && write(fds[1], &one, 1) != 1)
            abort();
    }
}

static void take(void)
{
    char text[16];
    unsigned long eight;
    struct pollfd p = {fds[0], POLLIN, 0};
    switch (HOW) {
    case POLL:
        poll(&p, 1, -1);
        break;
    case SELECT: {
        fd_set s;
        FD_ZERO(&s);
        FD_SET(fds[0], &s);
        select(fds[0] + 1, &s, NULL, NULL, NULL);
        break;
    }
    case EPOLL: {
        int e = epoll_create1(0);
        struct epoll_event v = {.events = EPOLLIN};
        epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &v);
        epoll_wait(e, &v, 1, -1);
        break;
    }
    case STREAM:
        if (!fgets(text, sizeof text, fdopen(fds[0], "r")))
            abort();
        break;
    case KILL: {
        sigset_t s;
        int g;
        sigemptyset(&s);
        sigaddset(&s, SIGUSR1);
        sigwait(&s, &g);
        break;
    }
    case CHILD:
        wait(NULL);
        break;
    case FILELOCK: {
        struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        fcntl(fds[0], F_OFD_SETLKW, &l);
        break;
    }
    case EVENT:
        if (read(fds[0], &eight, 8) != 8)
            abort();
        break;
    case SOCKET:
        if (recv(fds[0], text, 1, 0) != 1)
            abort();
        break;
    default:
        if (read(fds[0], text, 1) < 0)
            abort();
    }
}

static void *writes(void *unused)
{
    x = 1;
    give();
    return unused;
}

static void prepare(void)
{
    sigset_t s;
    char name[] = "/tmp/ordered-XXXXXX";
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    main_thread = pthread_self();
    if (HOW == SOCKET) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    } else if (HOW == EVENT) {
        fds[0] = fds[1] = eventfd(0, 0);
    } else if (HOW == FILELOCK) {
        fds[1] = mkstemp(name);
        fds[0] = open(name, O_RDWR);
        unlink(name);
        struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        fcntl(fds[1], F_OFD_SETLK, &l);
    } else if (pipe2(fds, O_CLOEXEC) < 0) {
        abort();
    }
    if (HOW == CHILD && fork() == 0) { /* ends when the other end is closed */
        char c;
        close(fds[1]);
        _exit(read(fds[0], &c, 1) != 0);
    }
}

int main(void)
{
    pthread_t t;
    prepare();
    pthread_create(&t, NULL, writes, NULL);
#ifdef RACY
    usleep(100000);
#else
    take();
#endif
    x++;
    pthread_join(t, NULL);
    return x != 2;
}
