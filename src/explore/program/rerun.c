#include "explore/program/rerun.h"

#include "base/child.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/progress.h"
#include "capture/control/schedule.h"
#include "capture/ring/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MILLISECOND = 1000000, MOST_CHUNKS = 64 * 256 /* 64 MB of a recording */ };

static const size_t outcome_size =
    FORE_OUTCOME_STEPS + (size_t)FORE_OUTCOME_MOST * sizeof(struct fore_outcome_step);

static void path_in(const struct fore_rerun *p, const char *name, char *path, size_t n)
{
    snprintf(path, n, "%s/%s", p->folder, name);
}

/* ---- starting it ---- */

static void redirect_output(const struct fore_rerun *p)
{
    char path[PATH_MAX];
    int in = open(p->how.input ? p->how.input : "/dev/null", O_RDONLY);
    path_in(p, "output", path, sizeof path);
    int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
}

static void set_environment(const struct fore_rerun *p)
{
    char path[PATH_MAX];
    if (p->how.unrecorded)
        unsetenv("FORESEE_RING");
    else
        setenv("FORESEE_RING", p->folder, 1);
    path_in(p, "schedule", path, sizeof path);
    setenv(FORE_SCHEDULE_ENVIRONMENT, path, 1);
    path_in(p, "outcome", path, sizeof path);
    setenv(FORE_OUTCOME_ENVIRONMENT, path, 1);
    setenv("FORESEE_FORCED", "1", 1);
    /* A run that spins would fill the memory and could not be analysed in time, so the recording
     * is bounded; in Go's options the first setting counts. */
    const char *options = getenv("FORESEE");
    snprintf(path, sizeof path, "max_trace=%d %s", MOST_CHUNKS * 4096,
             options ? options : "");
    setenv("FORESEE", path, 1);
    snprintf(path, sizeof path, "wait:0:0:%ld:%d", (long)getppid(), MOST_CHUNKS);
    setenv(FORE_RING_ROOM, path, 1);
    unsetenv("FORESEE_SEED");
    unsetenv("FORESEE_KEEP");
}

/* A program, and its ends of a server's pipes. */
struct rerun_start {
    struct fore_rerun *run;
    int from, to;
};

/* Makes addresses the same in each run, so that nothing that depends on them changes. */
static int prepare_program(struct fore_child_program *program)
{
    const struct rerun_start *s = program->ctx;
    const struct fore_rerun *p = s->run;
    cpu_set_t set;
    char pipes[32];
    personality(ADDR_NO_RANDOMIZE);
    setpgid(0, 0);
    if (p->how.cpu >= 0) {
        CPU_ZERO(&set);
        CPU_SET(p->how.cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (!p->how.shown)
        redirect_output(p);
    set_environment(p);
    unsetenv(FORE_RERUN_SERVER);
    if (p->serves) {
        snprintf(pipes, sizeof pipes, "%d %d", s->from, s->to);
        setenv(FORE_RERUN_SERVER, pipes, 1);
        fcntl(s->from, F_SETFD, 0);
        fcntl(s->to, F_SETFD, 0);
    }
    return p->how.directory && chdir(p->how.directory) ? errno : 0;
}

static enum fore_status start_program(struct fore_rerun *p, pid_t *pid,
                                      struct fore_err *e)
{
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    if (p->serves && (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)))
        return fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    struct rerun_start start = {p, down[0], up[1]};
    enum fore_status s =
        fore_child_start(&(struct fore_child_program){.argv = p->how.argv,
                                                      .prepare = prepare_program,
                                                      .ctx = &start,
                                                      .dies_by = SIGKILL},
                         pid, e);
    if (p->serves) {
        close(down[0]);
        close(up[1]);
        p->to = down[1];
        p->from = up[0];
    }
    return s;
}

enum fore_status fore_rerun_open(struct fore_rerun *p, const struct fore_rerun_how *how,
                                 struct fore_err *e)
{
    char path[PATH_MAX];
    *p = (struct fore_rerun){.how = *how, .to = -1, .from = -1, .outcome_fd = -1};
    snprintf(p->folder, sizeof p->folder, "%s/foresee-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(p->folder)) {
        p->folder[0] = 0;
        return fore_fail(e, FORE_IO, "cannot make a folder: %s", strerror(errno));
    }
    path_in(p, "outcome", path, sizeof path);
    p->outcome_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *at = MAP_FAILED;
    if (p->outcome_fd >= 0 && !ftruncate(p->outcome_fd, (off_t)outcome_size))
        at = mmap(NULL, outcome_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                  p->outcome_fd, 0);
    if (at == MAP_FAILED)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    p->outcome = at;
    p->host = fore_host_of(how->argv[0]);
    p->serves = !how->alone && p->host && p->host->serves;
    return p->serves ? start_program(p, &p->server, e) : FORE_OK;
}

static void remove_rings(const struct fore_rerun *p, bool all)
{
    char path[PATH_MAX];
    DIR *d = opendir(p->folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (f->d_name[0] == '.' || (!all && !fore_ends_with(f->d_name, ".fsr")))
            continue;
        path_in(p, f->d_name, path, sizeof path);
        unlink(path);
    }
    if (d)
        closedir(d);
}

static void kill_run(struct fore_rerun *p)
{
    if (p->pid > 0) {
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL);
    }
}

