/* Steps and threads in words, and the order in which the observed run came to a finding's places. */
#include "report/report.h"

#include <string.h>

const char *fore_report_step(const struct fore_step *s,
                             const struct fore_report_options *o)
{
    return !o->notation && s->deed && s->deed->does ? s->deed->does : s->event;
}

void fore_report_thread(const struct fore_finding *x, const char *path, const char *label,
                        const char *name, struct fore_strbuf *out)
{
    for (size_t i = 0; i < x->threads.n; i++)
        if (strcmp(x->threads.at[i].path, path) == 0 && x->threads.at[i].called[0]) {
            fore_strbuf_puts(out, x->threads.at[i].called);
            return;
        }
    fore_called(label, name, FORE_NAME_ALONE, out);
}

/* The last one: a wait that was not recorded has the index of the event that ended it. */
static const struct fore_step *find_step(const struct fore_step *s, size_t n,
                                         const struct fore_place *at)
{
    while (n-- > 0)
        if (s[n].index == at->index && strcmp(s[n].path, at->path) == 0)
            return &s[n];
    return NULL;
}

const char *fore_report_place(const struct fore_finding *x, const struct fore_place *at,
                              const struct fore_report_options *o)
{
    if (o->notation)
        return at->event;
    if (at->source[0])
        return at->source;
    const struct fore_step *s = find_step(x->witness.at, x->witness.n, at);
    s = s ? s : find_step(x->observed.at, x->observed.n, at);
    return s ? fore_report_step(s, o) : at->event;
}

static bool is_place(const struct fore_finding *x, const struct fore_step *s)
{
    for (size_t i = 0; i < x->places.n; i++)
        if (x->places.at[i].index == s->index &&
            strcmp(x->places.at[i].path, s->path) == 0)
            return true;
    return false;
}

/* For a thread that waited and went on, its next step says more. */
static const struct fore_step *what_came_of_it(const struct fore_finding *x, size_t i)
{
    const struct fore_step *s = &x->observed.at[i];
    if (!s->deed || !s->deed->waits)
        return s;
    while (++i < x->observed.n)
        if (strcmp(x->observed.at[i].path, s->path) == 0)
            return x->observed.at[i].index == s->index + 1 ? &x->observed.at[i] : s;
    return s;
}

void fore_report_order(const struct fore_finding *x, const struct fore_report_options *o,
                       struct fore_strbuf *out)
{
    const struct fore_step *last = NULL;
    size_t from = out->n, threads = 0;
    if (fore_finding_has_fact(x, FORE_FACT_OBSERVED) || !x->witness.n)
        return;
    for (size_t i = 0; i < x->observed.n; i++) {
        const struct fore_step *s = &x->observed.at[i];
        if (!is_place(x, s))
            continue;
        s = what_came_of_it(x, i);
        if (s == last ||
            !s->deed) /* a thread's place may be both where it waits and locks */
            continue;
        if (last && strcmp(last->path, s->path) == 0) {
            fore_strbuf_puts(out, ", ");
        } else {
            fore_strbuf_puts(out, last ? "; then " : "");
            fore_report_thread(x, s->path, s->thread, s->name, out);
            fore_strbuf_putc(out, ' ');
            threads++;
        }
        fore_strbuf_puts(out, fore_report_step(s, o));
        last = s;
    }
    if (threads < 2 && out->n > from)
        out->at[out->n = from] = '\0';
}
