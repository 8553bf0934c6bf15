#include "cli/cli.h"
#include "cli/verbs.h"

#include <string.h>

static void list_findings(const struct fore_findings *f, struct fore_strbuf *out)
{
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        char id[17];
        fore_finding_id_text(x->id, id);
        fore_strbuf_printf(out, "%.8s  %-9s  %-26s ", id, fore_verdict_name(x->verdict),
                           x->rule->name);
        for (const char *s = x->message; *s;)
            s += fore_strbuf_seen(out, s, strlen(s));
        fore_strbuf_putc(out, '\n');
    }
}

static void keep_one(struct fore_findings *f, const struct fore_finding *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->list.n; i++)
        if (f->list.at[i] == x)
            f->list.at[kept++] = f->list.at[i];
        else
            fore_finding_release(f->list.at[i]);
    f->list.n = kept;
}

static int show_findings(struct fore_cli *c, struct fore_findings *f, struct fore_err *e)
{
    const struct fore_finding *x = NULL;
    struct fore_strbuf out = FORE_STRBUF_INIT;
    if (c->words.v.n > 1) {
        fore_fail(e, FORE_USAGE, "show takes one finding: foresee show %s",
                  c->words.v.at[0]);
        return FORE_EXIT_ERROR;
    }
    if (c->words.v.n && !(x = fore_store_find(f, c->words.v.at[0], e)))
        return FORE_EXIT_ERROR;
    c->report.full |= c->verbose > 0;
    c->report.most_steps = 0;
    c->report.name_trace = f->traces.n > 1;
    if (x)
        keep_one(f, x);
    if (strcmp(c->reporter->name, "text") != 0)
        c->reporter->write(f, &c->report, &out);
    else if (x)
        fore_report_finding(x, &c->report, &out);
    else if (f->list.n)
        list_findings(f, &out);
    else
        fore_strbuf_puts(&out, "The last analysis found nothing.\n");
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static int run_show(struct fore_cli *c, struct fore_err *e)
{
    struct fore_findings f;
    fore_findings_init(&f);
    int status = FORE_EXIT_ERROR;
    if (fore_store_load(&f, e) == FORE_OK)
        status = show_findings(c, &f, e);
    fore_findings_release(&f);
    return status;
}

const struct fore_verb fore_verb_show = {
    .name = "show",
    .summary = "prints a finding of the last analysis in full, or lists all",
    .usage = "[ID]",
    .details = "ID is the finding's id or the beginning of it.",
    .examples = "foresee show\nforesee show 9f3a12c0 --full\n"
                "foresee show 9f3a12c0 --json",
    .finds = true,
    .ends_at_once = true,
    .run = run_show,
};
