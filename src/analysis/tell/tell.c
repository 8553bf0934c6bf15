#include "analysis/tell/tell.h"

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

struct fore_step *fore_tell_steps(struct fore_findings *f, struct fore_finding *x,
                                  const struct fore_trace *t,
                                  const struct fore_witness *w, size_t from)
{
    size_t first = x->witness.n;
    for (size_t i = from; i < w->events.n; i++)
        fore_finding_step(f, x, t, &w->events.at[i], t->cases.at, w->index.at[i]);
    return x->witness.at + first;
}
