#include "analysis/tell/tell.h"

#include <string.h>

/* Threads may well be called the same, as those that begin with the same function. */
static bool has_own_name(const struct fore_trace *t, uint32_t thread)
{
    const struct fore_thread_info *all = t->tables.threads.at;
    for (size_t i = 0; i < t->tables.threads.n; i++)
        if (i != thread && all[i].name == all[thread].name)
            return false;
    return all[thread].name;
}

const char *fore_tell_who(struct fore_findings *f, const struct fore_trace *t,
                          uint32_t thread)
{
    return has_own_name(t, thread)
               ? fore_tables_text(&t->tables, t->tables.threads.at[thread].name)
               : fore_tell_thread(f, t, thread);
}

/* What stands in the brackets of `goroutine 7 (main.f)`; n is 0 if there are none. */
static const char *inner_name(const struct fore_trace *t, uint32_t thread, size_t *n)
{
    const char *name = fore_tables_text(&t->tables, t->tables.threads.at[thread].name);
    const char *open = strstr(name, " ("), *end = strrchr(name, ')');
    bool goroutine = !strncmp(name, "goroutine ", 10) && open && end && !end[1];
    *n = goroutine ? (size_t)(end - open - 2) : 0;
    return goroutine ? open + 2 : name;
}

const char *fore_tell_brief(struct fore_findings *f, const struct fore_trace *t,
                            uint32_t thread, uint32_t other)
{
    size_t n, m;
    const char *mine = inner_name(t, thread, &n), *its = inner_name(t, other, &m);
    if (!n || (n == m && !strncmp(mine, its, n)))
        return fore_tell_who(f, t, thread);
    return fore_findings_printf(f, "%.*s", (int)n, mine);
}

const char *fore_tell_thread(struct fore_findings *f, const struct fore_trace *t,
                             uint32_t thread)
{
    uint32_t name = t->tables.threads.at[thread].name;
    return fore_findings_printf(f, name ? "thread %s (%s)" : "thread %s",
                                fore_tables_label(&t->tables, thread),
                                name ? fore_tables_text(&t->tables, name) : "");
}

const char *fore_tell_at(struct fore_findings *f, const struct fore_trace *t,
                         uint32_t where)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_place(&t->tables, where, &b);
    const char *text = b.n ? fore_findings_printf(f, " at %s", b.at) : "";
    fore_strbuf_release(&b);
    return text;
}

struct fore_step *fore_tell_steps(struct fore_findings *f, struct fore_finding *x,
                                  const struct fore_trace *t,
                                  const struct fore_witness *w, size_t from)
{
    size_t first = x->witness.n;
    for (size_t i = from; i < w->events.n; i++)
        fore_finding_step(f, x, t, &w->events.at[i], t->cases.at, w->index.at[i]);
    return x->witness.at + first;
}
