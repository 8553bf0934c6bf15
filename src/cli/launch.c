#include "cli/launch.h"

#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the folder of the rings: in memory, if the system has such a place ---- */

static enum fore_status make_folder(char *folder, size_t size, struct fore_err *e)
{
    const char *set = getenv("TMPDIR");
    const char *const places[] = {set && *set ? set : "/dev/shm", "/dev/shm", "/tmp"};
    for (size_t i = 0; i < 3; i++) {
        int n = snprintf(folder, size, "%s/foresee-XXXXXX", places[i]);
        if (n > 0 && (size_t)n < size && mkdtemp(folder))
            return FORE_OK;
    }
    folder[0] = 0;
    return fore_fail(e, FORE_IO, "cannot make a folder for the recording in %s: %s",
                     places[0], strerror(errno));
}

/* ---- the program ---- */

/* What the process of the program is to know. */
struct start {
    const struct fore_launch_how *how;
    const char *folder;
};

static int prepare_program(struct fore_child_program *p)
{
    const struct start *s = p->ctx;
    const struct fore_launch_how *how = s->how;
    setenv(FORE_RING_ENVIRONMENT, s->folder, 1);
    if (how->seed)
        setenv("FORESEE_SEED", how->seed, 1);
    if (how->schedule)
        setenv("FORESEE_SCHEDULE", how->schedule, 1);
    if (how->linger)
        setenv(FORE_RING_LINGER, how->linger, 1);
    if (how->room[0])
        setenv(FORE_RING_ROOM, how->room, 1);
    int null = how->silent ? open("/dev/null", O_RDWR) : -1;
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    if (!how->prepare)
        return 0;
    p->ctx = how->ctx;
    return how->prepare(p);
}

enum fore_status fore_launch_size(const char *text, uint64_t *out, struct fore_err *e)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    int unit = *end & ~0x20;
    unsigned shift = !*end         ? 0
                     : unit == 'K' ? 10
                     : unit == 'M' ? 20
                     : unit == 'G' ? 30
                                   : 99;
    if (errno || end == text || shift == 99 || (*end && end[1]) ||
        v > UINT64_MAX >> shift || v << shift < 1 << 16)
        return fore_fail(
            e, FORE_USAGE,
            "--max-trace takes a size from 64K up, like 512M or 4G, not '%s'", text);
    *out = (uint64_t)v << shift;
    return FORE_OK;
}

enum fore_status fore_launch_room(const struct fore_params *p, bool reads,
                                  struct fore_launch_how *how, struct fore_err *e)
{
    enum { CHUNKS_PER_MB = 256, PATIENCE_MS = 10000 };
    uint64_t megabytes, at_end;
    const char *most = fore_params_text(p, "max-trace", NULL);
    unsigned drops;
    FORE_TRY(fore_params_u64(p, "room", 256, &megabytes, e));
    FORE_TRY(fore_params_u64(p, "room", 4096, &at_end, e));
    FORE_TRY(fore_params_choice(p, "on-full", "wait|drop", 0, &drops, e));
    if (most) {
        uint64_t bytes;
        FORE_TRY(fore_launch_size(most, &bytes, e));
        uint64_t whole = bytes >> 20 ? bytes >> 20 : 1;
        megabytes = megabytes < whole ? megabytes : whole;
        at_end = whole;
    }
    if (!megabytes || megabytes > 1 << 16)
        return fore_fail(e, FORE_USAGE, "--room takes from 1 to 65536 megabytes");
    snprintf(how->room, sizeof how->room, "%s:%llu:%d:%ld:%llu", drops ? "drop" : "wait",
             (unsigned long long)(reads ? megabytes * CHUNKS_PER_MB : 0), PATIENCE_MS,
             (long)getpid(), (unsigned long long)at_end * CHUNKS_PER_MB);
    return FORE_OK;
}

const char *fore_launch_advice(const struct fore_ring_header *h)
{
    return !h->limit ? " (--room M gives more; an .fst file is written while the program "
                       "runs, and needs less)"
                     : "";
}

enum fore_status fore_launch_start(struct fore_launch *l,
                                   const struct fore_launch_how *how, struct fore_err *e)
{
    *l = (struct fore_launch){.owns_folder = !how->folder, .leads = how->leads};
    if (how->folder)
        snprintf(l->folder, sizeof l->folder, "%s", how->folder);
    else
        FORE_TRY(make_folder(l->folder, sizeof l->folder, e));
    if (how->scratch)
        memcpy(how->scratch, l->folder, sizeof l->folder);
    struct start start = {how, l->folder};
    FORE_TRY(fore_child_start(&(struct fore_child_program){.argv = how->argv,
                                                           .prepare = prepare_program,
                                                           .ctx = &start,
                                                           .dies_by = SIGTERM},
                              &l->pid, e)); /* it does not outlive who watches it */
    l->running = true;
    return FORE_OK;
}

