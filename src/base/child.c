#include "base/child.h"

#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
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

/* ---- programs ---- */

_Noreturn static void become_program(struct fore_child_program p, pid_t parent,
                                     int report)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (p.dies_by) {
        prctl(PR_SET_PDEATHSIG, p.dies_by);
        if (getppid() != parent)
            _exit(127);
    }
    int why = p.prepare ? p.prepare(&p) : 0;
    if (!why) {
        execvp(p.argv[0], p.argv);
        why = errno;
    }
    ssize_t told = write(report, &why, sizeof why);
    _exit(told == sizeof why && why == ENOENT ? 127 : 126);
}

static ssize_t read_again(int fd, void *to, size_t size)
{
    ssize_t n;
    do
        n = read(fd, to, size);
    while (n < 0 && errno == EINTR);
    return n;
}

enum fore_status fore_child_start(const struct fore_child_program *program, pid_t *child,
                                  struct fore_err *e)
{
    int report[2], why = 0;
    pid_t parent = getpid();
    *child = -1;
    if (pipe2(report, O_CLOEXEC) == 0) {
        fflush(NULL);
        *child = fork();
        if (*child == 0)
            become_program(*program, parent, report[1]);
        why = errno;
        close(report[1]);
        /* Nothing arrives if the program runs: the end of the pipe in its process has closed. */
        ssize_t n = *child > 0 ? read_again(report[0], &why, sizeof why) : 0;
        close(report[0]);
        if (*child > 0 && n != sizeof why)
            return FORE_OK;
        errno = why;
    }
    if (*child < 0)
        return fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    fore_child_wait(*child);
    *child = 0;
    return fore_fail(e, FORE_CHILD, "cannot run %s: %s", program->argv[0], strerror(why));
}

int fore_child_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status)
                                    : WEXITSTATUS(wait_status);
}

enum fore_status fore_child_run(const struct fore_child_program *program, int *status,
                                struct fore_err *e)
{
    pid_t child;
    FORE_TRY(fore_child_start(program, &child, e));
    *status = fore_child_status(fore_child_wait(child));
    return FORE_OK;
}

/* Where the program's output goes, and whether its input and errors are silenced. */
struct question {
    int answer;
    bool silent;
};

static int prepare_answer(struct fore_child_program *p)
{
    const struct question *q = p->ctx;
    int null = q->silent ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (dup2(q->answer, STDOUT_FILENO) < 0 ||
        (q->silent && (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)))
        return errno;
    return 0;
}

enum fore_status fore_child_ask(char *const *argv, bool silent, struct fore_strbuf *out,
                                int *status, struct fore_err *e)
{
    int ends[2];
    char text[4096];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    struct question q = {ends[1], silent};
    enum fore_status s = fore_child_start(
        &(struct fore_child_program){
            .argv = argv, .prepare = prepare_answer, .ctx = &q, .dies_by = SIGKILL},
        &child, e);
    close(ends[1]);
    for (ssize_t n; s == FORE_OK && (n = read_again(ends[0], text, sizeof text)) > 0;)
        fore_strbuf_add(out, text, (size_t)n);
    close(ends[0]);
    if (s == FORE_OK)
        *status = fore_child_status(fore_child_wait(child));
    return s;
}

/* ---- our own code in a process of its own ---- */

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
