#include "base/child.h"

#include "base/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum fore_status fore_child_share(size_t bytes, void **out, struct fore_err *e)
{
    *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*out != MAP_FAILED)
        return FORE_OK;
    *out = NULL;
    return fore_fail(e, FORE_IO, "cannot map memory: %s", strerror(errno));
}

enum fore_status fore_child_fork(pid_t *child, struct fore_err *e)
{
    pid_t parent = getpid();
    *child = fork();
    if (*child < 0)
        return fore_fail(e, FORE_IO, "cannot start a process: %s", strerror(errno));
    if (*child == 0) {
        struct rlimit no_core = {0, 0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setrlimit(RLIMIT_CORE, &no_core);
        if (getppid() != parent)
            _exit(0);
    }
    return FORE_OK;
}

int fore_child_wait(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void fore_child_end_text(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(out, size, "crashed: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(out, size, "ended the process with status %d", WEXITSTATUS(status));
}

static uint64_t child_ns(pid_t child)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(child, &clock) || clock_gettime(clock, &t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool fore_child_hangs(pid_t child, struct fore_pulse *last, uint64_t steps, bool busy,
                      double seconds)
{
    uint64_t now = fore_now_ns(), used = child_ns(child);
    if (steps != last->steps || !busy || !last->ns) {
        *last = (struct fore_pulse){steps, now, used};
        return false;
    }
    return (double)(used - last->cpu_ns) / 1e9 > seconds ||
           (double)(now - last->ns) / 1e9 > 20 * seconds;
}
