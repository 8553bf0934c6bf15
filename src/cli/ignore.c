#include "cli/ignore.h"

#include "base/file.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ignored_by { BY_FUNCTION, BY_PACKAGE, BY_FILE, BY_VARIABLE, WAYS };
static const char *const ways[WAYS] = {"function", "package", "file", "variable"};

struct ignored {
    enum ignored_by by;
    const char *pattern;
};

struct ignore_file {
    struct fore_arena arena;
    FORE_VEC(struct ignored) v;
};

static enum fore_status read_line(struct ignore_file *g, const char *path, unsigned line,
                                  char *text, struct fore_err *e)
{
    unsigned by = 0;
    char *pattern = text + strcspn(text, " \t\r\n");
    if (*pattern)
        *pattern++ = '\0';
    pattern += strspn(pattern, " \t");
    pattern[strcspn(pattern, "\r\n")] = '\0';
    for (size_t n = strlen(pattern); n && strchr(" \t", pattern[n - 1]);)
        pattern[--n] = '\0'; /* names of C++ have blanks in them */
    while (by < WAYS && strcmp(text, ways[by]) != 0)
        by++;
    if (by == WAYS || !*pattern)
        return fore_fail(e, FORE_SYNTAX,
                         "%s:%u:1: expected \"function\", \"package\", \"file\" or "
                         "\"variable\", and a pattern, not '%s'",
                         path, line, text);
    fore_vec_push(&g->v, (struct ignored){(enum ignored_by)by,
                                          fore_arena_strdup(&g->arena, pattern)});
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
static bool function_matches(const struct ignored *i, const char *function)
{
    char package[1024];
    const char *slash = strrchr(function, '/');
    size_t n = (slash ? (size_t)(slash - function) : 0);
    n += strcspn(function + n, ".");
    snprintf(package, sizeof package, "%.*s", (int)(n < sizeof package ? n : 0),
             function);
    return *function &&
           fnmatch(i->pattern, i->by == BY_PACKAGE ? package : function, 0) == 0;
}

/* "src/pool.c" of "src/pool.c:12:3"; a pattern without a slash is of the name alone. */
static bool file_matches(const char *pattern, const char *location)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s", location);
    for (int part = 0; part < 2; part++) {
        char *colon = strrchr(file, ':');
        if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")])
            *colon = '\0';
    }
    const char *slash = strrchr(file, '/');
    const char *name = slash && !strchr(pattern, '/') ? slash + 1 : file;
    return *file && fnmatch(pattern, name, 0) == 0;
}

/* The variable, or a part of it: "stats" is "stats.hits", too, and "table[3]" no set of characters. */
static bool variable_matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    if (!strncmp(name, pattern, n) && (!name[n] || strchr(".[@#+", name[n])))
        return *name;
    return *name && fnmatch(pattern, name, 0) == 0;
}

static bool place_matches(const struct ignored *i, const struct fore_finding *x,
                          const struct fore_place *p)
{
    if (i->by == BY_FILE)
        return file_matches(i->pattern, p->location);
    if (function_matches(i, p->function) || (p->begins && function_matches(i, p->begins)))
        return true;
    uint32_t deep = 0;
    for (uint32_t k = p->frame; k && k <= x->frames.n && deep < x->frames.n;
         k = x->frames.at[k - 1].up, deep++)
        if (function_matches(i, x->frames.at[k - 1].function))
            return true;
    return false;
}

/* Of a race and of a cycle no place is the first. */
static bool is_ignored(const struct ignore_file *g, const struct fore_finding *x)
{
    bool any =
        !strcmp(x->rule->name, "data-race") || !strcmp(x->rule->name, "lock-cycle");
    size_t places = any ? x->places.n : x->places.n > 0;
    for (size_t i = 0; i < g->v.n; i++) {
        const struct ignored *by = &g->v.at[i];
        if (by->by == BY_VARIABLE && variable_matches(by->pattern, x->object))
            return true;
        for (size_t k = 0; by->by != BY_VARIABLE && k < places; k++)
            if (place_matches(by, x, &x->places.at[k]))
                return true;
    }
    return false;
}

enum fore_status fore_ignore_apply(struct fore_findings *f, struct fore_err *e)
{
    struct ignore_file g = {.arena = FORE_ARENA_INIT};
    enum fore_status s = read_ignored(&g, e);
    size_t kept = 0, all = f->list.n;
    for (size_t i = 0; s == FORE_OK && g.v.n && i < all; i++) {
        if (is_ignored(&g, f->list.at[i]))
            fore_finding_release(f->list.at[i]);
        else
            f->list.at[kept++] = f->list.at[i];
    }
    if (s == FORE_OK && g.v.n && kept < all) {
        f->list.n = kept;
        fore_findings_remark(f, "%zu ignored (foresee.ignore)", all - kept);
    }
    fore_vec_release(&g.v);
    fore_arena_release(&g.arena);
    return s;
}
