#include "base/file.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum fore_status fail_to(const char *path, const char *what, struct fore_err *e)
{
    return fore_fail(e, FORE_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static enum fore_status read_all(struct fore_file *f, int fd, const char *path,
                                 struct fore_err *e)
{
    FORE_VEC(char) all = {0};
    for (;;) {
        fore_vec_reserve(&all, all.n + 65536);
        ssize_t got = read(fd, all.at + all.n, all.cap - all.n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            fore_vec_release(&all);
            return fail_to(path, "read", e);
        }
        if (got == 0)
            break;
        all.n += (size_t)got;
    }
    f->at = f->heap = all.at;
    f->n = all.n;
    return FORE_OK;
}

static enum fore_status map_or_read(struct fore_file *f, int fd, const char *path,
                                    struct fore_err *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail_to(path, "read", e);
    if (S_ISDIR(st.st_mode))
        return fore_fail(e, FORE_IO, "%s: is a directory; a file is needed", path);
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return read_all(f, fd, path, e);
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return read_all(f, fd, path, e);
    madvise(p, (size_t)st.st_size, MADV_SEQUENTIAL);
    f->at = f->mapped = p;
    f->n = (size_t)st.st_size;
    return FORE_OK;
}

enum fore_status fore_file_open(struct fore_file *f, const char *path, struct fore_err *e)
{
    *f = (struct fore_file){.at = ""};
    if (!strcmp(path, "-"))
        return read_all(f, STDIN_FILENO, "standard input", e);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_to(path, "open", e);
    enum fore_status st = map_or_read(f, fd, path, e);
    close(fd);
    return st;
}

void fore_file_release(struct fore_file *f)
{
    if (f->mapped)
        munmap(f->mapped, f->n);
    fore_free(f->heap);
    *f = (struct fore_file){.at = ""};
}

enum fore_status fore_file_write(const char *path, const char *text, size_t n,
                                 struct fore_err *e)
{
    FILE *f = fopen(path, "we");
    bool good = f && fwrite(text, 1, n, f) == n;
    if (f && fclose(f) != 0)
        good = false;
    return good ? FORE_OK : fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
}

enum fore_status fore_file_replace(const char *path, const char *text, size_t n,
                                   struct fore_err *e)
{
    char beside[PATH_MAX];
    if (snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid()) >=
        (int)sizeof beside)
        return fore_fail(e, FORE_IO, "%s: the path is too long", path);
    enum fore_status s = fore_file_write(beside, text, n, e);
    if (s == FORE_OK && rename(beside, path) != 0)
        s = fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    if (s != FORE_OK)
        unlink(beside);
    return s;
}

static bool copy_bytes(int in, int out, off_t at, off_t end)
{
    char bytes[1 << 14];
    while (at < end) {
        size_t most = sizeof bytes;
        if (end - at < (off_t)most)
            most = (size_t)(end - at);
        ssize_t n = pread(in, bytes, most, at);
        if (n == 0)
            return true; /* it has become shorter */
        if (n < 0 || pwrite(out, bytes, (size_t)n, at) != n)
            return false;
        at += n;
    }
    return true;
}

/* File systems without holes report the whole file as data. */
static bool copy_all_data(int in, int out)
{
    struct stat st;
    if (fstat(in, &st) != 0 || ftruncate(out, st.st_size) != 0)
        return false;
    for (off_t at = 0, end; at < st.st_size; at = end) {
        at = lseek(in, at, SEEK_DATA);
        if (at < 0)
            return errno == ENXIO; /* the rest is a hole */
        end = lseek(in, at, SEEK_HOLE);
        if (end < 0 || !copy_bytes(in, out, at, end))
            return false;
    }
    return true;
}

enum fore_status fore_file_copy(const char *from, const char *to, struct fore_err *e)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return fail_to(from, "open", e);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    enum fore_status s = FORE_OK;
    if (out < 0)
        s = fail_to(to, "make", e);
    else if (!copy_all_data(in, out))
        s = fail_to(to, "write", e);
    if (out >= 0 && close(out) != 0 && s == FORE_OK)
        s = fail_to(to, "write", e);
    close(in);
    return s;
}

int fore_file_nameless(const char *folder)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/foresee-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

bool fore_file_above(const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return false;
    for (char *slash;; *slash = '\0') {
        if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
        bool repository = snprintf(path, PATH_MAX, "%s/.git", folder) < PATH_MAX &&
                          access(path, F_OK) == 0;
        slash = strrchr(folder, '/');
        if (repository || !slash || slash == folder)
            return false;
    }
}
