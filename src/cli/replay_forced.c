/* Replays a finding in a program of `foresee cc`: on the schedule of its witness, or of the run in
 * which `foresee explore` found it; also under a debugger. */
#include "cli/replay_forced.h"

#include "cli/confirm.h"
#include "explore/program/failure.h"
#include "explore/program/witness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void say_lines(const char *text, struct fore_strbuf *out)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        fore_strbuf_printf(out, "  %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static int write_and_end(struct fore_cli *c, struct fore_strbuf *out, bool did,
                         struct fore_err *e)
{
    enum fore_status s = fore_cli_write_lines(c, out, e);
    fore_strbuf_release(out);
    return s != FORE_OK ? FORE_EXIT_ERROR : did ? FORE_EXIT_FINDINGS : FORE_EXIT_OK;
}

/* ---- a failure that was explored ---- */

/* A race is no failure of its own: the two stood at their accesses at once, whatever came of it. */
static void find_failure(const struct fore_rerun *p, const struct fore_finding *x,
                         struct fore_failure *out)
{
    const struct fore_outcome *o = p->outcome;
    fore_failure_of(p, out);
    if (strcmp(x->rule->name, "data-race") != 0)
        return;
    for (uint32_t i = 0; i < o->races && i < FORE_OUTCOME_RACES; i++) {
        struct fore_failure race = FORE_FAILURE_INIT;
        fore_failure_of_race(o, &o->race[i], &race);
        if (strcmp(race.message.at, x->message) != 0) {
            fore_failure_release(&race);
            continue;
        }
        fore_failure_release(out);
        *out = race;
        return;
    }
}

static int replay_failure(struct fore_cli *c, const struct fore_finding *x,
                          char *const *argv, const struct fore_confirm *how,
                          struct fore_err *e)
{
    struct fore_rerun_how start = {.argv = argv,
                                   .input = how->input,
                                   .seconds = how->seconds,
                                   .cpu = -1,
                                   .alone = true};
    struct fore_rerun p = {0};
    struct fore_failure failure = FORE_FAILURE_INIT;
    struct fore_strbuf out = FORE_STRBUF_INIT, said = FORE_STRBUF_INIT;
    enum fore_status s = fore_rerun_open(&p, &start, e);
    if (s == FORE_OK)
        s = fore_rerun_run(&p, x->witness_trace, c->budget.interrupted, e);
    bool did = false;
    if (s == FORE_OK) {
        find_failure(&p, x, &failure);
        fore_rerun_output(&p, &said);
        if (!c->quiet)
            say_lines(said.at, &out);
        did = failure.rule && !strcmp(failure.rule, x->rule->name);
        if (!failure.rule) /* nothing that the program shows by itself */
            s = fore_confirm_observed(c, x, &p, &did, e);
        fore_strbuf_printf(&out, "The program followed %u of %u steps: %s.\n",
                           p.outcome->done, p.outcome->steps,
                           did            ? "it failed again"
                           : failure.rule ? "it failed in another way"
                                          : "it did not fail");
        if (p.outcome->deviated)
            fore_strbuf_printf(&out, "It departed from the schedule: %s.\n",
                               p.outcome->reason);
        if (failure.rule)
            say_lines(failure.message.at, &out);
    }
    if (p.folder[0])
        fore_rerun_close(&p);
    fore_failure_release(&failure);
    fore_strbuf_release(&said);
    if (s != FORE_OK)
        fore_strbuf_release(&out);
    return s == FORE_OK ? write_and_end(c, &out, did, e) : FORE_EXIT_ERROR;
}

/* ---- a prediction ---- */

static int replay_witness(struct fore_cli *c, struct fore_findings *f,
                          struct fore_finding *x, char *const *argv,
                          const struct fore_confirm *how, struct fore_err *e)
{
    struct fore_forced r;
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s = fore_confirm_one(c, f, x, argv, how, false, &r, e);
    bool did = !strcmp(x->confirmation.result, "confirmed");
    if (s == FORE_OK) {
        if (!c->quiet)
            say_lines(r.output.at, &out);
        if (did)
            fore_strbuf_printf(&out,
                               "The program followed all %u steps of the witness: "
                               "confirmed.\n",
                               r.steps);
        else
            fore_strbuf_printf(&out,
                               "The program came to step %u of %u of the witness: %s: "
                               "%s.\n",
                               x->confirmation.step, r.steps, x->confirmation.result,
                               x->confirmation.reason);
        say_lines(r.failure.at, &out);
        s = fore_store_save(f, e);
    }
    fore_forced_release(&r);
    if (s == FORE_OK)
        return write_and_end(c, &out, did, e);
    fore_strbuf_release(&out);
    return FORE_EXIT_ERROR;
}

/* ---- under a debugger ---- */

static enum fore_status put_schedule(const struct fore_finding *x, char *path, size_t n,
                                     struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    snprintf(path, n, "%s/schedule", fore_store_folder());
    enum fore_status s = fore_confirm_schedule(x, &text, e);
    fore_strbuf_puts(&text, "stops\n");
    FILE *to = s == FORE_OK ? fopen(path, "we") : NULL;
    bool good = to && fwrite(text.at, 1, text.n, to) == text.n;
    if (to && fclose(to))
        good = false;
    if (s == FORE_OK && !good)
        s = fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    fore_strbuf_release(&text);
    return s;
}

/* Does not return if the debugger starts. What the program records is in the store, and is
 * overwritten by the next one. */
static enum fore_status debug(const struct fore_finding *x, char *const *argv,
                              struct fore_err *e)
{
    char path[3900], rings[4000], set[3][4096];
    const char *debugger = getenv("FORESEE_GDB");
    const char *args[64] = {debugger && *debugger ? debugger : "gdb", "-q"};
    size_t n = 2;
    FORE_TRY(put_schedule(x, path, sizeof path, e));
    snprintf(rings, sizeof rings, "%s/rings", fore_store_folder());
    fore_launch_remove(rings);
    if (mkdir(rings, 0700) && errno != EEXIST)
        return fore_fail(e, FORE_IO, "%s: %s", rings, strerror(errno));
    snprintf(set[0], sizeof set[0], "set environment FORESEE_SCHEDULE=%s", path);
    snprintf(set[1], sizeof set[1], "set environment FORESEE_RING=%s", rings);
    snprintf(set[2], sizeof set[2], "set environment FORESEE_FORCED=1");
    for (size_t i = 0; i < 3; i++) {
        args[n++] = "-ex";
        args[n++] = set[i];
    }
    args[n++] = "-ex";
    args[n++] = "run";
    args[n++] = "--args";
    for (size_t i = 0; argv[i] && n < 63; i++)
        args[n++] = argv[i];
    fflush(NULL);
    execvp(args[0], (char *const *)(uintptr_t)args);
    return fore_fail(e, FORE_CHILD, "cannot run %s: %s (FORESEE_GDB names another)",
                     args[0], strerror(errno));
}

int fore_replay_forced(struct fore_cli *c, struct fore_findings *f,
                       struct fore_finding *x, char *const *argv, struct fore_err *e)
{
    struct fore_confirm how;
    if (fore_confirm_read(c, &how, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    if (fore_params_has(&c->params, "gdb"))
        return debug(x, argv, e) == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
    return fore_witness_is_schedule(x->witness_trace)
               ? replay_failure(c, x, argv, &how, e)
               : replay_witness(c, f, x, argv, &how, e);
}