/* ---- its end ---- */

static bool has_ended(struct fore_launch *l)
{
    int status;
    pid_t got = l->running ? waitpid(l->pid, &status, WNOHANG) : 0;
    if (got == l->pid) {
        l->running = false;
        l->status = fore_child_status(status);
        fore_rings_tell_end(l->folder, l->pid, status);
    } else if (got < 0 && errno != EINTR) {
        l->running = false;
        l->status = 1;
    }
    return !l->running;
}

bool fore_launch_wait(struct fore_launch *l, unsigned ms)
{
    if (has_ended(l))
        return true;
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, l->pid, 0), .events = POLLIN};
    if (p.fd >= 0) {
        poll(&p, 1, (int)ms);
        close(p.fd);
    } else { /* an old kernel */
        poll(NULL, 0, ms < 10 ? (int)ms : 10);
    }
    return has_ended(l);
}

/* The programs that its threads have started. */
static void signal_followers(const struct fore_launch *l, int number)
{
    char path[300];
    long program;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)l->pid);
    DIR *tasks = opendir(path);
    for (struct dirent *d; tasks && (d = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/%ld/task/%.200s/children", (long)l->pid,
                 d->d_name);
        FILE *f = fopen(path, "re");
        while (f && fscanf(f, "%ld", &program) == 1)
            kill((pid_t)program, number);
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
}

/* A terminal signals everything that runs in front of it, the program too; kill(1) signals one
 * process. */
static bool runs_in_front(void)
{
    int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool front = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0)
        close(terminal);
    return front;
}

void fore_launch_pass_on(struct fore_launch *l, const struct fore_budget *b)
{
    enum { SECOND = 1000000000 };
    uint64_t now = fore_now_ns();
    int ends = b->interrupted ? *b->interrupted : 0;
    if (!ends || !l->since)
        l->since = now;
    else if (now - l->since > SECOND)
        fore_launch_kill(l);
    else if (now - l->since > SECOND / 10 && !l->interrupted) {
        l->interrupted = true;
        if (ends == SIGINT && runs_in_front())
            return;
        if (l->leads)
            signal_followers(l, ends);
        kill(l->pid, ends);
    }
}

/* One that leads others is given the time to see them end, and to clear up. */
void fore_launch_kill(struct fore_launch *l)
{
    enum { CLEARS_UP_MS = 300, AT_MOST = 10000 };
    if (l->running && l->leads) {
        signal_followers(l, SIGKILL);
        fore_launch_wait(l, CLEARS_UP_MS);
    }
    if (l->running)
        kill(l->pid, SIGKILL);
    for (int waited = 0; l->running && waited < AT_MOST; waited += 10)
        fore_launch_wait(l, 10);
}

void fore_launch_release(struct fore_launch *l)
{
    fore_launch_kill(l);
    if (l->owns_folder)
        fore_folder_remove(l->folder);
}

/* ---- the command ---- */

char **fore_launch_argv(struct fore_arena *a, const struct fore_words *w, size_t from)
{
    size_t n = w->v.n - from;
    char **argv = FORE_NEW_ARRAY(a, char *, n + 1);
    for (size_t i = 0; i < n; i++)
        argv[i] = fore_arena_strdup(a, w->v.at[from + i]);
    return argv;
}

static void command_path(char *path, size_t size)
{
    snprintf(path, size, "%s/command", fore_store_folder());
}

void fore_launch_remember(char *const *argv)
{
    char path[4096];
    if (mkdir(fore_store_folder(), 0777) && errno != EEXIST)
        return;
    command_path(path, sizeof path);
    FILE *f = fopen(path, "we");
    if (!f)
        return;
    for (; *argv; argv++)
        fwrite(*argv, 1, strlen(*argv) + 1, f);
    fclose(f);
}

char **fore_launch_recall(struct fore_arena *a)
{
    char path[4096];
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_words words = {0};
    char **argv = NULL;
    command_path(path, sizeof path);
    if (fore_strbuf_read_file(&text, path, NULL) == FORE_OK && text.n) {
        for (const char *at = text.at; at < text.at + text.n; at += strlen(at) + 1)
            fore_vec_push(&words.v, at);
        argv = fore_launch_argv(a, &words, 0);
    }
    fore_vec_release(&words.v);
    fore_strbuf_release(&text);
    return argv;
}
