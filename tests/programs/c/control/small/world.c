/* The world outside: 200 threads, of which each sends to a server thread over a socket and waits for the answer,
 * a pipe between two of them, children that are waited for, signals that are handled and waited for, a thread that is
 * cancelled, one that jumps, a mutex whose owner dies. What comes out is the same on every schedule. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { CLIENTS = 192, PORTS = 4 };
static int port[PORTS][2], ends[2];
static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, robust;
static volatile sig_atomic_t signals;

static void handle(int unused)
{
    (void)unused;
    signals++;
}

static void *serves(void *x)
{
    long i = (long)x;
    for (int k = 0; k < CLIENTS / PORTS; k++) {
        int n;
        if (recv(port[i][0], &n, sizeof n, 0) != sizeof n)
            abort();
        n *= 2;
        if (send(port[i][0], &n, sizeof n, 0) != sizeof n)
            abort();
    }
    return NULL;
}

/* Whoever reads an answer reads somebody's: the sum is the same. */
static void *asks(void *x)
{
    int n = (int)(long)x, fd = port[n % PORTS][1];
    if (write(fd, &n, sizeof n) != sizeof n || read(fd, &n, sizeof n) != sizeof n)
        abort();
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *forks(void *unused)
{
    int status, sum = 0;
    for (int i = 1; i <= 3; i++) {
        pid_t child = fork();
        if (!child)
            _exit(i);
        if (waitpid(child, &status, 0) == child)
            sum += WEXITSTATUS(status);
    }
    char text[16];
    int n = snprintf(text, sizeof text, "%d", sum);
    if (write(ends[1], text, (size_t)n + 1) != n + 1)
        abort();
    return unused;
}

static void *raises(void *unused)
{
    raise(SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR1);
    return unused;
}

static void *waits_for_a_signal(void *got)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, got);
    return NULL;
}

static void *jumps(void *count)
{
    jmp_buf here;
    volatile int n = 0;
    int unused[2];
    if (pipe(unused))
        abort();
    close(unused[0]); /* there is nothing to read, and that does not matter */
    close(unused[1]);
    if (setjmp(here) < 3) {
        n++;
        longjmp(here, n);
    }
    *(int *)count = n;
    return NULL;
}

static void *sleeps(void *unused)
{
    for (;;)
        sleep(1);
    return unused;
}

static void *dies_with_it(void *unused)
{
    pthread_mutex_lock(&robust);
    return unused;
}

static int adds(void *x)
{
    return *(int *)x + 1;
}

int main(void)
{
    pthread_t t[CLIENTS], server[PORTS], other[6];
    int got = 0, jumped = 0, one = 1, result = 0;
    void *cancelled;
    char text[16] = "";
    pthread_mutexattr_t a;
    thrd_t c11;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, handle);
    for (int i = 0; i < PORTS; i++)
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, port[i]))
            return 2;
    if (pipe(ends))
        return 2;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &a);
    for (long i = 0; i < PORTS; i++)
        pthread_create(&server[i], NULL, serves, (void *)i);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&t[i], NULL, asks, (void *)i);
    pthread_create(&other[0], NULL, forks, NULL);
    pthread_create(&other[1], NULL, raises, NULL);
    pthread_create(&other[2], NULL, waits_for_a_signal, &got);
    pthread_create(&other[3], NULL, jumps, &jumped);
    pthread_create(&other[4], NULL, sleeps, NULL);
    pthread_create(&other[5], NULL, dies_with_it, NULL);
    thrd_create(&c11, adds, &one);
    kill(getpid(), SIGUSR2);
    pthread_cancel(other[4]);
    if (read(ends[0], text, sizeof text) <= 0)
        return 3;
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PORTS; i++)
        pthread_join(server[i], NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(other[i], i == 4 ? &cancelled : NULL);
    thrd_join(c11, &result);
    int owner = pthread_mutex_lock(&robust);
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    printf("total %ld children %s signals %d %d jumps %d cancelled %d c11 %d owner %s\n", total,
           text, (int)signals, got == SIGUSR2, jumped, cancelled == PTHREAD_CANCELED, result,
           owner == EOWNERDEAD ? "died" : "lives");
    return 0;
}
