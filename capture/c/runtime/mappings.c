/* Reads the kernel's list of mappings.
 *
 * A thread may write at one address what another reads at another one, if both are mappings of the
 * same part of a file: then accesses to the same memory do not meet, and an atomic access at the
 * one orders nothing at the other. foresee knows memory by its address, so it says that it cannot
 * see this. */
#include "capture/c/runtime/mappings.h"
#include "capture/c/runtime/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_mapping(const char *line, struct fore_rt_mapping *m)
{
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s %lx %*s %lu", &m->from, &m->to, rights, &m->offset,
               &m->inode) != 5)
        return false;
    m->shared = rights[3] == 's';
    return true;
}

bool fore_rt_any_mapping(bool (*is)(const struct fore_rt_mapping *m, const void *ctx),
                         const void *ctx)
{
    char text[512], line[96]; /* names of files are cut off */
    struct fore_rt_mapping m;
    size_t n = 0;
    ssize_t got;
    bool found = false;
    int why = errno;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !found && (got = syscall(SYS_read, fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < got && !found; i++) {
            if (text[i] != '\n') {
                if (n + 1 < sizeof line)
                    line[n++] = text[i];
                continue;
            }
            line[n] = 0;
            n = 0;
            found = is_mapping(line, &m) && is(&m, ctx);
        }
    if (fd >= 0)
        syscall(SYS_close, fd);
    errno = why;
    return found;
}

/* The files of which shared memory was mapped; of further ones all mappings are looked at. */
static struct {
    uint64_t inode[64];
    uint32_t n, lock;
} known;

/* Was the file known before? It is from now on. */
static bool is_known(uint64_t inode)
{
    enum { MOST = sizeof known.inode / sizeof *known.inode };
    bool found = false;
    fore_rt_spin(&known.lock);
    for (uint32_t i = 0; i < known.n && !found; i++)
        found = known.inode[i] == inode;
    if (!found && known.n < MOST)
        known.inode[known.n++] = inode;
    else
        found = true;
    fore_rt_unspin(&known.lock);
    return found;
}

/* Is it another mapping of a part of the same file? `ctx`: the one that was just made. */
static bool is_of_same_memory(const struct fore_rt_mapping *m, const void *ctx)
{
    const struct fore_rt_mapping *new = ctx;
    if (!m->shared || m->inode != new->inode)
        return false;
    /* The kernel lists neighbours that go on in the file as one. */
    bool same = m->from - m->offset == new->from - new->offset;
    return !same && m->offset < new->offset + (new->to - new->from) &&
           new->offset < m->offset + (m->to - m->from);
}

void fore_rt_mapped_file(struct fore_rt_mapping new, int fd, struct fore_c_site *site)
{
    struct stat s;
    int why = errno;
    if (fstat(fd, &s) == 0 && is_known(s.st_ino)) {
        new.inode = s.st_ino;
        if (fore_rt_any_mapping(is_of_same_memory, &new))
            fore_rt_unseen(site, "memory that is mapped at two addresses");
    }
    errno = why;
}

void fore_rt_mappings_forget(void)
{
    memset(&known, 0, sizeof known);
}
