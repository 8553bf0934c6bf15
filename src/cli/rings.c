#include "cli/rings.h"

#include "base/path.h"
#include "base/sort.h"
#include "cli/callers.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a folder of ring files ---- */

void fore_paths_list(const char *folder, const char *ending, struct fore_paths *out)
{
    char path[8192];
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        if (!fore_ends_with(f->d_name, ending))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        fore_vec_push(&out->v, fore_strdup(path));
    }
    closedir(d);
    if (out->v.n)
        qsort(out->v.at, out->v.n, sizeof *out->v.at, fore_compare_text);
}

void fore_rings_list(const char *folder, struct fore_paths *out)
{
    fore_paths_list(folder, ".fsr", out);
}

void fore_paths_release(struct fore_paths *p)
{
    for (size_t i = 0; i < p->v.n; i++)
        fore_free(p->v.at[i]);
    fore_vec_release(&p->v);
}

/* ---- one of them ---- */

bool fore_ring_header(const char *path, struct fore_ring_header *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && pread(fd, out, sizeof *out, 0) == sizeof *out &&
                !memcmp(out->magic, FORE_RING_MAGIC, sizeof out->magic);
    if (fd >= 0)
        close(fd);
    return good;
}

static size_t size_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) || st.st_size < 0 ? 0 : (size_t)st.st_size;
}

static void reader_free(struct fore_ring_reader *s)
{
    fore_merge_release(&s->merge);
    fore_trace_release(&s->trace);
    if (s->base)
        munmap(s->base, s->room);
    if (s->fd >= 0)
        close(s->fd);
    fore_free(s->path);
    fore_free(s);
}

/* The file may grow into what is mapped. What was read is given back: it is written to. */
static bool map_file(struct fore_ring_reader *s)
{
    s->fd = open(s->path, O_RDWR | O_CLOEXEC);
    s->room = (size_t)1 << 36;
    if (s->fd < 0 || size_of(s->fd) < FORE_RING_HEADER)
        return false;
    void *base =
        mmap(NULL, s->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
    s->base = base == MAP_FAILED ? NULL : base;
    return s->base;
}

/* Is its header complete? It is then the last thing to be tried again. */
static enum fore_status begin_reader(struct fore_rings *r, struct fore_ring_reader *s,
                                     struct fore_err *e)
{
    struct fore_tables *tables = &s->trace.tables;
    struct fore_sink *sink = &s->collector.sink;
    struct fore_fsr header;
    if (!map_file(s))
        return fore_fail(e, FORE_IO, "%s: cannot be read", s->path);
    FORE_TRY(fore_fsr_open(&header, s->path, s->base, size_of(s->fd), e));
    fore_trace_collector_init(&s->collector, &s->trace);
    s->start_ns = header.header->start_ns;
    if (r->attach)
        sink = r->attach(r->ctx, s, &tables, e);
    if (!sink)
        return e->status;
    return fore_merge_open(&s->merge, s->trace.name, s->base, size_of(s->fd), tables,
                           sink, e);
}

static struct fore_ring_reader *reader_open(struct fore_rings *r, const char *path,
                                            struct fore_err *e)
{
    struct fore_ring_reader *s = fore_calloc(1, sizeof *s);
    s->path = fore_strdup(path);
    fore_trace_init(&s->trace, path);
    if (begin_reader(r, s, e) == FORE_OK)
        return s;
    reader_free(s);
    return NULL;
}

/* ---- how it ended ---- */

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGABRT || number == SIGBUS ||
           number == SIGFPE || number == SIGILL || number == SIGSYS || number == SIGTRAP;
}

/* One that exited and said nothing left by _exit(). */
static void write_end(const char *path, pid_t pid, int status)
{
    struct fore_ring_header h;
    bool tells = fore_ring_header(path, &h) && h.pid == (uint32_t)pid && !h.ended;
    int fd = tells ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        h.signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
        h.ended = !h.signal                 ? FORE_RING_BY_EXIT
                  : is_crash((int)h.signal) ? FORE_RING_BY_CRASH
                                            : FORE_RING_BY_SIGNAL;
        ssize_t done =
            pwrite(fd, (const uint32_t[]){h.ended, h.signal}, 2 * sizeof(uint32_t),
                   offsetof(struct fore_ring_header, ended));
        if (h.ended == FORE_RING_BY_CRASH && h.crash_callers[0]) {
            fore_callers_place(h.crash_callers, h.crash_place, sizeof h.crash_place);
            done = pwrite(fd, h.crash_place, sizeof h.crash_place,
                          offsetof(struct fore_ring_header, crash_place));
        }
        (void)done; /* then nobody knows */
    }
    if (fd >= 0)
        close(fd);
}
_Static_assert(offsetof(struct fore_ring_header, signal) ==
                   offsetof(struct fore_ring_header, ended) + sizeof(uint32_t),
               "written together");

void fore_rings_tell_end(const char *folder, pid_t pid, int wait_status)
{
    struct fore_paths paths = {0};
    fore_rings_list(folder, &paths);
    for (size_t i = 0; i < paths.v.n; i++)
        write_end(paths.v.at[i], pid, wait_status);
    fore_paths_release(&paths);
}

/* ---- all of a run ---- */

static bool is_known_ring(const struct fore_rings *r, const char *path)
{
    for (size_t i = 0; i < r->v.n; i++)
        if (!strcmp(r->v.at[i]->path, path))
            return true;
    return false;
}

/* A file whose header is not complete yet is tried again at the next poll. */
static enum fore_status find_files(struct fore_rings *r, const char *folder,
                                   struct fore_err *e)
{
    struct fore_paths paths = {0};
    enum fore_status status = FORE_OK;
    fore_rings_list(folder, &paths);
    for (size_t i = 0; i < paths.v.n; i++) {
        if (is_known_ring(r, paths.v.at[i]))
            continue;
        struct fore_err why = {0};
        struct fore_ring_reader *s = reader_open(r, paths.v.at[i], &why);
        if (s)
            fore_vec_push(&r->v, s);
        else if (status == FORE_OK && e)
            status = why.status, *e = why;
    }
    fore_paths_release(&paths);
    return status;
}

uint64_t fore_rings_poll(struct fore_rings *r, const char *folder)
{
    uint64_t came = 0;
    (void)find_files(r, folder, NULL);
    for (size_t i = 0; i < r->v.n; i++) {
        struct fore_merge *m = &r->v.at[i]->merge;
        came -= m->pushed;
        fore_merge_poll(m, size_of(r->v.at[i]->fd));
        came += m->pushed;
        fore_fsr_give_back(&m->file);
    }
    return came;
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
        reader_free(r->v.at[i]);
    fore_vec_release(&r->v);
}
