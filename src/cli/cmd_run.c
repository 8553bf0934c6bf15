#include "cli/launch.h"
#include "cli/replay.h"
#include "cli/verbs.h"

#include <signal.h>

static const struct fore_option options[] = {
    {"confirm", 0, NULL,
     "run the program again on the witnesses, to confirm predictions"},
    {"confirm-time", 0, "S", "seconds that one such run may take (default 10)"},
    {NULL, 0, NULL, NULL},
};

static bool interrupted(const struct fore_cli *c)
{
    return c->budget.interrupted && *c->budget.interrupted;
}

/* The rings are read while the program runs. */
static enum fore_status watch(struct fore_cli *c, struct fore_launch *l,
                              struct fore_rings *rings, struct fore_err *e)
{
    unsigned since = 0; /* polls since the interrupt, which a terminal also sends to l */
    while (!fore_launch_wait(l, 20)) {
        if (interrupted(c) && ++since == 5)
            kill(l->pid, SIGINT);
        else if (since == 50)
            fore_launch_kill(l);
        fore_rings_poll(rings, l->folder);
        fore_progress_step(&c->progress, rings->v.n ? rings->v.at[0]->trace.events.n : 0,
                           0);
    }
    return fore_rings_finish(rings, l->folder, e);
}

static enum fore_status confirm(struct fore_cli *c, struct fore_findings *f,
                                char *const *argv, struct fore_err *e)
{
    double seconds;
    FORE_TRY(fore_params_double(&c->params, "confirm-time", 10, &seconds, e));
    fore_findings_seal(f);
    for (size_t i = 0; i < f->list.n && !interrupted(c); i++) {
        struct fore_finding *x = f->list.at[i];
        struct fore_cli_replay r;
        if (x->verdict > FORE_VERDICT_PREDICTED || !x->witness_trace[0])
            continue;
        FORE_TRY(fore_replay_finding(f, x, argv, true, seconds, &r, e));
        bool can = r.recorded && r.steps;
        fore_cli_replay_release(&r);
        if (!can) {
            fore_cli_say(c, "only CSP programs can be run again on a witness");
            return FORE_OK;
        }
    }
    return FORE_OK;
}

static enum fore_status analyse(struct fore_cli *c, struct fore_rings *rings,
                                char *const *argv, struct fore_findings *f,
                                struct fore_err *e)
{
    for (size_t i = 0; i < rings->v.n; i++) {
        struct fore_trace *t = &rings->v.at[i]->trace;
        fore_free(t->name);
        t->name = fore_strdup(argv[0]);
        if (rings->v.at[i]->full)
            fore_findings_incomplete(f, "only the first %zu events of %s were kept",
                                     t->events.n, argv[0]);
        if (rings->v.at[i]->merge.file.header->state == FORE_RING_FULL)
            fore_findings_incomplete(f, "there was no room to record all of %s", argv[0]);
        FORE_TRY(fore_cli_analyse(c, t, f, e));
    }
    return FORE_OK;
}

/* To be confirmed is also what is only possible; if it does not come true, it is not reported
 * unless it was asked for. */
static enum fore_status analyse_and_confirm(struct fore_cli *c, struct fore_rings *rings,
                                            char *const *argv, struct fore_findings *f,
                                            struct fore_err *e)
{
    size_t given = c->params.set.n;
    if (!fore_params_has(&c->params, "confirm"))
        return analyse(c, rings, argv, f, e);
    fore_params_set(&c->params, "possible", "");
    enum fore_status s = analyse(c, rings, argv, f, e);
    if (s == FORE_OK)
        s = confirm(c, f, argv, e);
    c->params.set.n = given;
    return s;
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_launch l;
    struct fore_rings rings = {0};
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "run needs a command: foresee run -- ./prog");
        return FORE_EXIT_ERROR;
    }
    char **argv = fore_launch_argv(&arena, &c->words, 0);
    struct fore_launch_how how = {argv, fore_params_text(&c->params, "seed", NULL), NULL,
                                  false};
    rings.most = c->budget.max_bytes / (2 * sizeof(struct fore_event));
    fore_findings_init(&f);
    fore_progress_start(&c->progress, c->progress_mode, "recording");
    enum fore_status s = fore_launch_start(&l, &how, e);
    if (s == FORE_OK)
        s = watch(c, &l, &rings, e);
    if (s == FORE_OK && !rings.v.n)
        fore_launch_untraced(c, argv[0]);
    if (s == FORE_OK)
        s = analyse_and_confirm(c, &rings, argv, &f, e);
    if (s == FORE_OK && !fore_params_has(&c->params, "no-save"))
        fore_launch_remember(argv);
    if (s == FORE_OK)
        status = fore_cli_finish(c, &f, e);
    if (s == FORE_OK && l.status && status != FORE_EXIT_INTERRUPTED)
        status = l.status;
    fore_launch_release(&l);
    fore_rings_release(&rings);
    fore_findings_release(&f);
    fore_arena_release(&arena);
    return status;
}

const struct fore_verb fore_verb_run = {
    .name = "run",
    .summary = "runs a program, watches it and reports what could have happened",
    .usage = "[--spec F] [--confirm] -- CMD...",
    .details = "Runs CMD, which must be linked with libforesee-csp or built with "
               "'foresee cc', reads\n"
               "what it records while it runs, and reports at the end. --confirm runs a "
               "CSP program\n"
               "again on the schedule of each witness: a prediction that comes true is "
               "reported as\n"
               "confirmed. --seed fixes the schedule of a CSP program. The exit status "
               "is CMD's if\n"
               "that is not 0, else as for check.",
    .examples = "foresee run -- ./prog arg\n"
                "foresee run --seed 7 --confirm -- ./newsreader",
    .options = options,
    .rest = FORE_REST_FIRST,
    .with_analyses = true,
    .run = run,
};
