/* Paths as compilers give them. */
#ifndef CAPTURE_C_DETOURS_H
#define CAPTURE_C_DETOURS_H

#include <string.h>

/* Compilers are found by way of other folders: /usr/bin/../lib becomes /usr/lib. */
static inline void fore_leave_out_detours(char *path)
{
    char *up;
    while (*path == '/' && (up = strstr(path, "/../"))) {
        char *from = up;
        while (from > path && from[-1] != '/')
            from--;
        if (from == path || !strncmp(from, "../", 3))
            return;
        memmove(from, up + 4, strlen(up + 4) + 1);
    }
}

#endif
