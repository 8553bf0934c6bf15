/* Names of files, as text: what they end in, and which folder they are in. */
#ifndef FORE_BASE_PATH_H
#define FORE_BASE_PATH_H

#include <stdbool.h>
#include <string.h>

static inline bool fore_begins_with(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* With at least one byte before it: ".test" is no test binary. */
static inline bool fore_ends_with(const char *s, const char *with)
{
    size_t n = strlen(s), m = strlen(with);
    return n > m && strcmp(s + n - m, with) == 0;
}

/* The last component: "pool.go" of "/src/pool.go", "pool.run" of "example.org/pool.run"; a path
 * without a slash is all name. */
static inline const char *fore_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The rest of the path after the folder and a slash; NULL if the path is not in the folder. */
static inline const char *fore_path_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return n && strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* The path as reports show it: relative to the current folder if it is below it. */
const char *fore_path_here(const char *path);

#endif
