#include "cli/cli.h"
#include "cli/verbs.h"

static int list(struct fore_cli *c, const struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        char id[17];
        fore_finding_id_text(x->id, id);
        fore_strbuf_printf(&out, "%.8s  %-9s  %-26s %s\n", id,
                           fore_verdict_name(x->verdict), x->rule->name, x->message);
    }
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static int show(struct fore_cli *c, struct fore_findings *f, struct fore_err *e)
{
    const char *id = c->words.v.at[0];
    const struct fore_finding *x = fore_findings_by_id(f, id);
    struct fore_strbuf out = FORE_STRBUF_INIT;
    if (!x) {
        fore_fail(e, FORE_USAGE,
                  "no finding, or more than one, begins with '%s' (foresee show "
                  "lists them)",
                  id);
        return FORE_EXIT_ERROR;
    }
    c->report.full |= c->verbose > 0;
    fore_report_finding(x, &c->report, &out);
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_findings f;
    fore_findings_init(&f);
    int status = FORE_EXIT_ERROR;
    if (fore_store_load(&f, e) == FORE_OK)
        status = c->words.v.n ? show(c, &f, e) : list(c, &f, e);
    fore_findings_release(&f);
    return status;
}

const struct fore_verb fore_verb_show = {
    .name = "show",
    .summary = "prints one finding of the last analysis whole, or lists them",
    .usage = "[ID]",
    .details = "ID is the finding's id or the beginning of it.",
    .examples = "foresee show\nforesee show 9f3a12c0 --full",
    .run = run,
};
