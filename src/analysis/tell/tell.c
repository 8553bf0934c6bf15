#include "analysis/tell/tell.h"

#include "base/path.h"
#include <string.h>

const char *fore_tell_who(struct fore_findings *f, const struct fore_trace *t,
                          uint32_t thread)
{
    return fore_findings_called(f, &t->tables, thread);
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

/* " (bank.c:19)", without the folder, or nothing. */
static void put_brief_place(const struct fore_trace *t, uint32_t where,
                            const char *before, const char *after,
                            struct fore_strbuf *out)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_place(&t->tables, where, &b);
    if (b.n)
        fore_strbuf_printf(out, "%s%s%s", before, fore_base_name(b.at), after);
    fore_strbuf_release(&b);
}

void fore_tell_lock_wait(struct fore_findings *f, const struct fore_trace *t,
                         const struct fore_tell_wait *w, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "%s waits for the lock %s", fore_tell_who(f, t, w->thread),
                       fore_tables_name(&t->tables, w->lock));
    put_brief_place(t, w->where, " (", ")", out);
    fore_strbuf_printf(out, ", which %s holds", fore_tell_who(f, t, w->owner));
    put_brief_place(t, w->since, " since ", "", out);
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
