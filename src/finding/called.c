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

static void find_shared(struct fore_shared_names *s, const struct fore_tables *t)
{
    struct fore_map first = {
        0}; /* the thread that had the name first, by the name's hash */
    s->of = t;
    s->shared.n = 0;
    fore_vec_ensure(&s->shared, t->threads.n);
    memset(s->shared.at, 0, t->threads.n * sizeof *s->shared.at);
    for (uint32_t i = 1; i < t->threads.n; i++) {
        struct fore_bytes name = short_name(name_of(t, i));
        bool fresh;
        if (!name.n)
            continue;
        uint64_t *other = fore_map_put(&first, fore_hash(name.at, name.n), &fresh);
        if (fresh)
            *other = i;
        else
            s->shared.at[i] = s->shared.at[*other] = true;
    }
    fore_map_release(&first);
}

void fore_called(const char *label, const char *name, bool shared,
                 struct fore_strbuf *out)
{
    struct fore_bytes brief = short_name(name);
    bool goroutine = brief.n != strlen(name);
    if (!brief.n)
        fore_strbuf_printf(out, is_number(label) ? "thread %s" : "%s", label);
    else if (!shared || strcmp(label, name) == 0)
        fore_strbuf_add(out, brief.at, brief.n);
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
                f->names.shared.at[thread], &b);
    const char *text = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}
