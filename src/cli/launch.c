#include "cli/launch.h"

#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

_Noreturn static void become(const struct fore_launch_how *how, const char *folder,
                             int report)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it does not outlive who watches it */
    setenv(FORE_RING_ENVIRONMENT, folder, 1);
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
    execvp(how->argv[0], how->argv);
    int why = errno;
    ssize_t told = write(report, &why, sizeof why);
    _exit(told == sizeof why && why == ENOENT ? 127 : 126);
}

enum fore_status fore_launch_room(const struct fore_params *p, bool reads,
                                  struct fore_launch_how *how, struct fore_err *e)
{
    enum { CHUNKS_PER_MB = 256, PATIENCE_MS = 10000 };
    uint64_t megabytes, at_end;
    unsigned drops;
    FORE_TRY(fore_params_u64(p, "room", 256, &megabytes, e));
    FORE_TRY(fore_params_u64(p, "room", 4096, &at_end, e));
    FORE_TRY(fore_params_choice(p, "on-full", "wait|drop", 0, &drops, e));
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
    int report[2], why = 0;
    *l = (struct fore_launch){0};
    FORE_TRY(make_folder(l->folder, sizeof l->folder, e));
    if (how->scratch)
        memcpy(how->scratch, l->folder, sizeof l->folder);
    if (pipe2(report, O_CLOEXEC))
        return fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    fflush(NULL);
    l->pid = fork();
    if (l->pid == 0)
        become(how, l->folder, report[1]);
    close(report[1]);
    /* Nothing arrives if the program runs: its end of the pipe closed by itself. */
    ssize_t n = l->pid > 0 ? read(report[0], &why, sizeof why) : -1;
    close(report[0]);
    if (l->pid < 0)
        return fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    l->running = true;
    if (n == sizeof why) {
        fore_launch_wait(l, 1000);
        return fore_fail(e, FORE_CHILD, "cannot run %s: %s", how->argv[0], strerror(why));
    }
    return FORE_OK;
}

bool fore_launch_wait(struct fore_launch *l, unsigned ms)
{
    int status;
    uint64_t until = fore_now_ns() + (uint64_t)ms * 1000000;
    for (unsigned pause_us = 200; l->running;
         pause_us = pause_us < 5000 ? pause_us * 2 : 5000) {
        pid_t got = waitpid(l->pid, &status, WNOHANG);
        if (got == l->pid || (got < 0 && errno != EINTR)) {
            l->running = false;
            if (got > 0)
                fore_rings_tell_end(l->folder, l->pid, status);
            l->status = got < 0               ? 1
                        : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                              : WEXITSTATUS(status);
            break;
        }
        if (fore_now_ns() >= until)
            return false;
        struct timespec t = {0, (long)pause_us * 1000};
        nanosleep(&t, NULL);
    }
    return true;
}

/* A signal from a terminal goes to the program, too; others are ours alone. */
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
        kill(l->pid, ends);
    }
}

void fore_launch_kill(struct fore_launch *l)
{
    if (l->running)
        kill(l->pid, SIGKILL);
    fore_launch_wait(l, 10000);
}

void fore_launch_release(struct fore_launch *l)
{
    fore_launch_kill(l);
    if (l->folder[0])
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
