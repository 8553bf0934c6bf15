#include "report/report.h"

#include "base/version.h"
#include "finding/save.h"

static void write_traces(struct fore_jsonw *w, const struct fore_findings *f)
{
    fore_jsonw_open(w, "traces", '[');
    for (size_t i = 0; i < f->traces.n; i++) {
        const struct fore_trace_summary *t = &f->traces.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "name", t->name);
        fore_jsonw_u64(w, "events", t->events);
        fore_jsonw_u64(w, "threads", t->threads);
        fore_jsonw_bool(w, "truncated", t->truncated);
        if (t->lost)
            fore_jsonw_u64(w, "lost", t->lost);
        if (t->file && t->file[0])
            fore_jsonw_text(w, "file", t->file);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_sources(struct fore_jsonw *w, const struct fore_excerpts *x)
{
    fore_jsonw_open(w, "sources", '[');
    for (size_t i = 0; i < x->v.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "file", x->v.at[i].file);
        fore_jsonw_u64(w, "from", x->v.at[i].from);
        fore_jsonw_open(w, "lines", '[');
        for (size_t k = 0; k < x->v.at[i].n; k++)
            fore_jsonw_text(w, NULL, x->v.at[i].lines[k]);
        fore_jsonw_close(w, ']');
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

void fore_report_json(const struct fore_findings *f, const struct fore_report_options *o,
                      struct fore_strbuf *out)
{
    struct fore_jsonw w;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "schema", "foresee.findings/1");
    fore_jsonw_open(&w, "tool", '{');
    fore_jsonw_text(&w, "name", "foresee");
    fore_jsonw_text(&w, "version", FORE_VERSION);
    fore_jsonw_close(&w, '}');
    write_traces(&w, f);
    fore_completeness_save(&w, &f->completeness);
    fore_jsonw_open(&w, "findings", '[');
    for (size_t i = 0; i < f->list.n; i++)
        fore_finding_save(&w, NULL, f->list.at[i], o->drawn_only);
    fore_jsonw_close(&w, ']');
    if (f->excerpts.v.n)
        write_sources(&w, &f->excerpts);
    if (f->withheld)
        fore_jsonw_u64(&w, "withheld", f->withheld);
    fore_jsonw_open(&w, "stats", '{');
    for (size_t i = 0; i < f->stats.n; i++)
        fore_jsonw_raw(&w, f->stats.at[i].analysis, f->stats.at[i].json);
    fore_jsonw_close(&w, '}');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(out, '\n');
}
