#include "cli/confirm.h"
#include "cli/explore.h"
#include "cli/go_programs.h"
#include "cli/judge_history.h"
#include "cli/replay.h"
#include "cli/replay_forced.h"
#include "cli/verbs.h"
#include "explore/program/witness.h"

#include <string.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"confirm-time", 0, "S", "seconds that the run may take (default 10)"},
    {"gdb", 0, "[=NODE]",
     "run it in gdb, which stops before the last step (programs built with foresee cc; "
     "of nodes, one: --gdb=n2)"},
    {"dlv", 0, "[=NODE]", "the same in dlv (Go programs)"},
    {"schedule", 0, NULL, "only print the schedule that foresee would give the program"},
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
            out, "The program recorded nothing: only CSP programs and programs built "
                 "with 'foresee cc' or 'foresee go' can be run again on a witness.\n");
    else if (!r->steps)
        fore_strbuf_puts(
            out,
            "The program never read the schedule: only CSP programs and programs built "
            "with 'foresee cc' or 'foresee go' can be run again on a witness.\n");
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

/* For a finding of a trace for which no program was started: prints the witness itself. */
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
                          const struct fore_started *program, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s = forced ? fore_confirm_schedule(x, program, false, &out, e)
                                : fore_replay_schedule(x, &out, e);
    if (s == FORE_OK)
        s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

/* Finds the program that was kept with the finding, that the user names, or that was run last. A
 * Go command is built as it was explored. False: there is none, or `e` says what is wrong. */
static bool find_program(struct fore_cli *c, const struct fore_finding *x,
                         struct fore_arena *a, struct fore_started *out,
                         struct fore_err *e)
{
    *out = (struct fore_started){0};
    if (c->words.v.n > 1)
        out->argv = fore_launch_argv(a, &c->words, 1);
    else if (!fore_kept_recall(x->id, a, out))
        out->argv = fore_launch_recall(a);
    if (!out->argv)
        return false;
    if (fore_go_is_command(out->argv)) {
        fore_kept_clear();
        return fore_go_program(c, out->argv, NULL, a, out, e) == FORE_OK;
    }
    if (out->directory && access(out->argv[0], X_OK))
        fore_fail(e, FORE_IO, "%s is gone: run the analysis again%s%s", out->argv[0],
                  x->alone[0] ? ": " : "", x->alone);
    return e->status == FORE_OK;
}

static int replay_program(struct fore_cli *c, struct fore_findings *f,
                          struct fore_finding *x, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_started program;
    int status = FORE_EXIT_ERROR;
    bool found = find_program(c, x, &arena, &program, e);
    bool forced = (found && fore_host_of(program.argv[0])) ||
                  fore_witness_is_schedule(x->witness_trace);
    if (e->status != FORE_OK)
        ;
    else if (fore_params_has(&c->params, "schedule"))
        status = print_schedule(c, x, forced, &program, e);
    else if (!found)
        status = print_witness(c, x, e);
    else if (forced)
        status = fore_replay_forced(c, f, x, &program, e);
    else
        status = replay_finding(c, f, x, program.argv, e);
    fore_arena_release(&arena);
    return status;
}

static int run_replay(struct fore_cli *c, struct fore_err *e)
{
    struct fore_findings f;
    struct fore_finding *x = NULL;
    int status = FORE_EXIT_ERROR;
    fore_findings_init(&f);
    if (fore_store_load(&f, e) == FORE_OK)
        x = wanted_finding(c, &f, e);
    if (x && x->witness_of == FORE_WITNESS_OF_ACTORS)
        status = fore_explore_replay(c, "witness", x->witness_trace, e);
    else if (x && x->witness_of != FORE_WITNESS_OF_PROGRAM)
        status = fore_judge_history(c, x, e);
    else if (x)
        status = replay_program(c, &f, x, e);
    fore_findings_release(&f);
    return status;
}

const struct fore_verb fore_verb_replay = {
    .name = "replay",
    .summary = "makes a finding happen: runs the program again on its witness",
    .usage = "ID [-- CMD...]",
    .details = "Runs a program so that its operations happen in the order of the "
               "witness, and lets the\n"
               "rest run: CMD (which may be go test or go run), else the program that "
               "foresee kept with\n"
               "the finding, else that of the last 'foresee run'. If it ends as "
               "predicted, the finding\n"
               "becomes confirmed, and the exit status is 1. Without a program, prints "
               "the witness.\n"
               "A schedule of an explored actor system is run and told step by step; the "
               "witness of a\n"
               "history is judged again. For a property that a real program breaks, give "
               "--spec again.",
    .examples = "foresee replay 9f3a12c0\nforesee replay 9f3a12c0 -- ./prog arg\n"
                "foresee replay 9f3a12c0 --dlv   # stops before the last step",
    .options = options,
    .with_analyses = true,
    .runs_objects = true,
    .finds = true,
    .run = run_replay,
};
