#include "cli/go_rings.h"

#include "base/path.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_pid(const void *a, const void *b)
{
    const struct fore_go_ring *x = a, *y = b;
    return x->pid < y->pid ? -1 : x->pid > y->pid ? 1 : strcmp(x->path, y->path);
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
    if (fore_ends_with(x->name, ".test"))
        read_package(x);
    return fore_ring_header(x->path, &x->header);
}

void fore_go_rings_find(const char *folder, const char *root, struct fore_go_rings *out)
{
    struct fore_paths paths = {0};
    fore_rings_list(folder, &paths);
    for (size_t i = 0; i < paths.v.n; i++) {
        struct fore_go_ring x = {0};
        if (!fore_ring_header(paths.v.at[i], &x.header) ||
            fore_path_below(x.header.executable, root))
            continue;
        snprintf(x.path, sizeof x.path, "%s", paths.v.at[i]);
        x.pid = strtoul(strrchr(x.path, '/') + 1, NULL, 10);
        snprintf(x.name, sizeof x.name, "%.250s", fore_base_name(x.header.executable));
        fore_vec_push(&out->v, x);
    }
    fore_paths_release(&paths);
    if (out->v.n)
        qsort(out->v.at, out->v.n, sizeof *out->v.at, by_pid);
}
