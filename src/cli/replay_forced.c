/* Replays a finding in a program that can be controlled: on the schedule of its witness, or of the run in
 * which `foresee explore` found it; also under a debugger. */
#include "cli/replay_forced.h"

#include "base/file.h"
#include "base/folder.h"
#include "cli/confirm_observed.h"
#include "cli/go_exec.h"
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
        fore_strbuf_puts(out, "  ");
        for (; *at && *at != '\n'; at++)
            if (*at == '\t')
                fore_strbuf_puts(out, "    ");
            else
                fore_strbuf_putc(out, *at);
        fore_strbuf_putc(out, '\n');
        at += *at == '\n';
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

/* The race of the finding is between the same two places, whichever thread comes to which first. */
static bool is_same_race(const struct fore_finding *x, const struct fore_outcome_race *r)
{
    for (unsigned i = 0; x->places.n >= 2 && i < 2; i++)
        if (!strcmp(x->places.at[0].location, r->place[i]) &&
            !strcmp(x->places.at[1].location, r->place[!i]))
            return true;
    return false;
}

/* A race is no failure of its own: the two stood at their accesses at once, whatever came of it. */
static void find_failure(const struct fore_rerun *p, const struct fore_finding *x,
                         struct fore_failure *out)
{
    const struct fore_outcome *o = p->outcome;
    fore_failure_of(p, out);
    if (!strcmp(x->rule->name, "wait-before-add") && o->met) {
        fore_failure_of_meeting(o, out);
        return;
    }
    if (strcmp(x->rule->name, "data-race") != 0)
        return;
    for (uint32_t i = 0; i < o->races && i < FORE_OUTCOME_RACES; i++)
        if (is_same_race(x, &o->race[i])) {
            fore_failure_of_race(p, &o->race[i], out);
            return;
        }
}

