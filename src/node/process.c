#include "node/process.h"

#include "base/child.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/vec.h"
#include "capture/node/clock.h"
#include "node/ends.h"
#include "node/proc.h"
#include "node/rest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A node that writes more than this in one step floods. */
enum { MAX_LINES = 10000 };

extern char **environ;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Starting. */

/* The environment of a node: foresee's own, without what would make two runs differ. */
struct environment {
    FORE_VEC(char *) v;
};

static void add_variable(struct environment *x, const char *name, const char *value)
{
    size_t n = strlen(name) + strlen(value) + 2;
    char *s = fore_alloc(n);
    snprintf(s, n, "%s=%s", name, value);
    fore_vec_push(&x->v, s);
}

static void make_environment(struct environment *x, const struct fore_node_command *c)
{
    static const char *const ours[] = {"LD_PRELOAD=", FORE_NODE_ENV "=",
                                       "PYTHONHASHSEED="};
    for (char **v = environ; *v; v++) {
        bool mine = false;
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            mine = mine || fore_begins_with(*v, ours[i]);
        if (!mine)
            fore_vec_push(&x->v, fore_strdup(*v));
    }
    char number[16];
    snprintf(number, sizeof number, "%d", FORE_NODE_PAGE_FD);
    add_variable(x, "PYTHONHASHSEED", "0");
    if (c->preload)
        add_variable(x, "LD_PRELOAD", c->preload);
    if (c->time != FORE_TIME_REAL)
        add_variable(x, FORE_NODE_ENV, number);
    fore_vec_push(&x->v, NULL);
}

static void release_environment(struct environment *x)
{
    for (size_t i = 0; i < x->v.n; i++)
        fore_free(x->v.at[i]);
    fore_vec_release(&x->v);
}

/* Each descriptor to its place, by way of one that is nobody's place; a node has no others. */
static bool take_ends(const struct fore_ends *ends)
{
    int high[FORE_ENDS];
    for (size_t i = 0; i < FORE_ENDS; i++)
        high[i] = fcntl(ends->fd[i], F_DUPFD_CLOEXEC, FORE_NODE_FREE_FD);
    for (size_t i = 0; i < FORE_ENDS; i++)
        if (dup2(high[i], fore_end_places[i]) < 0)
            return false;
    close_range(STDERR_FILENO + 1, FORE_NODE_PAGE_FD - 1, CLOSE_RANGE_CLOEXEC);
    close_range(FORE_NODE_FREE_FD, UINT_MAX, CLOSE_RANGE_CLOEXEC);
    return true;
}

/* In the new process, which shares our memory's contents but not our threads. */
static _Noreturn void become_node(const struct fore_node_command *c,
                                  const struct environment *x, const char *folder,
                                  const struct fore_ends *ends, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* see fore_process_attach */
    setrlimit(RLIMIT_CORE,
              &(struct rlimit){0, 0}); /* writing one takes longer than a step */
    if (getppid() != parent)
        _exit(127);
    setpgid(0, 0);
    if (!take_ends(ends) || chdir(folder) < 0)
        _exit(127);
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(c->argv[0], c->argv, x->v.at);
    _exit(127);
}

/* One thread starts all nodes, because a process dies with the thread that started it. */

struct birth {
    const struct fore_node_command *command;
    const struct environment *environment;
    const char *folder;
    const struct fore_ends *ends;
    pid_t pid;
    int reason;
};

static struct {
    pthread_mutex_t one, lock;
    pthread_cond_t asked, done;
    struct birth *birth;
} midwife = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
static pthread_once_t midwife_once = PTHREAD_ONCE_INIT;

static void *start_nodes(void *unused)
{
    (void)unused;
    pid_t parent = getpid();
    pthread_mutex_lock(&midwife.lock);
    for (;;) {
        while (!midwife.birth || midwife.birth->pid)
            pthread_cond_wait(&midwife.asked, &midwife.lock);
        struct birth *b = midwife.birth;
        b->pid = fork();
        if (!b->pid)
            become_node(b->command, b->environment, b->folder, b->ends, parent);
        b->reason = errno;
        pthread_cond_signal(&midwife.done);
    }
    return NULL;
}

static void hire_midwife(void)
{
    pthread_t t;
    FORE_BUG_IF(pthread_create(&t, NULL, start_nodes, NULL));
    pthread_detach(t);
}

static void give_birth(struct birth *b)
{
    pthread_once(&midwife_once, hire_midwife);
    pthread_mutex_lock(&midwife.one);
    pthread_mutex_lock(&midwife.lock);
    midwife.birth = b;
    pthread_cond_signal(&midwife.asked);
    while (!b->pid)
        pthread_cond_wait(&midwife.done, &midwife.lock);
    midwife.birth = NULL;
    pthread_mutex_unlock(&midwife.lock);
    pthread_mutex_unlock(&midwife.one);
}

static enum fore_status spawn_process(struct fore_process *p,
                                      const struct fore_node_command *c, int64_t now,
                                      struct fore_err *e)
{
    struct fore_ends ends;
    struct environment x = {0};
    FORE_TRY(fore_ends_make(p, &ends, e));
    p->clock->seed = fore_hash_mix(p->seed, p->lives++);
    atomic_store(&p->clock->now, now);
    make_environment(&x, c);
    struct birth b = {c, &x, p->folder, &ends, 0, 0};
    give_birth(&b);
    p->pid = b.pid;
    release_environment(&x);
    fore_ends_close(&ends);
    if (p->pid < 0) {
        p->pid = 0;
        fore_ends_release(p);
        return fore_fail(e, FORE_IO, "cannot start a node: %s", strerror(b.reason));
    }
    setpgid(p->pid, p->pid);
    return FORE_OK;
}

