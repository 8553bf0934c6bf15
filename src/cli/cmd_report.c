#include "cli/cli.h"
#include "cli/convert_history.h"
#include "cli/verbs.h"

#include "base/child.h"
#include "base/path.h"
#include "finding/load.h"
#include "report/html.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"open", 0, NULL, "open the report in a browser"},
    {NULL, 0, NULL, NULL},
};

/* What the page will hold. */
struct contents {
    struct fore_findings findings;
    FORE_VEC(struct fore_trace *) traces;
};

static enum fore_status add_trace(struct fore_cli *c, struct contents *x,
                                  const char *path, struct fore_err *e)
{
    struct fore_trace *t = fore_calloc(1, sizeof *t);
    fore_trace_init(t, path);
    fore_vec_push(&x->traces, t);
    return fore_cli_load_whole(c, path, t, e);
}

/* Adds the traces that the findings come from, as far as they still exist. A name may also be
 * that of a program, whose trace is kept elsewhere, or of a history, which the finding has as a
 * picture. */
static void add_their_traces(struct fore_cli *c, struct contents *x)
{
    for (size_t i = 0; i < x->findings.traces.n; i++) {
        const struct fore_trace_summary *t = &x->findings.traces.at[i];
        const char *path = t->file && t->file[0] ? t->file : t->name;
        struct fore_err unread;
        if (access(path, R_OK) != 0 || fore_convert_is_history(path, ""))
            continue;
        if (add_trace(c, x, path, &unread) != FORE_OK) {
            struct fore_trace *half = x->traces.at[--x->traces.n];
            fore_trace_release(half);
            fore_free(half);
            continue;
        }
        free(fore_vec_last(&x->traces)->name);
        fore_vec_last(&x->traces)->name = fore_strdup(t->name);
    }
}

static enum fore_status add_findings(struct fore_cli *c, struct contents *x,
                                     const char *path, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    enum fore_status s = fore_strbuf_read_file(&text, path, e);
    if (s == FORE_OK)
        s = fore_findings_load(&x->findings, path, text.at, text.n, e);
    fore_strbuf_release(&text);
    if (s == FORE_OK)
        add_their_traces(c, x);
    return s;
}

static enum fore_status gather_contents(struct fore_cli *c, struct contents *x,
                                        struct fore_err *e)
{
    for (size_t i = 0; i < c->words.v.n; i++) {
        const char *path = c->words.v.at[i];
        if (fore_ends_with(path, ".json")) {
            FORE_TRY(add_findings(c, x, path, e));
            continue;
        }
        FORE_TRY(add_trace(c, x, path, e));
        FORE_TRY(fore_cli_analyse(c, fore_vec_last(&x->traces), &x->findings, e));
    }
    if (!c->words.v.n) {
        FORE_TRY(fore_store_load(&x->findings, e));
        add_their_traces(c, x);
    }
    fore_findings_seal(&x->findings);
    if (!fore_params_has(&c->params, "no-source"))
        fore_findings_read_excerpts(&x->findings);
    return FORE_OK;
}

static void open_browser(const struct fore_cli *c, const char *file)
{
    char *argv[] = {"xdg-open", (char *)(uintptr_t)file, NULL};
    struct fore_err unheard = {0};
    int status = 0;
    if (fore_child_run(&(struct fore_child_program){.argv = argv}, &status, &unheard) !=
            FORE_OK ||
        status != 0)
        fore_cli_say(c, "no browser could be started; open %s yourself", file);
}

static int run_report(struct fore_cli *c, struct fore_err *e)
{
    struct contents x = {0};
    struct fore_strbuf page = FORE_STRBUF_INIT;
    bool named = c->output != NULL;
    if (!named)
        c->output = "foresee.html";
    fore_findings_init(&x.findings);
    enum fore_status s = gather_contents(c, &x, e);
    if (s == FORE_OK)
        s = fore_report_html(&x.findings, (const struct fore_trace *const *)x.traces.at,
                             x.traces.n, NULL, &page, e);
    if (s == FORE_OK)
        s = fore_cli_write(c, &page, e);
    if (s == FORE_OK && !named)
        fore_cli_say(c, "wrote %s", c->output);
    if (s == FORE_OK && fore_params_has(&c->params, "open"))
        open_browser(c, c->output);
    fore_strbuf_release(&page);
    fore_findings_release(&x.findings);
    for (size_t i = 0; i < x.traces.n; i++) {
        fore_trace_release(x.traces.at[i]);
        fore_free(x.traces.at[i]);
    }
    fore_vec_release(&x.traces);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_report = {
    .name = "report",
    .summary = "writes the findings as a page: one self-contained HTML file",
    .usage = "[T... | FINDINGS.json...] [-o r.html] [--open]",
    .details = "Analyses the traces, or takes findings that were saved (by default those "
               "of the last\n"
               "analysis), and writes a page that needs no network: the findings, who "
               "did what when,\n"
               "the witness step by step, the source lines, and the pictures that belong "
               "to them.",
    .examples = "foresee report run.trace -o run.html\n"
                "foresee check run.fst; foresee report --open",
    .options = options,
    .with_analyses = true,
    .runs_objects = true,
    .ends_at_once = true,
    .run = run_report,
};
