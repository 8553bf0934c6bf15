#include "cli/confirm.h"
#include "cli/go_exec.h"
#include "cli/ignore.h"
#include "cli/launch.h"
#include "cli/live.h"
#include "cli/verbs.h"

#include <signal.h>

static const struct fore_option options[] = {
    FORE_CONFIRM_OPTIONS,
    FORE_LINGER_OPTION,
    FORE_ROOM_OPTIONS,
    {NULL, 0, NULL, NULL},
};

struct live_run {
    struct fore_cli *cli;
    char **argv;
    struct fore_rings rings;
    struct fore_confirm confirm;
};

static bool is_interrupted(const struct fore_cli *c)
{
    return c->budget.interrupted && *c->budget.interrupted;
}

/* A process of the run: its rings are read while it runs, by observers of its own. */
static struct fore_sink *observe_ring(void *ctx, struct fore_ring_reader *r,
                                      struct fore_tables **tables, struct fore_err *e)
{
    struct live_run *run = ctx;
    struct fore_live *l = fore_live_open(run->cli, run->argv[0], true, e);
    r->owner = l;
    if (l)
        fore_live_source(l, &r->merge);
    return l ? fore_live_sink(l, tables) : NULL;
}

/* Reports errors in the options, the specification or foresee.ignore before the program starts. */
static enum fore_status rehearse(struct live_run *run, struct fore_err *e)
{
    struct fore_findings none;
    fore_findings_init(&none);
    enum fore_status s = fore_ignore_apply(&none, e);
    fore_findings_release(&none);
    FORE_TRY(s);
    struct fore_live *l = fore_live_open(run->cli, run->argv[0], true, e);
    fore_live_free(l);
    if (!l)
        return e->status;
    return fore_go_watch(run->argv[0], fore_params_text(&run->cli->params, "spec", NULL),
                         e);
}

static enum fore_status watch_run(struct live_run *run, struct fore_launch *l,
                                  struct fore_err *e)
{
    struct fore_cli *c = run->cli;
    uint64_t events = 0, came = 1;
    while (!fore_launch_wait(l, came ? 1 : 20)) {
        fore_launch_pass_on(l, &c->budget);
        came = fore_rings_poll(&run->rings, l->folder);
        fore_progress_step(&c->progress, events += came, 0);
    }
    return fore_rings_finish(&run->rings, l->folder, e);
}

static enum fore_status summarise_run(struct live_run *run, struct fore_findings *f,
                                      struct fore_err *e)
{
    for (size_t i = 0; i < run->rings.v.n; i++) {
        struct fore_ring_reader *r = run->rings.v.at[i];
        const struct fore_ring_header *h = r->merge.file.header;
        if (h->state == FORE_RING_FULL)
            fore_findings_incomplete(
                f, "there was no room to record all of %s: %llu records were dropped%s",
                run->argv[0], (unsigned long long)h->dropped, fore_launch_advice(h));
        if (h->source == FORE_RING_C && h->sees & FORE_RING_SEES_DECLARED &&
            !(h->sees & FORE_RING_SEES_VALUES))
            fore_findings_incomplete(f, "accesses of %s to memory were not recorded",
                                     run->argv[0]);
        FORE_TRY(fore_live_finish(r->owner, f, e));
    }
    return FORE_OK;
}

/* Analyses the program for less than a second after an interrupt: a user who interrupts a
 * program that hangs wants to know why it does. */
static enum fore_status summarise_interrupted(struct live_run *run,
                                              struct fore_findings *f, struct fore_err *e)
{
    enum { MOST_NS = 700000000 };
    struct fore_budget *b = &run->cli->budget;
    struct fore_budget asked = *b;
    b->interrupted = NULL;
    b->spent = FORE_SPENT_NOTHING;
    b->deadline_ns = fore_now_ns() + MOST_NS;
    enum fore_status s = summarise_run(run, f, e);
    *b = asked;
    fore_findings_incomplete(f, "interrupted");
    return s;
}

/* Possible findings are forced, too; one that does not come true is reported only if possible
 * findings were asked for. */
