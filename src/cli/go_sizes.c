#include "cli/go_sizes.h"

#include "base/file.h"
#include "cli/kept.h"
#include "cli/rings.h"

#include <string.h>

/* The line of the first call that is not within a comment; 0: there is none. */
static size_t asking_line(const char *path)
{
    static const char call[] = "unsafe.Sizeof(";
    struct fore_file text = {0};
    struct fore_err unheard;
    size_t line = 1, found = 0;
    if (fore_file_open(&text, path, &unheard) != FORE_OK)
        return 0;
    for (const char *at = text.at, *end = text.at + text.n; at < end && !found; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop ? stop : end) - at);
        const char *comment = memmem(at, n, "//", 2);
        if (memmem(at, comment ? (size_t)(comment - at) : n, call, sizeof call - 1))
            found = line;
        at += n + 1;
    }
    fore_file_release(&text);
    return found;
}

static bool tell_first(const struct fore_cli *c, const char *package_folder)
{
    struct fore_paths files = {0};
    size_t line = 0;
    fore_paths_list(package_folder, "_test.go", &files);
    for (size_t i = 0; i < files.v.n && !line; i++) {
        const char *name = strrchr(files.v.at[i], '/') + 1;
        if ((line = asking_line(files.v.at[i])))
            fore_cli_say(c,
                         "a test failed, and %s:%zu asks for the size of a type: locks, "
                         "and types with locks in them, are larger while foresee "
                         "records, so that such a test can fail",
                         name, line);
    }
    fore_paths_release(&files);
    return line;
}

void fore_go_tell_sizes(const struct fore_cli *c, const char *folder)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_paths all = {0};
    struct fore_started s;
    bool told = false;
    fore_paths_list(folder, ".started", &all);
    for (size_t i = 0; i < all.v.n && !told; i++)
        if (fore_started_read(all.v.at[i], &arena, &s) && s.directory)
            told = tell_first(c, s.directory);
    fore_paths_release(&all);
    fore_arena_release(&arena);
}