void fore_rerun_close(struct fore_rerun *p)
{
    int status;
    if (p->pid > 0) {
        kill_run(p);
        while (!fore_rerun_look(p, 1000))
            ;
    }
    if (p->to >= 0)
        close(p->to);
    if (p->from >= 0)
        close(p->from);
    if (p->server > 0) {
        kill(p->server, SIGKILL);
        waitpid(p->server, &status, 0);
    }
    if (p->outcome)
        munmap(p->outcome, outcome_size);
    if (p->outcome_fd >= 0)
        close(p->outcome_fd);
    if (p->folder[0]) {
        remove_rings(p, true);
        rmdir(p->folder);
    }
    *p = (struct fore_rerun){.to = -1, .from = -1, .outcome_fd = -1};
}

/* ---- one run ---- */

static enum fore_status put_schedule(const struct fore_rerun *p, const char *text,
                                     struct fore_err *e)
{
    char path[PATH_MAX];
    size_t n = strlen(text);
    path_in(p, "schedule", path, sizeof path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (fd >= 0)
        close(fd);
    return good ? FORE_OK : fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
}

/* Clears what the last run left. The pages of its steps are kept, since they are written again. */
static void clear_outcome(struct fore_rerun *p)
{
    char path[PATH_MAX];
    remove_rings(p, false);
    memset(p->outcome, 0, sizeof *p->outcome);
    path_in(p, "output", path, sizeof path);
    if (truncate(path, 0) && errno != ENOENT)
        unlink(path);
    p->timed_out = p->told = false;
    p->status = 0;
}

static bool read_word(int fd, int *word)
{
    ssize_t n;
    do
        n = read(fd, word, sizeof *word);
    while (n < 0 && errno == EINTR);
    return n == sizeof *word;
}

void fore_rerun_prolong(struct fore_rerun *p)
{
    p->until = fore_now_ns() + (uint64_t)(p->how.seconds * 1e9);
    if (p->how.deadline_ns && p->how.deadline_ns < p->until)
        p->until = p->how.deadline_ns;
}

enum fore_status fore_rerun_begin(struct fore_rerun *p, const char *schedule,
                                  struct fore_err *e)
{
    int pid = 0;
    clear_outcome(p);
    FORE_TRY(put_schedule(p, schedule, e));
    fore_rerun_prolong(p);
    if (!p->serves)
        return start_program(p, &p->pid, e);
    if (write(p->to, "r", 1) != 1 || !read_word(p->from, &pid) || pid <= 0)
        return fore_fail(e, FORE_CHILD, "%s ended before its first thread began",
                         p->how.argv[0]);
    p->pid = pid;
    return FORE_OK;
}

static bool is_over(struct fore_rerun *p, int ms)
{
    struct pollfd one = {p->from, POLLIN, 0};
    if (p->serves)
        return poll(&one, 1, ms) > 0 && (read_word(p->from, &p->status) || true);
    for (int waited = 0;; waited++) {
        pid_t got = waitpid(p->pid, &p->status, WNOHANG);
        if (got == p->pid || (got < 0 && errno == ECHILD))
            return true;
        if (waited >= ms)
            return false;
        poll(NULL, 0, 1);
    }
}

bool fore_rerun_look(struct fore_rerun *p, int ms)
{
    if (!p->pid)
        return true;
    uint64_t now = fore_now_ns(), left = p->until > now ? p->until - now : 0;
    if (left / MILLISECOND < (uint64_t)ms)
        ms = (int)(left / MILLISECOND);
    if (is_over(p, ms)) {
        kill(-p->pid, SIGKILL); /* children that it left behind */
        p->pid = 0;
        if (!fore_rerun_took(p)) /* nothing was left, or the outcome of another version */
            memset(p->outcome, 0, sizeof *p->outcome);
        return true;
    }
    if (!left && !p->told) {
        p->timed_out = p->told = true;
        kill_run(p);
    }
    return false;
}

enum fore_status fore_rerun_run(struct fore_rerun *p, const char *schedule,
                                const volatile int *interrupted, struct fore_err *e)
{
    FORE_TRY(fore_rerun_begin(p, schedule, e));
    while (!fore_rerun_look(p, 100))
        if (interrupted && *interrupted)
            kill_run(p);
    return FORE_OK;
}

bool fore_rerun_took(const struct fore_rerun *p)
{
    return !memcmp(p->outcome->magic, FORE_OUTCOME_MAGIC, sizeof p->outcome->magic) &&
           p->outcome->version == FORE_OUTCOME_VERSION;
}

struct fore_outcome_runs *fore_rerun_runs(const struct fore_rerun *p)
{
    return (struct fore_outcome_runs *)((char *)p->outcome + FORE_OUTCOME_SERIES);
}

const struct fore_outcome_step *fore_rerun_steps(const struct fore_rerun *p)
{
    return (const struct fore_outcome_step *)((const char *)p->outcome +
                                              FORE_OUTCOME_STEPS);
}

uint32_t fore_rerun_early(const struct fore_rerun *p)
{
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    uint32_t n = 0;
    for (uint64_t i = 0; i < p->outcome->logged; i++)
        n += (s[i].flags & FORE_OUTCOME_EARLY) != 0;
    return n;
}

void fore_rerun_output(const struct fore_rerun *p, struct fore_strbuf *out)
{
    enum { MOST = 1 << 16 };
    char path[PATH_MAX];
    struct stat st;
    path_in(p, "output", path, sizeof path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    size_t n = fstat(fd, &st) ? 0 : (size_t)st.st_size;
    if (n > MOST && lseek(fd, -(off_t)MOST, SEEK_END) >= 0)
        n = MOST;
    ssize_t got = n ? read(fd, fore_strbuf_extend(out, n), n) : 0;
    out->n -= n - (got > 0 ? (size_t)got : 0);
    if (n)
        out->at[out->n] = 0;
    close(fd);
}
