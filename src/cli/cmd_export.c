#include "cli/cli.h"
#include "cli/verbs.h"

#include "report/export.h"
#include "trace/format.h"

#include <string.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"to", 0, "FORMAT", "dot, svg, csv, perfetto or shiviz"},
    {"graph", 0, "NAME", "for dot and svg: which graph (dependencies, lattice)"},
    {NULL, 0, NULL, NULL},
};

/* Runs only the analysis that draws the graph. */
static enum fore_status draw_trace(struct fore_cli *c, struct fore_trace *t,
                                   struct fore_findings *f, struct fore_err *e)
{
    struct fore_analysis_ctx ctx = fore_cli_context(c, f);
    ctx.graph = fore_params_text(&c->params, "graph",
                                 fore_params_has(&c->params, "spec") ? "lattice"
                                                                     : "dependencies");
    for (size_t i = 0; fore_analyses[i]; i++) {
        const struct fore_analysis *a = fore_analyses[i];
        if (!a->graph || strcmp(a->graph, ctx.graph) != 0)
            continue;
        if (a->applies && !a->applies(t, &c->params))
            return fore_fail(e, FORE_USAGE,
                             "%s: nothing to draw as '%s': dependencies need channels, a "
                             "lattice needs --spec",
                             t->name, ctx.graph);
        return a->run(t, &ctx, e);
    }
    return fore_fail(e, FORE_USAGE,
                     "there is no graph '%s'; --graph takes dependencies or lattice",
                     ctx.graph);
}

static enum fore_status write_out(struct fore_cli *c, const struct fore_exporter *x,
                                  struct fore_trace *t, struct fore_findings *f,
                                  struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s = x->graph ? draw_trace(c, t, f, e) : fore_cli_analyse(c, t, f, e);
    if (s == FORE_OK && x->graph && !f->graph.nodes.n)
        s = fore_fail(e, FORE_MEANING, "%s: too large to be drawn, or nothing in it",
                      t->name);
    if (s == FORE_OK) {
        fore_findings_seal(f);
        if (x->graph)
            x->graph(&f->graph, &out);
        else
            x->trace(t, f, &out);
        s = fore_cli_write(c, &out, e);
    }
    fore_strbuf_release(&out);
    return s;
}

/* The picture of a finding of the last analysis. */
static int export_finding(struct fore_cli *c, const struct fore_exporter *x,
                          const struct fore_finding *y, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s = FORE_OK;
    if (y->graph.nodes.n)
        x->graph(&y->graph, &out);
    else
        s = fore_fail(e, FORE_MEANING, "the finding has no graph");
    if (s == FORE_OK)
        s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

/* The finding that the word names, or NULL: a file of that name comes first. */
static const struct fore_finding *find_finding(const char *word,
                                               struct fore_findings *last)
{
    struct fore_err none = {0};
    if (access(word, F_OK) == 0 || fore_store_load(last, &none) != FORE_OK)
        return NULL;
    return fore_findings_by_id(last, word);
}

static int run_export(struct fore_cli *c, struct fore_err *e)
{
    const char *to = fore_params_text(&c->params, "to", "");
    const struct fore_exporter *x = fore_exporter_named(to);
    struct fore_trace t;
    struct fore_findings f;
    if (!x || c->words.v.n != 1) {
        if (*to && !x)
            fore_fail(e, FORE_USAGE,
                      "--to takes dot, svg, csv, perfetto or shiviz, not '%s'", to);
        else
            fore_fail(e, FORE_USAGE,
                      "export needs one trace and --to dot, svg, csv, perfetto or "
                      "shiviz");
        return FORE_EXIT_ERROR;
    }
    fore_findings_init(&f);
    const struct fore_finding *y = x->graph ? find_finding(c->words.v.at[0], &f) : NULL;
    int status = y ? export_finding(c, x, y, e) : FORE_EXIT_ERROR;
    fore_findings_release(&f);
    if (y)
        return status;
    fore_trace_init(&t, c->words.v.at[0]);
    fore_findings_init(&f);
    enum fore_status s = fore_cli_load_whole(c, t.name, &t, e);
    if (s == FORE_OK)
        s = write_out(c, x, &t, &f, e);
    fore_findings_release(&f);
    fore_trace_release(&t);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_export = {
    .name = "export",
    .summary = "writes a trace or a graph for other tools",
    .usage = "T|ID --to dot|svg|csv|perfetto|shiviz [--graph NAME]",
    .details = "csv, perfetto and shiviz get every event; dot and svg show how the "
               "communications on\n"
               "channels depend on each other or, with --spec, the lattice of states. If "
               "ID is a\n"
               "finding of the last analysis, they show its own picture.",
    .examples = "foresee export run.trace --to svg -o run.svg\n"
                "foresee export run.trace --spec safe.spec --to svg -o lattice.svg\n"
                "foresee export 9f3a12c0 --to svg -o messages.svg\n"
                "foresee export run.fst --to perfetto -o run.json    # open in Perfetto",
    .options = options,
    .with_analyses = true,
    .ends_at_once = true,
    .run = run_export,
};
