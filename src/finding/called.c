#include "finding/called.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "finding/finding.h"

#include <string.h>

/* "5", or "1.2", how it was created. */
static bool is_number(const char *label)
{
    return label[0] && !label[strspn(label, "0123456789.")];
}

/* The goroutine that runs a Go test is known by the test, not by the function that started it. */
static bool runs_test(const struct fore_tables *t, uint32_t thread)
{
    const struct fore_thread_info *info = &t->threads.at[thread];
    return info->group &&
           fore_begins_with(fore_tables_text(t, info->begins), "testing.(*T).Run");
}

static bool is_known_by_function(const struct fore_tables *t, uint32_t thread)
{
    return t->threads.at[thread].begins && !runs_test(t, thread);
}

static const char *name_of(const struct fore_tables *t, uint32_t thread)
{
    const struct fore_thread_info *info = &t->threads.at[thread];
    return fore_tables_text(t, is_known_by_function(t, thread) ? info->begins
                               : runs_test(t, thread)          ? info->group
                                                               : info->name);
}

/* pool.run of the goroutine that begins in example.org/pool.run; of any other thread its name. */
static const char *short_name(const struct fore_tables *t, uint32_t thread)
{
    const char *name = name_of(t, thread);
    return is_known_by_function(t, thread) ? fore_base_name(name) : name;
}

/* By thread, the first of those that are called the same; itself, if it has a name of its own. */
static uint32_t first_called(struct fore_map *first, const struct fore_tables *t,
                             uint32_t thread)
{
    const char *name = short_name(t, thread);
    bool fresh;
    uint64_t *at = fore_map_put(first, fore_hash(name, strlen(name)), &fresh);
    if (fresh)
        *at = thread;
    return (uint32_t)*at;
}

static void find_shared(struct fore_shared_names *s, const struct fore_tables *t)
{
    struct fore_map first = {0};
    s->of = t;
    s->shared.n = 0;
    fore_vec_ensure(&s->shared, t->threads.n);
    memset(s->shared.at, FORE_NAME_ALONE, t->threads.n * sizeof *s->shared.at);
    for (uint32_t i = 1; i < t->threads.n; i++) {
        uint32_t other = first_called(&first, t, i);
        if (other == i)
            continue;
        bool same = !strcmp(name_of(t, i), name_of(t, other));
        uint8_t how = same ? FORE_NAME_SHARED : FORE_NAME_AMBIGUOUS;
        if (s->shared.at[other] < how)
            s->shared.at[other] = how;
    }
    for (uint32_t i = 1; i < t->threads.n; i++)
        s->shared.at[i] = s->shared.at[first_called(&first, t, i)];
    fore_map_release(&first);
}

void fore_called(const char *label, const char *name, enum fore_shared_name shared,
                 struct fore_strbuf *out)
{
    if (!*name)
        fore_strbuf_printf(out, is_number(label) ? "thread %s" : "%s", label);
    else if (shared == FORE_NAME_ALONE || strcmp(label, name) == 0)
        fore_strbuf_puts(out, name);
    else
        fore_strbuf_printf(out, is_number(label) ? "thread %s (%s)" : "%s (%s)", label,
                           name);
}

static void put_goroutine(const struct fore_tables *t, uint32_t thread,
                          enum fore_shared_name shared, struct fore_strbuf *out)
{
    const struct fore_thread_info *info = &t->threads.at[thread];
    if (shared == FORE_NAME_AMBIGUOUS)
        fore_strbuf_puts(out, fore_tables_text(t, info->name));
    else if (shared == FORE_NAME_SHARED)
        fore_strbuf_printf(out, "goroutine %u (%s)", (unsigned)info->goroutine,
                           short_name(t, thread));
    else
        fore_strbuf_puts(out, short_name(t, thread));
}

const char *fore_findings_called(struct fore_findings *f, const struct fore_tables *t,
                                 uint32_t thread)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (f->names.of != t || f->names.shared.n != t->threads.n)
        find_shared(&f->names, t);
    enum fore_shared_name shared = (enum fore_shared_name)f->names.shared.at[thread];
    if (is_known_by_function(t, thread))
        put_goroutine(t, thread, shared, &b);
    else
        fore_called(fore_tables_label(t, thread), name_of(t, thread), shared, &b);
    const char *text = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}