static int replay_failure(struct fore_cli *c, const struct fore_finding *x,
                          const struct fore_started *program,
                          const struct fore_confirm *how, struct fore_err *e)
{
    struct fore_rerun_how start = fore_confirm_start(program, how);
    start.alone = true;
    struct fore_rerun p = {0};
    struct fore_failure failure = FORE_FAILURE_INIT;
    struct fore_strbuf out = FORE_STRBUF_INIT, said = FORE_STRBUF_INIT;
    enum fore_status s = fore_rerun_open(&p, &start, e);
    if (s == FORE_OK)
        s = fore_rerun_run(&p, x->witness_trace, c->budget.interrupted, e);
    struct fore_confirm_sight o = {.x = x};
    bool did = false;
    if (s == FORE_OK) {
        find_failure(&p, x, &failure);
        fore_rerun_output(&p, &said);
        if (!c->quiet)
            say_lines(said.at, &out);
        did = failure.rule && !strcmp(failure.rule, x->rule->name);
        if (!did && (!failure.rule || (p.host && p.host->traced)))
            s = fore_confirm_observed(c, NULL, how, &o, &p, e);
        did |= o.seen;
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
                          struct fore_finding *x, const struct fore_started *program,
                          const struct fore_confirm *how, struct fore_err *e)
{
    struct fore_forced r;
    struct fore_strbuf out = FORE_STRBUF_INIT;
    enum fore_status s = fore_confirm_one(c, f, x, program, how, false, &r, e);
    bool did = x->confirmation.result == FORE_CONFIRMED;
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
                               x->confirmation.step, r.steps,
                               fore_tried_name(x->confirmation.result),
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

/* How a debugger is told what to run. It starts it in the program's directory and with its
 * environment; the program stops before the last step by itself. */
struct debugger {
    const char *option, *command, *variable, *install;
    void (*add_words)(struct fore_words *out, const struct fore_started *program,
                      const char *script);
    const char *script; /* what it is to do */
};

static void add_argv(struct fore_words *out, char *const *argv)
{
    for (; *argv; argv++)
        fore_vec_push(&out->v, *argv);
}

static void add_gdb(struct fore_words *out, const struct fore_started *program,
                    const char *script)
{
    static const char *const words[] = {"-q", "-x"};
    for (size_t i = 0; i < 2; i++)
        fore_vec_push(&out->v, words[i]);
    fore_vec_push(&out->v, script);
    fore_vec_push(&out->v, "--args");
    add_argv(out, program->argv);
}

static void add_dlv(struct fore_words *out, const struct fore_started *program,
                    const char *script)
{
    fore_vec_push(&out->v, "exec");
    if (!isatty(STDIN_FILENO)) /* it would refuse commands from a file */
        fore_vec_push(&out->v, "--allow-non-terminal-interactive=true");
    fore_vec_push(&out->v, "--init");
    fore_vec_push(&out->v, script);
    fore_vec_push(&out->v, program->argv[0]);
    fore_vec_push(&out->v, "--");
    add_argv(out, program->argv + 1);
}

static const struct debugger debuggers[] = {
    {"gdb", "gdb", "FORESEE_GDB", "your distribution has it", add_gdb, "run\n"},
    {"dlv", "dlv", "FORESEE_DLV",
     "go install github.com/go-delve/delve/cmd/dlv@latest installs it", add_dlv,
     "continue\n"},
};

static enum fore_status put_schedule(const struct fore_finding *x,
                                     const struct fore_started *program, const char *path,
                                     struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    enum fore_status s = fore_confirm_schedule(x, program, false, &text, e);
    fore_strbuf_puts(&text, "stops\n");
    if (s == FORE_OK)
        s = fore_file_write(path, text.at, text.n, e);
    fore_strbuf_release(&text);
    return s;
}

/* The program's environment, as gdb sets it; dlv hands on its own. */
static void put_script(const struct debugger *d, const char *schedule, const char *rings,
                       struct fore_strbuf *out)
{
    const char *const set[][2] = {
        {"FORESEE_SCHEDULE", schedule}, {"FORESEE_RING", rings}, {"FORESEE_FORCED", "1"}};
    for (size_t i = 0; i < 3; i++) {
        if (d->add_words == add_gdb)
            fore_strbuf_printf(out, "set environment %s=%s\n", set[i][0], set[i][1]);
        else
            setenv(set[i][0], set[i][1], 1);
    }
    fore_strbuf_puts(out, d->script);
}

/* Does not return if the debugger starts. What the program records is in the store, and is
 * overwritten by the next one. */
static enum fore_status run_debugger(const struct debugger *d,
                                     const struct fore_finding *x,
                                     const struct fore_started *program,
                                     struct fore_err *e)
{
    char store[3800], schedule[4000], rings[4000], script[4000];
    const char *named = getenv(d->variable);
    struct fore_words words = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    if (!realpath(fore_store_folder(), store))
        return fore_fail(e, FORE_IO, "%s: %s", fore_store_folder(), strerror(errno));
    snprintf(schedule, sizeof schedule, "%s/schedule", store);
    snprintf(rings, sizeof rings, "%s/rings", store);
    snprintf(script, sizeof script, "%s/debugger", store);
    FORE_TRY(put_schedule(x, program, schedule, e));
    fore_folder_remove(rings);
    if (mkdir(rings, 0700) && errno != EEXIST)
        return fore_fail(e, FORE_IO, "%s: %s", rings, strerror(errno));
    put_script(d, schedule, rings, &text);
    FORE_TRY(fore_file_write(script, text.at, text.n, e));
    fore_vec_push(&words.v, named && *named ? named : d->command);
    d->add_words(&words, program, script);
    fore_vec_push(&words.v, NULL);
    if (program->directory && chdir(program->directory))
        return fore_fail(e, FORE_IO, "%s: %s", program->directory, strerror(errno));
    fflush(NULL);
    execvp(words.v.at[0], (char *const *)(uintptr_t)words.v.at);
    return fore_fail(e, FORE_CHILD, "cannot run %s: %s (%s; %s names another)",
                     words.v.at[0], strerror(errno), d->install, d->variable);
}

int fore_replay_forced(struct fore_cli *c, struct fore_findings *f,
                       struct fore_finding *x, const struct fore_started *program,
                       struct fore_err *e)
{
    struct fore_confirm how;
    const char *spec = fore_params_text(&c->params, "spec", NULL);
    if (fore_confirm_read(c, &how, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    if (fore_go_watch(program->argv[0], spec, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    for (size_t i = 0; i < sizeof debuggers / sizeof *debuggers; i++)
        if (fore_params_has(&c->params, debuggers[i].option))
            return run_debugger(&debuggers[i], x, program, e) == FORE_OK
                       ? FORE_EXIT_OK
                       : FORE_EXIT_ERROR;
    return fore_witness_is_schedule(x->witness_trace)
               ? replay_failure(c, x, program, &how, e)
               : replay_witness(c, f, x, program, &how, e);
}
