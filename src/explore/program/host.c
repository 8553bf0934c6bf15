#include "explore/program/host.h"

#include "capture/control/outcome.h"
#include "explore/program/failure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- how to tell ---- */

/* Looks for the names of environment variables that the capture reads. C's texts end with 0,
 * Go's do not. */
static bool is_of_c(const char *image, size_t n)
{
    static const char text[] = FORE_RERUN_SERVER;
    return memmem(image, n, text, sizeof text);
}

static bool is_of_go(const char *image, size_t n)
{
    static const char go[] = "Go buildinf:", text[] = FORE_OUTCOME_ENVIRONMENT;
    return memmem(image, n, go, sizeof go - 1) && memmem(image, n, text, sizeof text - 1);
}

/* ---- the hosts ---- */

static const struct fore_host hosts[] = {
    {.name = "c",
     .thread = "thread",
     .serves = true,
     .complete = true,
     .is_mine = is_of_c,
     .failure = fore_failure_of_c},
    {.name = "go",
     .thread = "goroutine",
     .early_ms = 5,
     .seeded = true,
     .ordered = true,
     .traced = true,
     .is_mine = is_of_go,
     .failure = fore_failure_of_go},
};

/* As execvp looks for it. */
static int open_executable(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    if (strchr(name, '/') || !path)
        return open(name, O_RDONLY | O_CLOEXEC);
    while (*path) {
        size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
        if (!access(file, X_OK))
            return open(file, O_RDONLY | O_CLOEXEC);
        path += n + (path[n] == ':');
    }
    return -1;
}

static const struct fore_host *host_of_image(const char *image, size_t n)
{
    if (memcmp(image, "\177ELF", 4) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (hosts[i].is_mine(image, n))
            return &hosts[i];
    return NULL;
}

const struct fore_host *fore_host_of(const char *argv0)
{
    const struct fore_host *host = NULL;
    struct stat st;
    int fd = open_executable(argv0);
    if (fd >= 0 && !fstat(fd, &st) && st.st_size >= 4) {
        size_t n = (size_t)st.st_size;
        void *image = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            host = host_of_image(image, n);
            munmap(image, n);
        }
    }
    if (fd >= 0)
        close(fd);
    return host;
}
