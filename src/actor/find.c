#include "actor/find.h"

#include "base/path.h"
#include "base/program.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "node/system.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".harness"

static char *folder_of(struct fore_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? fore_arena_strndup(a, path, (size_t)(slash - path))
                 : fore_arena_strdup(a, ".");
}

/* The name of a system: "dir/dr.so" is called dr. */
static const char *stem(struct fore_arena *a, const char *path, const char *end)
{
    const char *b = fore_base_name(path);
    return fore_ends_with(b, end) ? fore_arena_strndup(a, b, strlen(b) - strlen(end)) : b;
}

/* Tries FOLDER/dr.so, FOLDER/actors/dr.so, …, FOLDER/dr/dr.so */
static const char *try_folder(struct fore_arena *a, const char *folder, const char *name)
{
    const char *const below[] = {"", "actors/", "examples/actors/",
                                 fore_arena_printf(a, "%s/", name)};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        const char *path = fore_arena_printf(a, "%s/%s%s.so", folder, below[i], name);
        if (!access(path, R_OK))
            return path;
    }
    return NULL;
}

static const char *search_path(struct fore_arena *a, const char *name)
{
    const char *listed = getenv("FORESEE_PATH");
    char *rest = NULL, *list = fore_arena_strdup(a, listed ? listed : "");
    for (char *d = strtok_r(list, ":", &rest); d; d = strtok_r(NULL, ":", &rest)) {
        const char *found = try_folder(a, d, name);
        if (found)
            return found;
    }
    char folder[4096];
    fore_program_folder(folder, sizeof folder);
    const char *found = try_folder(a, folder, name);
    return found ? found
                 : try_folder(a, fore_arena_printf(a, "%s/../lib/foresee", folder), name);
}

struct system_names {
    FORE_VEC(const char *) v;
};

/* Systems are shared objects that have a harness: NAME.so beside NAME.….harness. */
static void list_folder(struct fore_arena *a, const char *folder,
                        struct system_names *out)
{
    DIR *d = opendir(folder);
    for (struct dirent *x; d && (x = readdir(d));) {
        const char *file = x->d_name, *dot = strchr(file, '.');
        if (!fore_ends_with(file, SUFFIX) || !dot)
            continue;
        const char *name = fore_arena_strndup(a, file, (size_t)(dot - file));
        bool known = access(fore_arena_printf(a, "%s/%s.so", folder, name), R_OK) != 0;
        for (size_t i = 0; i < out->v.n && !known; i++)
            known = strcmp(out->v.at[i], name) == 0;
        if (!known)
            fore_vec_push(&out->v, name);
    }
    if (d)
        closedir(d);
}