static enum fore_status watch_and_confirm(struct live_run *run, struct fore_launch *l,
                                          struct fore_findings *f, struct fore_err *e)
{
    struct fore_params *p = &run->cli->params;
    size_t given = p->set.n;
    bool confirms = run->confirm.when != FORE_CONFIRM_NEVER;
    uint64_t began = fore_now_ns();
    if (confirms) {
        fore_params_set(p, "possible", "");
        fore_params_set(p, "conjectures", "");
    }
    enum fore_status s = watch_run(run, l, e);
    double took = (double)(fore_now_ns() - began) / 1e9;
    if (s == FORE_OK && !run->rings.v.n)
        fore_launch_untraced(run->cli, run->argv[0]);
    if (s == FORE_OK)
        s = is_interrupted(run->cli) ? summarise_interrupted(run, f, e)
                                     : summarise_run(run, f, e);
    if (s == FORE_OK && !run->rings.v.n) /* nothing was watched, so nothing is known */
        fore_findings_incomplete(f, "%s recorded nothing", run->argv[0]);
    p->set.n = given;
    /* a part of a run has no beginning from which to run it again */
    for (size_t i = 0; i < run->rings.v.n; i++)
        confirms = confirms && !fore_live_in_parts(run->rings.v.at[i]->owner);
    if (s == FORE_OK && confirms && !is_interrupted(run->cli))
        s = fore_confirm_findings(run->cli, f, &(struct fore_started){.argv = run->argv},
                                  &run->confirm, took, e);
    fore_confirm_drop_conjectures(f);
    return s;
}

static void run_release(struct live_run *run)
{
    for (size_t i = 0; i < run->rings.v.n; i++)
        fore_live_free(run->rings.v.at[i]->owner);
    fore_rings_release(&run->rings);
}

static int run_run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_launch l = {0};
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "run needs a command: foresee run -- ./prog");
        return FORE_EXIT_ERROR;
    }
    if (fore_cli_beside(c, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    char **argv = fore_launch_argv(&arena, &c->words, 0);
    struct fore_launch_how how = {.argv = argv,
                                  .seed = fore_params_text(&c->params, "seed", NULL),
                                  .linger = fore_params_text(&c->params, "linger", NULL),
                                  .scratch = c->scratch};
    struct live_run r = {.cli = c, .argv = argv, .rings = {.attach = observe_ring}};
    r.rings.ctx = &r;
    fore_findings_init(&f);
    fore_progress_start(&c->progress, c->progress_mode, "recording");
    enum fore_status s = fore_confirm_read(c, &r.confirm, e);
    if (s == FORE_OK)
        s = rehearse(&r, e);
    if (s == FORE_OK)
        s = fore_launch_room(&c->params, true, &how, e);
    if (s == FORE_OK)
        s = fore_launch_start(&l, &how, e);
    if (s == FORE_OK)
        s = watch_and_confirm(&r, &l, &f, e);
    if (s == FORE_OK && !fore_params_has(&c->params, "no-save"))
        fore_launch_remember(argv);
    if (s == FORE_OK)
        status = fore_cli_finish(c, &f, e);
    if (s == FORE_OK && l.status && !is_interrupted(c))
        status = l.status;
    fore_launch_release(&l);
    run_release(&r);
    fore_findings_release(&f);
    fore_arena_release(&arena);
    return status;
}

const struct fore_verb fore_verb_run = {
    .name = "run",
    .summary = "runs a program, watches it and reports what could have happened",
    .usage = "[--spec F] [--confirm[=WHEN]] -- CMD...",
    .details =
        "Runs CMD, which must be built with 'foresee cc', linked with libforesee-csp or, "
        "for the\n"
        "variables of --spec, built with 'foresee go --spec F build' (or test -c); "
        "reads\n"
        "what it records while it runs, and reports when it has ended. foresee reports "
        "a\n"
        "violation of --spec at once, and runs the command of --on-finding; with --only\n"
        "property-violation it keeps nothing else, so that its memory does not grow with "
        "the run\n"
        "(within --window).\n"
        "To confirm what it predicted, foresee runs the program again on the witness\n"
        "(--confirm; a CSP program only when asked): without output, with the same input "
        "if\n"
        "that is a file, and with FORESEE_FORCED=1. If that run was controlled "
        "throughout and\n"
        "still did something else, foresee withdraws the prediction. --seed fixes the "
        "schedule of\n"
        "a CSP program.\n"
        "The exit status is CMD's if that is not 0, else as for check; 3 if CMD "
        "recorded\n"
        "nothing.",
    .examples = "foresee run -- ./prog arg\n"
                "foresee run --spec safe.spec --on-finding ./recover -- ./prog\n"
                "foresee run --seed 7 --confirm -- ./newsreader",
    .options = options,
    .rest = FORE_REST_FIRST,
    .with_analyses = true,
    .runs_objects = true,
    .run = run_run,
};
