#include "cli/confirm.h"
#include "cli/explore.h"
#include "cli/judge_history.h"
#include "cli/replay.h"
#include "cli/replay_forced.h"
#include "cli/verbs.h"
#include "explore/program/witness.h"

#include <string.h>

static const struct fore_option options[] = {
    {"object", 0, "M", "what a history is of, if it is a shared object"},
    {"confirm-time", 0, "S", "seconds that the run may take (default 10)"},
    {"gdb", 0, NULL,
     "run it in gdb, which stops before the last step (programs of foresee cc)"},
    {"schedule", 0, NULL, "only print the schedule that the program would be given"},
    {NULL, 0, NULL, NULL},
};

static struct fore_finding *wanted_finding(struct fore_cli *c, struct fore_findings *f,
                                           struct fore_err *e)
{
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "replay needs a finding: foresee replay 9f3a12c0");
        return NULL;
    }
    struct fore_finding *x = fore_store_find(f, c->words.v.at[0], e);
    if (x && !x->witness_trace[0]) {
        fore_fail(e, FORE_USAGE, "this finding has no witness to replay");
        return NULL;
    }
    return x;
}

static void say_outcome(const struct fore_cli_replay *r, struct fore_strbuf *out)
{
    if (!r->recorded)
        fore_strbuf_puts(
            out, "The program recorded nothing: only programs of 'foresee cc' and "
                 "CSP programs can be run again on a witness.\n");
    else if (!r->steps)
        fore_strbuf_puts(
            out, "The program did not take the schedule: only programs of "
                 "'foresee cc' and CSP programs can be run again on a witness.\n");
    else if (r->done < r->steps)
        fore_strbuf_printf(
            out,
            "The program departed from the witness after %u of %u steps; the "
            "prediction stays a prediction.\n",
            r->done, r->steps);
    else
        fore_strbuf_printf(
            out, "The program followed all %u steps of the witness%s.\n", r->steps,
            r->confirmed ? ": confirmed" : ", but did not do what was predicted");
    if (r->seed)
        fore_strbuf_printf(out, "What came after the witness ran under seed %u.\n",
                           r->seed);
    if (r->timed_out)
        fore_strbuf_puts(out, "It did not end in time and was stopped.\n");
    for (const char *at = r->outcome.at; *at;) {
        size_t n = strcspn(at, "\n");
        fore_strbuf_printf(out, "  %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static int replay_finding(struct fore_cli *c, struct fore_findings *f,
                          struct fore_finding *x, char **argv, struct fore_err *e)
{
    struct fore_cli_replay r = {.outcome = FORE_STRBUF_INIT};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    double seconds;
    if (fore_params_double(&c->params, "confirm-time", 10, &seconds, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    enum fore_status s = fore_replay_finding(f, x, argv, c->quiet, seconds, &r, e);
    if (s == FORE_OK) {
        say_outcome(&r, &out);
        s = fore_cli_write_lines(c, &out, e);
    }
    if (s == FORE_OK && r.confirmed)
        s = fore_store_save(f, e);
    int status = s != FORE_OK  ? FORE_EXIT_ERROR
                 : r.confirmed ? FORE_EXIT_FINDINGS
                               : FORE_EXIT_OK;
    fore_strbuf_release(&out);
    fore_cli_replay_release(&r);
    return status;
}

/* A finding of a trace that no program was started for: the witness itself is all there is. */
static int print_witness(struct fore_cli *c, const struct fore_finding *x,
                         struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    fore_strbuf_puts(&out, x->witness_trace);
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    fore_cli_say(c,
                 "this is the witness; to run a program on it: foresee replay %s -- CMD",
                 c->words.v.at[0]);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static int print_schedule(struct fore_cli *c, const struct fore_finding *x, bool forced,
                          struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s =
        forced ? fore_confirm_schedule(x, &out, e) : fore_replay_schedule(x, &out, e);
    if (s == FORE_OK)
        s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static int run_replay(struct fore_cli *c, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_findings f;
    struct fore_finding *x = NULL;
    int status = FORE_EXIT_ERROR;
    fore_findings_init(&f);
    if (fore_store_load(&f, e) == FORE_OK)
        x = wanted_finding(c, &f, e);
    char **argv = c->words.v.n > 1 ? fore_launch_argv(&arena, &c->words, 1)
                                   : fore_launch_recall(&arena);
    bool forced = x && ((argv && fore_rerun_is_ours(argv[0])) ||
                        fore_witness_is_schedule(x->witness_trace));
    if (x && fore_explore_is_witness(x->witness_trace))
        status = fore_explore_replay(c, "witness", x->witness_trace, e);
    else if (x && !fore_witness_is_schedule(x->witness_trace) &&
             strcmp(x->rule->name, "not-linearizable") == 0)
        status = fore_judge_history(c, x->witness_trace, e);
    else if (x && fore_params_has(&c->params, "schedule"))
        status = print_schedule(c, x, forced, e);
    else if (x && !argv)
        status = print_witness(c, x, e);
    else if (x && forced)
        status = fore_replay_forced(c, &f, x, argv, e);
    else if (x)
        status = replay_finding(c, &f, x, argv, e);
    fore_findings_release(&f);
    fore_arena_release(&arena);
    return status;
}

const struct fore_verb fore_verb_replay = {
    .name = "replay",
    .summary = "runs the program again on the schedule of a finding's witness",
    .usage = "ID [-- CMD...]",
    .details =
        "Runs the program of the last 'foresee run' (or CMD) so that its "
        "operations happen in\n"
        "the order of the witness, and lets the rest run. If it ends as "
        "predicted, the finding\n"
        "becomes confirmed, and the status is 1. Without a program the witness is "
        "printed.\n"
        "A schedule of an explored actor system is run and told step by step; the "
        "witness of\n"
        "a history is judged again. A property that a real program breaks is looked "
        "at\n"
        "again only with its --spec.",
    .examples = "foresee replay 9f3a12c0\nforesee replay 9f3a12c0 -- ./prog arg",
    .options = options,
    .with_analyses = true,
    .runs_objects = true,
    .finds = true,
    .run = run_replay,
};
