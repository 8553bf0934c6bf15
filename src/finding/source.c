#include "finding/source.h"

#include "base/path.h"
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINE = 4096, MOST_BYTES = 64 << 20 };

static bool has_entry(const char *folder, size_t n, const char *name)
{
    char path[MAX_LINE];
    return snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, name) < MAX_LINE &&
           access(path, F_OK) == 0;
}

static bool marks_project(const char *folder, size_t n)
{
    static const char *const marks[] = {"go.mod", "meson.build", "Makefile",
                                        "CMakeLists.txt", ".git"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has_entry(folder, n, marks[i]))
            return true;
    return false;
}

static size_t parent_length(const char *path, size_t n)
{
    while (n && path[n - 1] != '/')
        n--;
    return n ? n - 1 : 0;
}

/* Finds FORESEE_ROOT; otherwise the repository of the current folder, the nearest project, or
 * that folder. */
static bool find_root(char out[PATH_MAX])
{
    const char *set = getenv("FORESEE_ROOT");
    if (set && *set)
        return realpath(set, out) != NULL;
    if (!realpath(".", out))
        return false;
    size_t whole = strlen(out), nearest = 0;
    for (size_t n = whole; n > 1; n = parent_length(out, n)) {
        if (!nearest && marks_project(out, n))
            nearest = n;
        if (has_entry(out, n, ".git")) {
            nearest = n;
            break;
        }
    }
    out[nearest ? nearest : whole] = '\0';
    return true;
}

/* A trace may come from an untrusted source: a file that it names is read only if it is a
 * regular file below the root, even through links. */
FILE *fore_source_open(const char *file)
{
    char root[PATH_MAX], real[PATH_MAX];
    struct stat st;
    if (!file[0] || !find_root(root) || !realpath(file, real))
        return NULL;
    bool below = !root[1] || fore_path_below(real, root);
    int fd = below ? open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES)
        return fdopen(fd, "r");
    if (fd >= 0)
        close(fd);
    return NULL;
}

const char *fore_source_split(struct fore_arena *a, const char *location, uint32_t *line)
{
    size_t n = strlen(location), colons = 0, end[2] = {0, 0};
    for (size_t i = n; i-- > 0 && colons < 2;) {
        if (location[i] == ':')
            end[colons++] = i;
        else if (location[i] < '0' || location[i] > '9')
            break;
    }
    size_t file_n = colons ? end[colons - 1] : n;
    *line = colons ? (uint32_t)strtoul(location + file_n + 1, NULL, 10) : 0;
    return fore_arena_strndup(a, location, file_n);
}

const char *fore_source_line(struct fore_arena *a, const char *file, uint32_t line)
{
    char text[MAX_LINE];
    const char *found = NULL;
    FILE *f = line ? fore_source_open(file) : NULL;
    if (!f)
        return NULL;
    for (uint32_t at = 1; !found && fgets(text, sizeof text, f);) {
        size_t n = strlen(text);
        if (at == line) {
            const char *from = text;
            while (n && isspace((unsigned char)text[n - 1]))
                n--;
            while (from < text + n && isspace((unsigned char)*from))
                from++;
            found = fore_arena_strndup(a, from, (size_t)(text + n - from));
        }
        at += n && text[n - 1] == '\n';
    }
    fclose(f);
    return found;
}

/* The path relative to the project it belongs to (the nearest folder above it with a go.mod,
 * meson.build, Makefile, CMakeLists.txt or .git), or as it is. */
static const char *path_in_project(struct fore_arena *a, const char *file)
{
    if (file[0] != '/')
        return file;
    for (size_t n = parent_length(file, strlen(file)); n; n = parent_length(file, n))
        if (marks_project(file, n))
            return fore_arena_strdup(a, file + n + 1);
    return file;
}

void fore_sources_release(struct fore_sources *s)
{
    fore_intern_release(&s->asked);
    fore_vec_release(&s->answers);
}

/* Line 0 stands for the relative path. */
static const char *ask_source(struct fore_sources *s, struct fore_arena *a,
                              const char *file, uint32_t line)
{
    char question[MAX_LINE];
    int n = snprintf(question, sizeof question, "%u %s", line, file);
    size_t known = fore_intern_count(&s->asked);
    uint32_t id = fore_intern(&s->asked, question, n < MAX_LINE ? (size_t)n : MAX_LINE);
    if (id > known) {
        fore_vec_ensure(&s->answers, (size_t)id + 1);
        s->answers.at[id] = line ? fore_source_line(a, file, line)
                                 : fore_arena_strdup(a, path_in_project(a, file));
    }
    return s->answers.at[id];
}

const char *fore_sources_line(struct fore_sources *s, struct fore_arena *a,
                              const char *file, uint32_t line)
{
    return line ? ask_source(s, a, file, line) : NULL;
}

const char *fore_sources_relative(struct fore_sources *s, struct fore_arena *a,
                                  const char *file)
{
    return ask_source(s, a, file, 0);
}
