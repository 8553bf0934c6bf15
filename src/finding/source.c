#include "finding/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 4096 };

const char *fore_source_line(struct fore_arena *a, const char *file, uint32_t line)
{
    char text[MAX_LINE];
    const char *found = NULL;
    FILE *f = line ? fopen(file, "re") : NULL;
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

static int marks_project(const char *folder, size_t n)
{
    static const char *const marks[] = {"go.mod", "meson.build", "Makefile",
                                        "CMakeLists.txt", ".git"};
    char path[MAX_LINE];
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, marks[i]) < MAX_LINE &&
            access(path, F_OK) == 0)
            return 1;
    return 0;
}

const char *fore_source_relative(struct fore_arena *a, const char *file)
{
    if (file[0] != '/')
        return file;
    for (const char *slash = strrchr(file, '/'); slash && slash > file;) {
        size_t n = (size_t)(slash - file);
        if (marks_project(file, n))
            return fore_arena_strdup(a, slash + 1);
        while (slash > file && *--slash != '/')
            ;
    }
    return file;
}

void fore_sources_release(struct fore_sources *s)
{
    fore_intern_release(&s->asked);
    fore_vec_release(&s->answers);
}

/* Line 0 stands for the relative path. */
static const char *ask(struct fore_sources *s, struct fore_arena *a, const char *file,
                       uint32_t line)
{
    char question[MAX_LINE];
    int n = snprintf(question, sizeof question, "%u %s", line, file);
    size_t known = fore_intern_count(&s->asked);
    uint32_t id = fore_intern(&s->asked, question, n < MAX_LINE ? (size_t)n : MAX_LINE);
    if (id > known) {
        fore_vec_ensure(&s->answers, (size_t)id + 1);
        s->answers.at[id] = line ? fore_source_line(a, file, line)
                                 : fore_arena_strdup(a, fore_source_relative(a, file));
    }
    return s->answers.at[id];
}

const char *fore_sources_line(struct fore_sources *s, struct fore_arena *a,
                              const char *file, uint32_t line)
{
    return line ? ask(s, a, file, line) : NULL;
}

const char *fore_sources_relative(struct fore_sources *s, struct fore_arena *a,
                                  const char *file)
{
    return ask(s, a, file, 0);
}
