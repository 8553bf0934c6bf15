#include "cli/cli.h"
#include "cli/live.h"
#include "cli/ranks.h"
#include "cli/verbs.h"

#include "machine/witness.h"
#include "trace/format.h"

static const struct fore_option options[] = {
    {"verify", 0, "W",
     "check that W is a run of the operations in the trace T, and that it ends as W "
     "says (exit status 3: not all states in which it may end were looked at)"},
    FORE_RANKS_OPTION,
    {NULL, 0, NULL, NULL},
};

static enum fore_status check_one(struct fore_cli *c, const char *path,
                                  struct fore_findings *f, struct fore_err *e)
{
    struct fore_trace t;
    if (fore_cli_is_live(path))
        return fore_cli_analyse_live(c, path, f, e);
    fore_trace_init(&t, path);
    enum fore_status s = fore_cli_load(c, path, &t, e);
    if (s == FORE_OK)
        s = fore_cli_analyse(c, &t, f, e);
    fore_trace_release(&t);
    return s;
}

/* Does --verify: prints the verdict on the witness. A witness that is no run is an error in the
 * witness. */
static int verify_file(struct fore_cli *c, const char *path, struct fore_err *e)
{
    struct fore_trace w, t;
    struct fore_strbuf out = FORE_STRBUF_INIT;
    if (c->words.v.n != 1) {
        fore_fail(e, FORE_USAGE,
                  "--verify needs one trace: foresee check --verify W.trace T");
        return FORE_EXIT_ERROR;
    }
    fore_trace_init(&w, path);
    fore_trace_init(&t, c->words.v.at[0]);
    enum fore_status s = fore_trace_load(path, &w, e);
    if (s == FORE_OK)
        s = fore_trace_load(t.name, &t, e);
    if (s == FORE_OK)
        s = fore_witness_check(&w, &t, e);
    bool whole = s == FORE_OK;
    if (whole)
        fore_strbuf_printf(&out, "%s: a run of %s\n", w.name, t.name);
    else if (s == FORE_SPENT)
        fore_strbuf_printf(&out, "%s: a run of %s; not verified to its end: %s\n", w.name,
                           t.name, e->msg);
    if (out.n) {
        *e = (struct fore_err){0};
        s = fore_cli_write(c, &out, e);
    }
    fore_strbuf_release(&out);
    fore_trace_release(&w);
    fore_trace_release(&t);
    return s != FORE_OK ? FORE_EXIT_ERROR : whole ? FORE_EXIT_OK : FORE_EXIT_INCOMPLETE;
}

/* The caller prints the last error; earlier ones are printed here. */
static void fail_check(const struct fore_cli *c, struct fore_err *last,
                       const struct fore_err *new)
{
    char text[2048];
    if (last->status != FORE_OK) {
        fore_err_format(last, text, sizeof text);
        fore_cli_say(c, "%s", text);
    }
    *last = *new;
}

/* Checks the traces of this rank. */
static void check_own(struct fore_cli *c, struct fore_ranks *r, struct fore_parcel *all)
{
    for (size_t i = 0; i < c->words.v.n; i++) {
        struct fore_parcel *p = &all[i];
        const char *path = c->words.v.at[i];
        if (!fore_ranks_mine(r, path, i))
            continue;
        (void)!check_one(c, path, &p->found, &p->err);
        if (r->rank)
            fore_ranks_send(r, p, NULL);
    }
}

static enum fore_status gather_others(const struct fore_cli *c, struct fore_ranks *r,
                                      struct fore_parcel *all, struct fore_err *e)
{
    for (size_t i = 0; i < c->words.v.n; i++) {
        struct fore_parcel p;
        if (fore_ranks_mine(r, c->words.v.at[i], i))
            continue;
        enum fore_status s = fore_ranks_receive(r, &p, e);
        if (s != FORE_OK || p.file >= c->words.v.n) {
            fore_findings_release(&p.found);
            return s;
        }
        fore_findings_release(&all[p.file].found);
        all[p.file] = p;
    }
    return FORE_OK;
}

/* Reports in the order of the command line; a bad trace does not hide the others. */
static int report_traces(struct fore_cli *c, struct fore_parcel *all, struct fore_err *e)
{
    struct fore_findings f;
    struct fore_err failed = {0};
    int status = FORE_EXIT_ERROR;
    size_t good = 0;
    fore_findings_init(&f);
    for (size_t i = 0; i < c->words.v.n; i++) {
        struct fore_findings *one = &all[i].found;
        for (size_t k = 0; k < one->traces.n; k++)
            fore_vec_push(&f.traces, one->traces.at[k]);
        fore_findings_join(&f, one);
        if (all[i].err.status == FORE_OK)
            good++;
        else
            fail_check(c, &failed, &all[i].err);
    }
    if (good)
        status = fore_cli_finish(c, &f, e);
    if (failed.status != FORE_OK) {
        *e = failed;
        status = FORE_EXIT_ERROR;
    }
    fore_findings_release(&f);
    return status;
}

static int check_together(struct fore_cli *c, struct fore_ranks *r, struct fore_err *e)
{
    struct fore_parcel *all = fore_calloc(c->words.v.n, sizeof *all);
    int status = FORE_EXIT_OK;
    c->report.name_trace = c->words.v.n > 1;
    for (size_t i = 0; i < c->words.v.n; i++) {
        fore_findings_init(&all[i].found);
        all[i].file = i;
    }
    check_own(c, r, all);
    if (!r->rank && gather_others(c, r, all, e) != FORE_OK)
        status = FORE_EXIT_ERROR;
    else if (!r->rank)
        status = report_traces(c, all, e);
    for (size_t i = 0; i < c->words.v.n; i++)
        fore_findings_release(&all[i].found);
    fore_free(all);
    return status;
}

static int run_check(struct fore_cli *c, struct fore_err *e)
{
    struct fore_ranks ranks;
    const char *witness = fore_params_text(&c->params, "verify", NULL);
    if (witness)
        return verify_file(c, witness, e);
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "check needs a trace: foresee check run.trace");
        return FORE_EXIT_ERROR;
    }
    if (fore_ranks_join(c, &ranks, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    int status = check_together(c, &ranks, e);
    fore_ranks_leave(&ranks);
    return status;
}

const struct fore_verb fore_verb_check = {
    .name = "check",
    .summary = "analyses recorded or hand-written traces",
    .usage = "T... [--spec F] [--only RULE,...] [--model M]",
    .details =
        "Reads each trace (.trace, .fst, .fsr, .std), keeps the order of causes, and "
        "looks "
        "for\n"
        "other runs that the same causes allow. Every prediction has a witness, a run "
        "that "
        "was\n"
        "checked step by step. foresee analyses a pipe, or standard input (-), while "
        "another\n"
        "program writes it, and reports a violation of --spec at once. Processes that "
        "mpirun\n"
        "has started share the traces.",
    .examples = "foresee check run.trace\n"
                "foresee check run.trace --spec safe.spec --window 64\n"
                "./prog | foresee check - --spec safe.spec --on-finding ./recover\n"
                "foresee check --json run.fst > findings.json\n"
                "foresee check --only lock-cycle,blocked-forever *.trace\n"
                "mpirun -n 8 foresee check *.fst\n"
                "foresee check --verify .foresee/9f3a12c0d4e5f607.trace run.trace",
    .options = options,
    .with_analyses = true,
    .runs_objects = true,
    .run = run_check,
};
