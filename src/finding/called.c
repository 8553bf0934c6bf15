#include "finding/called.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "finding/finding.h"

#include <string.h>

/* What a reader knows the thread by: of `goroutine 7 (example.org/pool.run)`, pool.run. */
static struct fore_bytes short_name(const char *name)
{
    const char *open = strstr(name, " ("), *end = strrchr(name, ')');
    if (strncmp(name, "goroutine ", 10) != 0 || !open || !end || end[1])
        return (struct fore_bytes){name, strlen(name)};
    const char *from = open + 2;
    for (const char *c = from; c < end; c++)
        if (*c == '/')
            from = c + 1;
    return (struct fore_bytes){from, (size_t)(end - from)};
}

/* "example.org/pool.run)" of `goroutine 7 (example.org/pool.run)`; any other name as it is. */
static const char *begins_in(const char *name)
{
    const char *open = strstr(name, " (");
    return open ? open + 2 : name;
}

/* "5", or "1.2", how it was created. */
static bool is_number(const char *label)
{
    return label[0] && !label[strspn(label, "0123456789.")];
}

/* The goroutine that runs a Go test is known by the test, not by the function that started it. */
static const char *name_of(const struct fore_tables *t, uint32_t thread)
{
    const struct fore_thread_info *info = &t->threads.at[thread];
    const char *name = fore_tables_text(t, info->name);
    return info->group && strstr(name, "(testing.(*T).Run")
               ? fore_tables_text(t, info->group)
               : name;
}

/* By thread, the first of those that are called the same; itself, if it has a name of its own. */
static uint32_t first_called(struct fore_map *first, const struct fore_tables *t,
                             uint32_t thread)
{
    struct fore_bytes name = short_name(name_of(t, thread));
    bool fresh;
    uint64_t *at = fore_map_put(first, fore_hash(name.at, name.n), &fresh);
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
        bool same = !strcmp(begins_in(name_of(t, i)), begins_in(name_of(t, other)));
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
    struct fore_bytes brief = short_name(name);
    bool goroutine = brief.n != strlen(name);
    if (!brief.n)
        fore_strbuf_printf(out, is_number(label) ? "thread %s" : "%s", label);
    else if (shared == FORE_NAME_ALONE || strcmp(label, name) == 0)
        fore_strbuf_add(out, brief.at, brief.n);
    else if (goroutine && shared == FORE_NAME_SHARED)
        fore_strbuf_printf(out, "%.*s%.*s)", (int)(begins_in(name) - name), name,
                           (int)brief.n, brief.at);
    else if (goroutine)
        fore_strbuf_puts(out, name);
    else
        fore_strbuf_printf(out, is_number(label) ? "thread %s (%s)" : "%s (%s)", label,
                           name);
}

const char *fore_findings_called(struct fore_findings *f, const struct fore_tables *t,
                                 uint32_t thread)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (f->names.of != t || f->names.shared.n != t->threads.n)
        find_shared(&f->names, t);
    fore_called(fore_tables_label(t, thread), name_of(t, thread),
                (enum fore_shared_name)f->names.shared.at[thread], &b);
    const char *text = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}
