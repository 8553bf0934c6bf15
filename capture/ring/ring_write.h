/* The writing side of a ring file, for what lives in other people's programs: the file, and
 * chunks out of it. Header only, and nothing but libc, so that each capture has its own copy.
 *
 * The file grows by windows, which are allocated before they are written: a full disk must end
 * the recording, not the program. Where threads share a file, the caller holds a lock around
 * fore_ring_chunk_new. */
#ifndef FORE_TRACE_RING_WRITE_H
#define FORE_TRACE_RING_WRITE_H

#include "capture/ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FORE_RING_FIRST_WINDOW =
        1 << 16, /* each is twice the one before, up to the largest */
    FORE_RING_LARGEST_WINDOW = 1 << 21,
};
#define FORE_RING_BYTES ((uint64_t)1 << 36)

struct fore_ring_file {
    char *base;
    struct fore_ring_header *header; /* NULL: there is no file */
    uint64_t next, allocated;        /* chunks taken; bytes of the file */
    size_t window;                   /* by how much it grows next */
    uint32_t chunk;                  /* bytes */
    int fd;
    uint64_t device, inode; /* of the file */
    char path[4096];
};

/* Programs close descriptors that are not theirs, and get their numbers for files of their own: the
 * file is opened again by its name. */
static inline bool fore_ring_is_open(struct fore_ring_file *f)
{
    struct stat s;
    for (int again = 0; again < 2; again++) {
        if (f->fd >= 0 && fstat(f->fd, &s) == 0 && s.st_dev == f->device &&
            s.st_ino == f->inode)
            return true;
        f->fd = open(f->path, O_RDWR | O_CLOEXEC);
    }
    return false;
}

static inline bool fore_ring_grow(struct fore_ring_file *f)
{
    int failed;
    if (!fore_ring_is_open(f))
        return false;
    do /* a handler of signals may have come in between */
        failed = posix_fallocate(f->fd, (off_t)f->allocated, (off_t)f->window);
    while (failed == EINTR);
    if (failed)
        return false;
#ifdef MADV_POPULATE_WRITE
    madvise(f->base + f->allocated, f->window, MADV_POPULATE_WRITE);
#endif
    f->allocated += f->window;
    if (f->window < FORE_RING_LARGEST_WINDOW)
        f->window *= 2;
    return true;
}

/* A program that replaces itself keeps its number: its file gets a further name. */
static inline bool fore_ring_path(struct fore_ring_file *f, const char *directory)
{
    char *path = f->path;
    struct stat s;
    for (unsigned again = 1; again < 100; again++) {
        int n = again == 1 ? snprintf(path, sizeof f->path, "%s/%ld.fsr", directory,
                                      (long)getpid())
                           : snprintf(path, sizeof f->path, "%s/%ld.next%02u.fsr",
                                      directory, (long)getpid(), again);
        if (n < 0 || (size_t)n >= sizeof f->path) {
            errno = ENAMETOOLONG;
            return false;
        }
        f->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (f->fd >= 0 || errno != EEXIST)
            break;
    }
    if (f->fd < 0 || fstat(f->fd, &s) < 0)
        return false;
    f->device = s.st_dev;
    f->inode = s.st_ino;
    return true;
}

static inline void fore_ring_fill_header(struct fore_ring_header *h, uint32_t source,
                                         uint32_t chunk)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    h->version = FORE_RING_VERSION;
    h->header_size = FORE_RING_HEADER;
    h->chunk_size = chunk;
    h->source = source;
    h->chunks = (FORE_RING_BYTES - FORE_RING_HEADER) / chunk;
    h->pid = (uint32_t)getpid();
    h->parent_pid = (uint32_t)getppid();
    h->start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    h->run_id = h->start_ns ^ (uint64_t)h->pid << 40;
    ssize_t n = readlink("/proc/self/exe", h->executable, sizeof h->executable - 1);
    h->executable[n > 0 ? n : 0] = 0;
}

/* False, with errno, if it cannot be made. `also` fills in more of the header, if not NULL. */
static inline bool fore_ring_create(struct fore_ring_file *f, const char *directory,
                                    uint32_t source, uint32_t chunk,
                                    void (*also)(struct fore_ring_header *))
{
    *f = (struct fore_ring_file){
        .fd = -1, .window = FORE_RING_FIRST_WINDOW, .chunk = chunk};
    if (!fore_ring_path(f, directory))
        return false;
    f->base = mmap(NULL, FORE_RING_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE, f->fd, 0);
    if (f->base == MAP_FAILED)
        return false;
    if (!fore_ring_grow(f)) {
        errno = ENOSPC;
        return false;
    }
    f->header = (struct fore_ring_header *)f->base;
    fore_ring_fill_header(f->header, source, chunk);
    if (also)
        also(f->header);
    memcpy(f->header->magic, FORE_RING_MAGIC,
           sizeof f->header->magic); /* now it is one */
    return true;
}

/* In the copy of a forked process: the file is its parent's. */
static inline void fore_ring_abandon(struct fore_ring_file *f)
{
    if (f->header) {
        munmap(f->base, FORE_RING_BYTES);
        if (fore_ring_is_open(f))
            close(f->fd);
    }
    *f = (struct fore_ring_file){.fd = -1};
}

static inline void fore_ring_full(struct fore_ring_file *f)
{
    __atomic_fetch_add(&f->header->dropped, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&f->header->state, (uint32_t)FORE_RING_FULL, __ATOMIC_RELEASE);
}

static inline void fore_ring_end(struct fore_ring_file *f, int status,
                                 enum fore_ring_state state, enum fore_ring_ended how)
{
    uint32_t recording = FORE_RING_RECORDING;
    f->header->exit_status = status;
    f->header->ended = how;
    __atomic_compare_exchange_n(&f->header->state, &recording, (uint32_t)state, false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* The next chunk; NULL if there is no room. */
static inline struct fore_ring_chunk *fore_ring_chunk_new(struct fore_ring_file *f)
{
    uint64_t at = FORE_RING_HEADER + f->next * f->chunk, end = at + f->chunk;
    if (end > FORE_RING_BYTES || (end > f->allocated && !fore_ring_grow(f)))
        return NULL;
    __atomic_store_n(&f->header->next_chunk, ++f->next, __ATOMIC_RELEASE);
    return (struct fore_ring_chunk *)(f->base + at);
}

/* The chunk is the thread's `number`-th: its first record, and behind its last one `*end`. */
static inline struct fore_ring_record *
fore_ring_chunk_begin(const struct fore_ring_file *f, struct fore_ring_chunk *c,
                      uint32_t thread, uint32_t number, struct fore_ring_record **end)
{
    c->number = number;
    __atomic_store_n(&c->thread, thread, __ATOMIC_RELEASE);
    *end = (struct fore_ring_record *)((char *)c + f->chunk);
    return (struct fore_ring_record *)(c + 1);
}

#endif
