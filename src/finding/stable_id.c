#include "finding/stable_id.h"

#include "base/hash.h"
#include "base/path.h"
#include "base/sort.h"
#include "finding/source.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The file relative to its project. In a Go package, function names contain the whole path of
 * the package, wherever it lies and however it was built; so the file's own name is enough,
 * unless the package is main. */
static const char *stable_file(struct fore_findings *f, const char *file,
                               const char *function)
{
    const char *at = file;
    char whole[PATH_MAX];
    if (!fore_ends_with(file, ".go"))
        return fore_sources_relative(&f->sources, &f->arena, file);
    if (strchr(function, '.') && !fore_begins_with(function, "main."))
        return fore_base_name(file);
    if (*file != '/' && realpath(file, whole))
        at = whole;
    return fore_sources_relative(&f->sources, &f->arena, at);
}

/* The part of the id that comes from a place: never thread numbers, addresses or counts. */
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

/* Is the name place8, or a part of such a place? A user's variable may be called placement. */
static bool is_numbered(const char *object)
{
    static const char kind[] = "place";
    const char *number = object + sizeof kind - 1;
    size_t digits = fore_begins_with(object, kind) ? strspn(number, "0123456789") : 0;
    return digits && !isalnum((unsigned char)number[digits]) && number[digits] != '_';
}

bool fore_variable_hash(uint64_t *h, const char *name)
{
    struct fore_strbuf whole = FORE_STRBUF_INIT;
    if (!*name || is_numbered(name))
        return false;
    while (*name) {
        size_t n = strcspn(name, "[#+");
        fore_strbuf_add(&whole, name, n);
        name += n;
        if (*name)
            name += 1 + strcspn(name + 1, ".[#+");
    }
    *h = fore_hash_more(*h, whole.at, whole.n);
    fore_strbuf_release(&whole);
    return true;
}

/* For a wait for ever only the waits count: which threads had served such waits, and which
 * others were left waiting, differs from run to run. */
static bool is_counted(const struct fore_finding *x, const struct fore_place *p)
{
    return strcmp(x->rule->name, "blocked-forever") != 0 || x->witness.n ||
           !strcmp(p->role, "waits");
}

uint64_t fore_finding_stable_id(struct fore_findings *f, const struct fore_finding *x)
{
    FORE_VEC(uint64_t) parts = {0};
    uint64_t h = fore_hash(x->rule->name, strlen(x->rule->name));
    if (!strcmp(x->rule->name, "data-race") && fore_variable_hash(&h, x->object))
        return h; /* one finding for a variable, however many lines race on it */
    for (size_t i = 0; i < x->places.n; i++)
        if (is_counted(x, &x->places.at[i]))
            fore_vec_push(&parts, place_hash(f, &x->places.at[i]));
    if (!parts.n) { /* a finding about the whole run has nothing but its message */
        h = fore_hash_more(h, x->object, strlen(x->object));
        fore_vec_push(&parts, fore_hash(x->message, strlen(x->message)));
    }
    qsort(parts.at, parts.n, sizeof *parts.at, fore_compare_u64);
    h = fore_hash_more(h, parts.at, parts.n * sizeof *parts.at);
    fore_vec_release(&parts);
    return h;
}
