#include "base/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fore_program_self(char *out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
}

void fore_program_folder(char *out, size_t size)
{
    fore_program_self(out, size);
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
}

bool fore_program_find(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(out, size, "%s", name);
        return access(out, X_OK) == 0;
    }
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(out, size, "%.*s/%s", (int)n, path, name);
        if (access(out, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}
