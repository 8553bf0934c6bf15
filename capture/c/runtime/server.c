/* A program that is run many times waits here, behind its loader, and forks for each run: that
 * is several times as fast as starting it. FORESEE_SERVER names two pipes. For each byte that
 * arrives a copy goes on as the program; its process number and, when it has ended, its status
 * are sent back. */
#include "capture/c/runtime/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "FORESEE_SERVER"

static void send_word(int to, int word)
{
    if (write(to, &word, sizeof word) != sizeof word)
        _exit(1);
}

static void become_program(int from, int to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    close(from);
    close(to);
    lseek(STDIN_FILENO, 0, SEEK_SET);
}

void fore_rt_serve(void)
{
    const char *pipes = getenv(NAME);
    int from, to, status = 0;
    char order;
    if (!pipes || sscanf(pipes, "%d %d", &from, &to) != 2)
        return;
    unsetenv(NAME);
    while (read(from, &order, 1) == 1) {
        pid_t pid = fork();
        if (pid == 0) {
            become_program(from, to);
            return;
        }
        send_word(to, (int)pid);
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        send_word(to, status);
    }
    _exit(0);
}
