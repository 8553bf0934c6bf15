#include "cli/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EVENTS = 1 << 26 };

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

static void remove_folder(const char *folder)
{
    char path[8192];
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        if (f->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        unlink(path);
    }
    closedir(d);
    rmdir(folder);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void fore_rings_list(const char *folder, struct fore_paths *out)
{
    char path[8192];
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        size_t n = strlen(f->d_name);
        if (n < 5 || strcmp(f->d_name + n - 4, ".fsr"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        fore_vec_push(&out->v, fore_strdup(path));
    }
    closedir(d);
    if (out->v.n)
        qsort(out->v.at, out->v.n, sizeof *out->v.at, by_name);
}

void fore_paths_release(struct fore_paths *p)
{
    for (size_t i = 0; i < p->v.n; i++)
        fore_free(p->v.at[i]);
    fore_vec_release(&p->v);
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

enum fore_status fore_launch_start(struct fore_launch *l,
                                   const struct fore_launch_how *how, struct fore_err *e)
{
    int report[2], why = 0;
    *l = (struct fore_launch){0};
    FORE_TRY(make_folder(l->folder, sizeof l->folder, e));
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
        remove_folder(l->folder);
}

/* ---- its rings ---- */

static size_t size_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) || st.st_size < 0 ? 0 : (size_t)st.st_size;
}

static bool known(const struct fore_rings *r, const char *path)
{
    for (size_t i = 0; i < r->v.n; i++)
        if (!strcmp(r->v.at[i]->path, path))
            return true;
    return false;
}

static void source_free(struct fore_ring_reader *s)
{
    fore_merge_release(&s->merge);
    fore_trace_release(&s->trace);
    if (s->base)
        munmap((void *)(uintptr_t)s->base, s->room);
    if (s->fd >= 0)
        close(s->fd);
    fore_free(s->path);
    fore_free(s);
}

static enum fore_flow collect(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_ring_reader *r =
        (struct fore_ring_reader *)((char *)s - offsetof(struct fore_ring_reader, sink));
    if (r->trace.events.n + b->n > r->most) {
        r->full = true;
        return FORE_STOP;
    }
    return r->collector.sink.events(&r->collector.sink, b);
}

static enum fore_status collected(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct fore_ring_reader *r =
        (struct fore_ring_reader *)((char *)s - offsetof(struct fore_ring_reader, sink));
    return r->collector.sink.end(&r->collector.sink, end, e);
}

/* A file whose header is not complete yet is tried again at the next poll. */
static struct fore_ring_reader *source_open(const char *path, size_t most,
                                            struct fore_err *e)
{
    struct fore_ring_reader *s = fore_calloc(1, sizeof *s);
    s->path = fore_strdup(path);
    fore_trace_init(&s->trace, path);
    fore_trace_collector_init(&s->collector, &s->trace);
    s->sink = (struct fore_sink){collect, collected};
    s->most = most ? most : MOST_EVENTS;
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = s->fd < 0 ? 0 : size_of(s->fd);
    s->room = (size_t)1 << 36;
    void *base = MAP_FAILED;
    if (size >= FORE_RING_HEADER)
        base = mmap(NULL, s->room, PROT_READ, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
    if (base == MAP_FAILED) {
        fore_fail(e, FORE_IO, "%s: cannot be read", path);
        source_free(s);
        return NULL;
    }
    s->base = base;
    if (fore_merge_open(&s->merge, s->trace.name, base, size, &s->trace.tables, &s->sink,
                        e) != FORE_OK) {
        source_free(s);
        return NULL;
    }
    s->start_ns = s->merge.file.header->start_ns;
    return s;
}

static enum fore_status find_files(struct fore_rings *r, const char *folder,
                                   struct fore_err *e)
{
    struct fore_paths paths = {0};
    enum fore_status status = FORE_OK;
    fore_rings_list(folder, &paths);
    for (size_t i = 0; i < paths.v.n; i++) {
        if (known(r, paths.v.at[i]))
            continue;
        struct fore_err why = {0};
        struct fore_ring_reader *s = source_open(paths.v.at[i], r->most, &why);
        if (s)
            fore_vec_push(&r->v, s);
        else if (status == FORE_OK && e)
            status = why.status, *e = why;
    }
    fore_paths_release(&paths);
    return status;
}

void fore_rings_poll(struct fore_rings *r, const char *folder)
{
    (void)find_files(r, folder, NULL);
    for (size_t i = 0; i < r->v.n; i++)
        fore_merge_poll(&r->v.at[i]->merge, size_of(r->v.at[i]->fd));
}

static int by_start(const void *a, const void *b)
{
    const struct fore_ring_reader *x = *(struct fore_ring_reader *const *)a;
    const struct fore_ring_reader *y = *(struct fore_ring_reader *const *)b;
    return x->start_ns != y->start_ns ? (x->start_ns < y->start_ns ? -1 : 1)
                                      : strcmp(x->path, y->path);
}

enum fore_status fore_rings_finish(struct fore_rings *r, const char *folder,
                                   struct fore_err *e)
{
    FORE_TRY(find_files(r, folder, e));
    for (size_t i = 0; i < r->v.n; i++) {
        struct fore_ring_reader *s = r->v.at[i];
        FORE_TRY(fore_merge_finish(&s->merge, size_of(s->fd), e));
        s->steps = s->merge.file.header->schedule_steps;
        s->steps_done = s->merge.file.header->schedule_done;
    }
    if (r->v.n)
        qsort(r->v.at, r->v.n, sizeof *r->v.at, by_start);
    return FORE_OK;
}

void fore_rings_release(struct fore_rings *r)
{
    for (size_t i = 0; i < r->v.n; i++)
        source_free(r->v.at[i]);
    fore_vec_release(&r->v);
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
