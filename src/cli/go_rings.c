#include "cli/go_rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_header(struct fore_go_ring *x)
{
    int fd = open(x->path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 &&
                pread(fd, &x->header, sizeof x->header, 0) == sizeof x->header &&
                memcmp(x->header.magic, FORE_RING_MAGIC, 8) == 0;
    if (fd >= 0)
        close(fd);
    return good;
}

static int by_pid(const void *a, const void *b)
{
    const struct fore_go_ring *x = a, *y = b;
    return x->pid < y->pid ? -1 : x->pid > y->pid ? 1 : strcmp(x->path, y->path);
}

static bool of_go_itself(const char *root, const char *executable)
{
    size_t n = strlen(root);
    return strncmp(executable, root, n) == 0 && executable[n] == '/';
}

/* What the go command writes into every executable: "path", a tab, and the package; of a test with ".test" behind it. */
static void read_package(struct fore_go_ring *x)
{
    static const char magic[] =
        "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18"
        "\xe6path\t";
    char exe[sizeof x->path];
    struct stat st;
    snprintf(exe, sizeof exe, "%.*s.exe", (int)(strlen(x->path) - 4), x->path);
    int fd = open(exe, O_RDONLY | O_CLOEXEC);
    void *image = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0
                      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (image == MAP_FAILED)
        return;
    size_t size = (size_t)st.st_size;
    const char *end = (const char *)image + size;
    const char *at = memmem(image, size, magic, sizeof magic - 1);
    at = at ? at + sizeof magic - 1 : end;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop && stop - at > 5 && !memcmp(stop - 5, ".test", 5))
        snprintf(x->package, sizeof x->package, "%.*s", (int)(stop - 5 - at), at);
    munmap(image, size);
}

bool fore_go_ring_look(struct fore_go_ring *x)
{
    size_t n = strlen(x->name);
    if (n > 5 && !strcmp(x->name + n - 5, ".test"))
        read_package(x);
    return read_header(x);
}

enum fore_status fore_go_rings_find(const char *folder, const char *root,
                                    struct fore_go_rings *out, struct fore_err *e)
{
    struct dirent *d;
    DIR *dir = opendir(folder);
    if (!dir)
        return fore_fail(e, FORE_IO, "%s: %s", folder, strerror(errno));
    while ((d = readdir(dir))) {
        size_t n = strlen(d->d_name);
        if (n < 5 || n > 200 || strcmp(d->d_name + n - 4, ".fsr") != 0)
            continue;
        struct fore_go_ring *x = fore_vec_extend(&out->v, 1);
        memset(x, 0, sizeof *x);
        snprintf(x->path, sizeof x->path, "%s/%s", folder, d->d_name);
        x->pid = strtoul(d->d_name, NULL, 10);
        if (!read_header(x) || of_go_itself(root, x->header.executable)) {
            out->v.n--;
            continue;
        }
        const char *slash = strrchr(x->header.executable, '/');
        snprintf(x->name, sizeof x->name, "%.250s",
                 slash ? slash + 1 : x->header.executable);
    }
    closedir(dir);
    if (out->v.n)
        qsort(out->v.at, out->v.n, sizeof *out->v.at, by_pid);
    return FORE_OK;
}