enum fore_status fore_process_start(struct fore_process *p,
                                    const struct fore_node_command *c, uint64_t seed,
                                    struct fore_err *e)
{
    *p = (struct fore_process){.in = -1,
                               .out = -1,
                               .err = -1,
                               .in_far = -1,
                               .bell = -1,
                               .socket = -1,
                               .seed = seed,
                               .rest = FORE_STRBUF_INIT};
    FORE_TRY(fore_home_make(p, e));
    return spawn_process(p, c, 0, e);
}

/* Ending. */

static void stop_process(struct fore_process *p)
{
    if (p->pid) {
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    p->pid = 0;
    fore_ends_release(p);
    fore_strbuf_clear(&p->rest);
}

enum fore_status fore_process_restart(struct fore_process *p,
                                      const struct fore_node_command *c,
                                      struct fore_err *e)
{
    int64_t now = p->clock ? atomic_load(&p->clock->now) : 0;
    stop_process(p);
    return spawn_process(p, c, now, e);
}

void fore_process_end(struct fore_process *p)
{
    stop_process(p);
    fore_home_leave(p);
    fore_strbuf_release(&p->rest);
}

/* Whole lines go to `r`; an unfinished one stays. */
static void take_lines(struct fore_process *p, struct fore_rest *r)
{
    size_t n = p->rest.n;
    while (n && p->rest.at[n - 1] != '\n')
        n--;
    fore_strbuf_add(&r->out, p->rest.at, n);
    memmove(p->rest.at, p->rest.at + n, p->rest.n - n);
    p->rest.n -= n;
    if (p->rest.cap)
        p->rest.at[p->rest.n] = 0;
}

static bool write_line(struct fore_process *p, const struct fore_node_command *c,
                       const char *line)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    uint64_t until = now_ns() + (uint64_t)(c->seconds * 1e9);
    fore_strbuf_printf(&s, "%s\n", line);
    size_t done = 0;
    while (done < s.n && now_ns() < until) {
        ssize_t n = write(p->in, s.at + done, s.n - done);
        if (n > 0)
            done += (size_t)n;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){p->in, POLLOUT, 0}, 1, 10);
        else if (errno != EINTR)
            break;
    }
    bool all = done == s.n;
    fore_strbuf_release(&s);
    return all;
}

void fore_process_feed(struct fore_process *p, const struct fore_node_command *c,
                       const char *line, struct fore_rest *r)
{
    *r = (struct fore_rest){
        .out = FORE_STRBUF_INIT, .err = FORE_STRBUF_INIT, .why = FORE_STRBUF_INIT};
    uint64_t rung;
    bool taken = !line || write_line(p, c, line);
    atomic_fetch_add(&p->clock->asked, 1);
    syscall(SYS_futex, &p->clock->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (p->debugger)
        fore_child_wait(p->debugger);
    p->debugger = 0;
    fore_rest_wait(p, c, r);
    (void)!read(p->bell, &rung, sizeof rung);
    if (!taken && !r->why.n)
        fore_strbuf_puts(&r->why, "does not read its input");
    take_lines(p, r);
    size_t lines = 0;
    for (size_t i = 0; i < r->out.n; i++)
        lines += r->out.at[i] == '\n';
    if (lines > MAX_LINES) {
        fore_strbuf_clear(&r->out);
        fore_strbuf_clear(&r->why);
        fore_strbuf_printf(&r->why, "floods: more than %d messages in one step",
                           MAX_LINES);
    }
    r->timer = fore_rest_timer(p);
}

static bool is_traced(pid_t pid)
{
    char text[4096];
    const char *tracer =
        fore_proc_value(fore_proc_read(pid, "status", text, sizeof text), "TracerPid");
    return *tracer && *tracer != '0';
}

void fore_process_attach(struct fore_process *p, const char *debugger)
{
    bool dlv = !strcmp(fore_base_name(debugger), "dlv");
    char pid[16];
    snprintf(pid, sizeof pid, "%d", p->pid);
    p->debugger = fork();
    if (!p->debugger) {
        if (dlv && isatty(STDIN_FILENO))
            execlp(debugger, debugger, "attach", pid, (char *)NULL);
        else if (dlv) /* commands come from a file */
            execlp(debugger, debugger, "attach", pid,
                   "--allow-non-terminal-interactive=true", (char *)NULL);
        else
            execlp(debugger, debugger, "-q", "-p", pid, (char *)NULL);
        fprintf(stderr, "foresee: %s: %s\n", debugger, strerror(errno));
        _exit(127);
    }
    siginfo_t ended = {0};
    while (p->debugger > 0 && !is_traced(p->pid) &&
           !waitid(P_PID, (id_t)p->debugger, &ended, WEXITED | WNOHANG | WNOWAIT) &&
           !ended.si_pid)
        poll(NULL, 0, 10);
    p->debugger = p->debugger < 0 ? 0 : p->debugger;
}

void fore_process_wake(struct fore_process *p, int64_t when)
{
    const uint64_t ring = 1;
    if (atomic_load(&p->clock->now) < when)
        atomic_store(&p->clock->now, when);
    (void)!write(p->bell, &ring, sizeof ring);
    for (size_t i = 0; i < FORE_NODE_WAITS; i++)
        if (atomic_load(&p->clock->waits[i].tid) < 0 &&
            atomic_load(&p->clock->waits[i].deadline) <= when) {
            kill(p->pid, FORE_NODE_SIGNAL); /* a timer's time has come */
            break;
        }
}
