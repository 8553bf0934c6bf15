#include "ring/fsr_read.h"

#include "ring/merge.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool fore_fsr_matches(const char *head, size_t n)
{
    size_t magic = sizeof FORE_RING_MAGIC - 1;
    return n >= magic && !memcmp(head, FORE_RING_MAGIC, magic);
}

static enum fore_status merge_rings(const char *name, const void *base, size_t size,
                                    struct fore_tables *tables, struct fore_sink *s,
                                    struct fore_err *e)
{
    struct fore_merge m;
    enum fore_status status = fore_merge_open(&m, name, base, size, tables, s, e);
    if (status == FORE_OK)
        status = fore_merge_finish(&m, size, e);
    fore_merge_release(&m);
    return status;
}

/* Copies a source that cannot be mapped (a pipe, or memory of any alignment). */
static enum fore_status read_copied(struct fore_input *in, struct fore_tables *tables,
                                    struct fore_sink *s, struct fore_err *e)
{
    enum { PIECE = 1 << 16 };
    FORE_VEC(char) bytes = {0};
    size_t got = PIECE;
    enum fore_status status = FORE_OK;
    while (status == FORE_OK && got == PIECE) {
        status = fore_input_read(in, fore_vec_extend(&bytes, PIECE), PIECE, &got, e);
        bytes.n -= PIECE - got;
    }
    if (status == FORE_OK)
        status = merge_rings(in->name, bytes.at, bytes.n, tables, s, e);
    fore_vec_release(&bytes);
    return status;
}

/* Copies a file whose holes do not fit on its file system: looking at a hole in a mapping would
 * need room for it, and kill this process. Only written parts are copied; holes cost nothing. */
static void *copy_written(int fd, size_t size)
{
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    off_t at = 0;
    while (base != MAP_FAILED && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
        off_t end = lseek(fd, at, SEEK_HOLE);
        end = end < 0 || (size_t)end > size ? (off_t)size : end;
        ssize_t n = at < end ? pread(fd, (char *)base + at, (size_t)(end - at), at) : 0;
        if (n <= 0)
            break;
        at += n;
    }
    return base;
}

static bool has_room_for_holes(int fd, const struct stat *st)
{
    struct statvfs disk;
    uint64_t written = (uint64_t)st->st_blocks * 512, size = (uint64_t)st->st_size;
    return written >= size || fstatvfs(fd, &disk) ||
           (uint64_t)disk.f_bavail * disk.f_frsize > size - written;
}

enum fore_status fore_fsr_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e)
{
    struct stat st;
    if (in->fd < 0 || fstat(in->fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
        return read_copied(in, tables, s, e);
    size_t size = (size_t)st.st_size;
    void *base = has_room_for_holes(in->fd, &st)
                     ? mmap(NULL, size, PROT_READ, MAP_SHARED, in->fd, 0)
                     : copy_written(in->fd, size);
    if (base == MAP_FAILED)
        return read_copied(in, tables, s, e);
    enum fore_status status = merge_rings(in->name, base, size, tables, s, e);
    munmap(base, size);
    return status;
}
