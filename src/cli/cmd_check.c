#include "cli/cli.h"
#include "cli/live.h"
#include "cli/verbs.h"

#include "trace/format.h"

static enum fore_status check_one(struct fore_cli *c, const char *path,
                                  struct fore_findings *f, struct fore_err *e)
{
    struct fore_trace t;
    if (fore_cli_is_live(path))
        return fore_cli_analyse_live(c, path, f, e);
    fore_trace_init(&t, path);
    enum fore_status s = fore_trace_load(path, &t, e);
    if (s == FORE_OK)
        s = fore_cli_analyse(c, &t, f, e);
    fore_trace_release(&t);
    return s;
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "check needs a trace: foresee check run.trace");
        return FORE_EXIT_ERROR;
    }
    fore_findings_init(&f);
    enum fore_status s = FORE_OK;
    for (size_t i = 0; s == FORE_OK && i < c->words.v.n; i++)
        s = check_one(c, c->words.v.at[i], &f, e);
    if (s == FORE_OK)
        status = fore_cli_finish(c, &f, e);
    fore_findings_release(&f);
    return status;
}

const struct fore_verb fore_verb_check = {
    .name = "check",
    .summary = "analyses recorded or hand-written traces",
    .usage = "T... [--spec F] [--only RULE,...] [--model M]",
    .details = "Reads each trace (.trace, .fst, .fsr, .std), keeps what is causal in it and looks\n"
               "for other runs that the same causes allow. Every prediction has a witness run\n"
               "that was checked step by step. A pipe, or - for standard input, is analysed while\n"
               "it is written: what --spec finds is said at once.",
    .examples = "foresee check run.trace\n"
                "foresee check run.trace --spec safe.spec --window 64\n"
                "./prog | foresee check - --spec safe.spec --on-finding ./recover\n"
                "foresee check --json run.fst > findings.json\n"
                "foresee check --only lock-cycle,blocked-forever *.trace",
    .with_analyses = true,
    .run = run,
};
