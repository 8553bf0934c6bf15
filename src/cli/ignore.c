#include "cli/ignore.h"

#include "base/file.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ignored {
    bool package;
    const char *pattern;
};

struct ignore_file {
    struct fore_arena arena;
    FORE_VEC(struct ignored) v;
};

static enum fore_status read_line(struct ignore_file *g, const char *path, unsigned line,
                                  char *text, struct fore_err *e)
{
    char *pattern = text + strcspn(text, " \t\n");
    if (*pattern)
        *pattern++ = '\0';
    pattern += strspn(pattern, " \t");
    pattern[strcspn(pattern, " \t\r\n")] = '\0';
    bool package = !strcmp(text, "package");
    if ((!package && strcmp(text, "function") != 0) || !*pattern)
        return fore_fail(e, FORE_SYNTAX,
                         "%s:%u:1: expected \"function PATTERN\" or \"package PATTERN\", "
                         "not '%s'",
                         path, line, text);
    fore_vec_push(&g->v,
                  (struct ignored){package, fore_arena_strdup(&g->arena, pattern)});
    return FORE_OK;
}

static enum fore_status read_ignored(struct ignore_file *g, struct fore_err *e)
{
    char path[PATH_MAX], text[1024];
    unsigned line = 0;
    enum fore_status s = FORE_OK;
    FILE *f = fore_file_above("foresee.ignore", path) ? fopen(path, "re") : NULL;
    while (f && s == FORE_OK && fgets(text, sizeof text, f)) {
        line++;
        char *at = text + strspn(text, " \t\r\n");
        if (*at && *at != '#')
            s = read_line(g, path, line, at, e);
    }
    if (f)
        fclose(f);
    return s;
}

/* "example.com/pool" of "example.com/pool.(*Pool).run": up to the first dot behind the last slash. */
static bool matches(const struct ignored *i, const char *function)
{
    char package[1024];
    const char *slash = strrchr(function, '/');
    size_t n = (slash ? (size_t)(slash - function) : 0);
    n += strcspn(function + n, ".");
    snprintf(package, sizeof package, "%.*s", (int)(n < sizeof package ? n : 0),
             function);
    return fnmatch(i->pattern, i->package ? package : function, 0) == 0;
}

static bool is_ignored(const struct ignore_file *g, const struct fore_finding *x)
{
    if (!x->places.n)
        return false;
    const struct fore_place *p = &x->places.at[0];
    char entry[1024];
    const char *open = strstr(p->name, " (");
    snprintf(entry, sizeof entry, "%s", open ? open + 2 : "");
    if (*entry && entry[strlen(entry) - 1] == ')')
        entry[strlen(entry) - 1] = '\0';
    for (size_t i = 0; i < g->v.n; i++)
        if ((p->function[0] && matches(&g->v.at[i], p->function)) ||
            (*entry && matches(&g->v.at[i], entry)))
            return true;
    return false;
}

enum fore_status fore_ignore_apply(struct fore_findings *f, size_t *ignored,
                                   struct fore_err *e)
{
    struct ignore_file g = {.arena = FORE_ARENA_INIT};
    enum fore_status s = read_ignored(&g, e);
    size_t kept = 0;
    for (size_t i = 0; s == FORE_OK && i < f->list.n; i++) {
        if (g.v.n && is_ignored(&g, f->list.at[i]))
            fore_finding_release(f->list.at[i]);
        else
            f->list.at[kept++] = f->list.at[i];
    }
    if (s == FORE_OK) {
        *ignored = f->list.n - kept;
        f->list.n = kept;
    }
    fore_vec_release(&g.v);
    fore_arena_release(&g.arena);
    return s;
}
