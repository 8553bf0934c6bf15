#include "finding/stable_id.h"

#include "base/hash.h"
#include "base/sort.h"
#include "finding/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The file relative to its project. The functions of a Go package have its whole path in their names, wherever it lies
 * and however it was built: there the file's own name is enough, unless the package is main. */
static const char *stable_file(struct fore_findings *f, const char *file,
                               const char *function)
{
    size_t n = strlen(file);
    const char *slash = strrchr(file, '/'), *at = file;
    char whole[PATH_MAX];
    if (n < 3 || strcmp(file + n - 3, ".go") != 0)
        return fore_sources_relative(&f->sources, &f->arena, file);
    if (strchr(function, '.') && strncmp(function, "main.", 5) != 0)
        return slash ? slash + 1 : file;
    if (*file != '/' && realpath(file, whole))
        at = whole;
    return fore_sources_relative(&f->sources, &f->arena, at);
}

/* What a place contributes to the id: never thread numbers, addresses or counts. */
static uint64_t place_hash(struct fore_findings *f, const struct fore_place *p)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "%s|", p->role);
    if (p->location[0]) {
        uint32_t line;
        const char *file = fore_source_split(&f->arena, p->location, &line);
        fore_strbuf_printf(&b, "%s|%s|", stable_file(f, file, p->function), p->function);
        if (!p->source[0])
            fore_strbuf_printf(&b, "%u", line);
        for (const char *c = p->source; *c; c++)
            if (*c != ' ' && *c != '\t')
                fore_strbuf_putc(&b, *c);
    } else {
        fore_strbuf_printf(&b, "%s|%llu", p->path, (unsigned long long)p->index);
    }
    uint64_t h = fore_hash(b.at, b.n);
    fore_strbuf_release(&b);
    return h;
}

/* One finding for a variable, however many lines are about it and whichever of its elements, bytes and
 * blocks: "tank@f.c:12#2[3].level+4" is "tank@f.c:12.level". A name by number is that of one run. */
static uint64_t variable_hash(uint64_t h, const char *name)
{
    while (*name) {
        size_t n = strcspn(name, "[#+");
        h = fore_hash_more(h, name, n);
        name += n;
        if (*name)
            name += 1 + strcspn(name + 1, ".[#+");
    }
    return h;
}

/* Of a wait for ever only the waits count: which threads had served such waits, and which others were left waiting,
 * differs from run to run. */
static bool is_counted(const struct fore_finding *x, const struct fore_place *p)
{
    return strcmp(x->rule->name, "blocked-forever") != 0 || x->witness.n ||
           !strcmp(p->role, "waits");
}

uint64_t fore_finding_stable_id(struct fore_findings *f, const struct fore_finding *x)
{
    FORE_VEC(uint64_t) parts = {0};
    uint64_t h = fore_hash(x->rule->name, strlen(x->rule->name));
    if (!strcmp(x->rule->name, "data-race") && *x->object &&
        strncmp(x->object, "place", 5) != 0)
        return variable_hash(h, x->object);
    for (size_t i = 0; i < x->places.n; i++)
        if (is_counted(x, &x->places.at[i]))
            fore_vec_push(&parts, place_hash(f, &x->places.at[i]));
    if (!parts.n) { /* a finding about the whole run: its message is all there is */
        h = fore_hash_more(h, x->object, strlen(x->object));
        fore_vec_push(&parts, fore_hash(x->message, strlen(x->message)));
    }
    qsort(parts.at, parts.n, sizeof *parts.at, fore_compare_u64);
    h = fore_hash_more(h, parts.at, parts.n * sizeof *parts.at);
    fore_vec_release(&parts);
    return h;
}