static void list_below(struct fore_arena *a, const char *folder, struct system_names *out)
{
    static const char *const below[] = {"", "/actors", "/examples/actors"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        list_folder(a, fore_arena_printf(a, "%s%s", folder, below[i]), out);
}

const char **fore_system_list(struct fore_arena *a, size_t *n)
{
    struct system_names found = {{0}};
    const char *listed = getenv("FORESEE_PATH");
    char folder[4096], *rest = NULL, *list = fore_arena_strdup(a, listed ? listed : "");
    for (char *d = strtok_r(list, ":", &rest); d; d = strtok_r(NULL, ":", &rest))
        list_below(a, d, &found);
    fore_program_folder(folder, sizeof folder);
    list_below(a, folder, &found);
    list_below(a, fore_arena_printf(a, "%s/../lib/foresee", folder), &found);
    const char **out = FORE_NEW_ARRAY(a, const char *, found.v.n + 1);
    if (found.v.n) {
        qsort(found.v.at, found.v.n, sizeof *found.v.at, fore_compare_text);
        memcpy(out, found.v.at, found.v.n * sizeof *out);
    }
    *n = found.v.n;
    fore_vec_release(&found.v);
    return out;
}

static enum fore_status no_system(struct fore_arena *a, const char *system,
                                  struct fore_err *e)
{
    size_t n;
    const char **names = fore_system_list(a, &n);
    struct fore_strbuf list = FORE_STRBUF_INIT;
    for (size_t i = 0; i < n; i++)
        fore_strbuf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    enum fore_status st = fore_fail(e, FORE_IO,
                                    "there is no system `%s` in $FORESEE_PATH, beside "
                                    "foresee or in lib/foresee; there are: %s",
                                    system, n ? list.at : "none");
    fore_strbuf_release(&list);
    return st;
}

/* The names of a system's harnesses, sorted; n of them. */
static const char **list_harnesses(struct fore_arena *a, const struct fore_found *f,
                                   size_t *n)
{
    FORE_VEC(const char *) names = {0};
    size_t own = strlen(f->system_name);
    DIR *d = opendir(folder_of(a, f->system));
    for (struct dirent *x; d && (x = readdir(d));) {
        const char *file = x->d_name;
        if (!fore_ends_with(file, SUFFIX))
            continue;
        const char *name = fore_arena_strndup(a, file, strlen(file) - strlen(SUFFIX));
        if (!strchr(name, '.'))
            fore_vec_push(&names, name);
        else if (!strncmp(name, f->system_name, own) && name[own] == '.')
            fore_vec_push(&names, name + own + 1);
    }
    if (d)
        closedir(d);
    const char **out = FORE_NEW_ARRAY(a, const char *, names.n + 1);
    if (names.n) {
        qsort(names.at, names.n, sizeof *names.at, fore_compare_text);
        memcpy(out, names.at, names.n * sizeof *out);
    }
    *n = names.n;
    fore_vec_release(&names);
    return out;
}

static enum fore_status no_harness(struct fore_arena *a, const char *harness,
                                   const struct fore_found *f, struct fore_err *e)
{
    size_t n;
    const char **names = list_harnesses(a, f, &n);
    struct fore_strbuf list = FORE_STRBUF_INIT;
    for (size_t i = 0; i < n; i++)
        fore_strbuf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    enum fore_status st =
        fore_fail(e, FORE_IO, "system %s has no harness `%s`; it has: %s", f->system_name,
                  harness, n ? list.at : "none");
    fore_strbuf_release(&list);
    return st;
}

static enum fore_status find_harness(struct fore_arena *a, const char *harness,
                                     struct fore_found *f, struct fore_err *e)
{
    if (harness && (strchr(harness, '/') || fore_ends_with(harness, SUFFIX))) {
        f->harness = fore_arena_strdup(a, harness);
        f->harness_name = stem(a, f->harness, SUFFIX);
        return FORE_OK;
    }
    size_t n;
    const char **names = list_harnesses(a, f, &n);
    if (!harness && !n)
        return fore_fail(e, FORE_IO,
                         "there is no *" SUFFIX " beside %s; give one with "
                         "--harness",
                         f->system);
    f->harness_name = harness ? fore_arena_strdup(a, harness) : names[0];
    const char *folder = folder_of(a, f->system);
    f->harness =
        fore_arena_printf(a, "%s/%s.%s" SUFFIX, folder, f->system_name, f->harness_name);
    if (access(f->harness, R_OK))
        f->harness = fore_arena_printf(a, "%s/%s" SUFFIX, folder, f->harness_name);
    return access(f->harness, R_OK) ? no_harness(a, harness, f, e) : FORE_OK;
}

enum fore_status fore_system_find(struct fore_arena *a, const char *system,
                                  const char *harness, struct fore_found *out,
                                  struct fore_err *e)
{
    bool path = strchr(system, '/') || fore_ends_with(system, ".so");
    const char *found = NULL;
    if (!strcmp(system, FORE_NODES_NAME) && harness) {
        *out = (struct fore_found){.system = FORE_NODES_NAME,
                                   .system_name = FORE_NODES_NAME};
        return find_harness(a, harness, out, e);
    }
    if (path && !access(system, R_OK))
        found = strchr(system, '/') ? fore_arena_strdup(a, system)
                                    : fore_arena_printf(a, "./%s", system);
    else if (!path)
        found = search_path(a, system);
    if (!found)
        return path ? fore_fail(e, FORE_IO, "there is no file `%s`", system)
                    : no_system(a, system, e);
    *out = (struct fore_found){.system = found, .system_name = stem(a, found, ".so")};
    return find_harness(a, harness, out, e);
}
