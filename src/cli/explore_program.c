#include "cli/explore_program.h"

#include "base/folder.h"
#include "base/jsonw.h"
#include "capture/control/schedule.h"
#include "cli/confirm.h"
#include "cli/explore_look.h"
#include "cli/go_exec.h"
#include "cli/go_programs.h"
#include "cli/ranks.h"
#include "explore/program/search.h"
#include "explore/program/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const struct fore_option own[] = {FORE_EXPLORE_PROGRAM_OPTIONS,
                                         {NULL, 0, NULL, NULL}};
static const char *const for_actors[] = {
    "harness",       "scheduler", "stateful",    "dependence", "ds2-compat",
    "max-schedules", "max-depth", "max-states",  "delays",     "faults",
    "from",          "script",    "handler-time"};

const char *fore_explore_misused(const struct fore_cli *c, bool program)
{
    for (size_t i = 0; program && i < sizeof for_actors / sizeof *for_actors; i++)
        if (fore_params_has(&c->params, for_actors[i]))
            return for_actors[i];
    for (const struct fore_option *o = own; !program && o->name; o++)
        if (fore_params_has(&c->params, o->name) &&
            (!fore_params_has(&c->params, "nodes") || strcmp(o->name, "clock") != 0))
            return o->name;
    return NULL;
}

/* ---- options ---- */

static enum fore_status read_strategies(struct fore_cli *c, struct fore_search *s,
                                        struct fore_err *e)
{
    const char *names = fore_params_text(&c->params, "strategy", "portfolio");
    char word[32];
    if (!strcmp(names, "portfolio"))
        names = "guided,random,pct,pos";
    while (*names) {
        size_t n = strcspn(names, ","), k = 0;
        snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), names);
        while (k < FORE_SEARCH_STRATEGIES && strcmp(fore_search_names[k], word))
            k++;
        if (k == FORE_SEARCH_STRATEGIES) {
            const char *near = fore_nearest(word, fore_search_names, k);
            return fore_fail(e, FORE_USAGE, "--strategy: there is no '%s'; %s%s%s", word,
                             near ? "did you mean "
                                  : "there are portfolio, guided, random, "
                                    "pct, pos, delay",
                             near ? near : "", near ? "?" : "");
        }
        s->uses[k] = true;
        names += n + (names[n] == ',');
    }
    return FORE_OK;
}

static enum fore_status read_journals(struct fore_cli *c, struct fore_search *s,
                                      struct fore_err *e)
{
    s->save = fore_params_text(&c->params, "save", NULL);
    s->resume = fore_params_text(&c->params, "resume", NULL);
    FORE_TRY(fore_params_double(&c->params, "save-every", 0, &s->save_every, e));
    if ((s->save || s->resume) && !s->uses[FORE_SEARCH_GUIDED])
        return fore_fail(e, FORE_USAGE,
                         "--save and --resume keep what guided search does: --strategy "
                         "must name guided or portfolio");
    if (s->save_every > 0 && !s->save)
        return fore_fail(e, FORE_USAGE, "--save-every needs --save F");
    return FORE_OK;
}

static enum fore_status read_timers(const struct fore_cli *c, uint64_t otherwise,
                                    uint64_t *ms, struct fore_err *e)
{
    FORE_TRY(fore_params_u64(&c->params, "timers", otherwise, ms, e));
    if (*ms > FORE_SCHEDULE_MOST_EARLY_MS)
        return fore_fail(e, FORE_USAGE,
                         "--timers takes milliseconds, from 0 to %d, by which a "
                         "timer may fire before its time",
                         FORE_SCHEDULE_MOST_EARLY_MS);
    return FORE_OK;
}

/* Called once the program is known. */
static enum fore_status add_timers(const struct fore_cli *c, struct fore_search *s,
                                   struct fore_strbuf *lines, struct fore_err *e)
{
    const struct fore_host *host = fore_host_of(s->how.argv[0]);
    uint64_t ms;
    FORE_TRY(read_timers(
        c, host && host->early_ms ? host->early_ms : FORE_SCHEDULE_EARLY_MS, &ms, e));
    fore_strbuf_printf(lines, "timers %llu\n", (unsigned long long)ms);
    s->early_ms = ms;
    s->options = lines->at;
    return FORE_OK;
}

static enum fore_status read_options(struct fore_cli *c, struct fore_search *s,
                                     struct fore_confirm *input,
                                     struct fore_strbuf *lines, struct fore_err *e)
{
    uint64_t depth, early;
    unsigned real, sync;
    FORE_TRY(read_strategies(c, s, e));
    FORE_TRY(fore_params_u64(&c->params, "runs", 10000, &s->runs, e));
    FORE_TRY(fore_params_u64(&c->params, "depth", 3, &depth, e));
    FORE_TRY(fore_params_double(&c->params, "run-time", 10, &s->how.seconds, e));
    FORE_TRY(fore_params_choice(&c->params, "clock", "virtual|real", 0, &real, e));
    FORE_TRY(fore_params_choice(&c->params, "points", "memory|sync", 0, &sync, e));
    FORE_TRY(fore_confirm_read(c, input, e));
    FORE_TRY(read_timers(c, 0, &early, e));
    if (!depth || depth > 16)
        return fore_fail(e, FORE_USAGE, "--depth takes a number from 1 to 16");
    s->how.input = input->input;
    s->depth = (unsigned)depth;
    if (real)
        fore_strbuf_puts(lines, "clock real\n");
    else
        fore_strbuf_printf(lines, "clock virtual %lld\n", (long long)time(NULL));
    if (sync)
        fore_strbuf_puts(lines, "points sync\n");
    if (fore_params_has(&c->params, "spurious"))
        fore_strbuf_puts(lines, "spurious\n");
    s->options = lines->at;
    FORE_TRY(read_journals(c, s, e));
    s->keep_going = fore_params_has(&c->params, "keep-going");
    s->minimises = !fore_params_has(&c->params, "no-shorten");
    s->only = fore_params_text(&c->params, "only", NULL);
    s->seed = c->seed;
    s->jobs = c->jobs < 64 ? c->jobs : 64;
    s->budget = &c->budget;
    s->how.deadline_ns = c->budget.deadline_ns;
    s->progress = &c->progress;
    return FORE_OK;
}

/* Refuses options that do not work in a process that repeats its tests, or that need a recording
 * of each run. */
static enum fore_status plan_series(struct fore_cli *c, struct fore_search *s,
                                    struct fore_arena *a, struct fore_err *e)
{
    const char *strategy = fore_params_text(&c->params, "strategy", "portfolio");
    static const char *const with_recording[] = {"memory", "spec", "save", "resume"};
    if (!fore_params_has(&c->params, "in-process"))
        return FORE_OK;
    for (size_t i = 0; i < sizeof with_recording / sizeof *with_recording; i++)
        if (fore_params_has(&c->params, with_recording[i]))
            return fore_fail(e, FORE_USAGE,
                             "--%s needs a recording of each run, and --in-process makes "
                             "none: leave one of the two out",
                             with_recording[i]);
    if (!strcmp(fore_params_text(&c->params, "clock", "virtual"), "real"))
        return fore_fail(
            e, FORE_USAGE,
            "--in-process needs the virtual clock, which begins anew in each run");
    if (s->uses[FORE_SEARCH_GUIDED] && strcmp(strategy, "portfolio") != 0)
        return fore_fail(e, FORE_USAGE,
                         "--in-process records nothing, and guided needs a recording of "
                         "each run: use random, pct, pos or delay");
    s->uses[FORE_SEARCH_GUIDED] = false;
    s->series = fore_go_repeat_argv(a, s->how.argv);
    if (!s->series)
        return fore_fail(
            e, FORE_USAGE,
            "--in-process repeats tests: it needs go test, or a test binary");
    return FORE_OK;
}

/* ---- results ---- */

static const char *others_that_failed(const struct fore_search_failure *x,
                                      struct fore_findings *f)
{
    return x->count < 2 ? ""
                        : fore_findings_printf(f, "; %llu more failed so",
                                               (unsigned long long)x->count - 1);
}

/* Says that a timer fired early: a test that relies on some milliseconds being enough for
 * another thread fails then. */
static void tell_early_timers(const struct fore_search_failure *x,
                              struct fore_findings *f)
{
    if (x->early)
        fore_finding_fact(
            f, x->finding, "time",
            "%u timer%s while others can still go on, as when the machine is "
            "too busy; --timers 0 leaves such runs out",
            x->early, x->early == 1 ? " fires" : "s fire");
}

static void add_findings(const struct fore_search *s, struct fore_findings *f)
{
    for (size_t i = 0; i < s->failures.n; i++) {
        const struct fore_search_failure *x = s->failures.at[i];
        struct fore_finding *to = x->finding;
        fore_finding_happened(to, FORE_VERDICT_CONFIRMED);
        to->confirmation = (struct fore_confirmation){FORE_CONFIRMED, "", 0};
        uint64_t of = x->run > s->done ? x->run : s->done; /* jobs count apart */
        fore_finding_fact(f, to, "found",
                          "by run %llu of %llu (%s), which switches %u time%s%s",
                          (unsigned long long)x->run, (unsigned long long)of, x->strategy,
                          x->before, x->before == 1 ? "" : "s", others_that_failed(x, f));
        if (x->switches < x->before)
            fore_finding_fact(f, to, "shortest", "%u switch%s between threads %s enough",
                              x->switches, x->switches == 1 ? "" : "es",
                              x->switches == 1 ? "is" : "are");
        tell_early_timers(x, f);
        to->witness_trace = fore_arena_strdup(&f->arena, x->schedule);
        to->witness_of = FORE_WITNESS_OF_PROGRAM;
        fore_vec_push(&f->list, to);
    }
}

static void add_stats(const struct fore_search *s, struct fore_findings *f)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_jsonw w = {.out = &b};
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "runs", s->done);
    fore_jsonw_u64(&w, "classes", s->classes);
    fore_jsonw_u64(&w, "failures", s->failures.n);
    fore_jsonw_u64(&w, "timeouts", s->timeouts);
    fore_jsonw_u64(&w, "spins", s->spins);
    fore_jsonw_u64(&w, "departed", s->departed);
    fore_jsonw_u64(&w, "uncontrolled", s->uncontrolled);
    fore_jsonw_bool(&w, "complete", s->complete);
    fore_jsonw_u64(&w, "first_failure", s->failures.n ? s->failures.at[0]->run : 0);
    fore_jsonw_u64(&w, "milliseconds", (uint64_t)(s->seconds * 1000));
    if (s->series) {
        fore_jsonw_u64(&w, "processes", s->processes);
        fore_jsonw_u64(&w, "left_behind", s->left);
        fore_jsonw_u64(&w, "not_alone", s->unrepeated);
    }
    fore_jsonw_open(&w, "by_strategy", '{');
    for (size_t i = 0; i < FORE_SEARCH_STRATEGIES && !s->series; i++)
        if (s->uses[i])
            fore_jsonw_u64(&w, fore_search_names[i], s->by_strategy[i]);
    fore_jsonw_close(&w, '}');
    fore_jsonw_close(&w, '}');
    fore_findings_stats(f, "explore", b.at);
    fore_strbuf_release(&b);
}

/* Had the program no input although the user gave one? Many runs cannot share an input that can
 * be read only once. */
static bool is_input_left(const struct fore_search *s)
{
    int bytes = 0;
    return !s->how.input && !ioctl(STDIN_FILENO, FIONREAD, &bytes) && bytes > 0;
}

/* Sleeping usually decides where hardly any run of many differs from those before it. */
static void hint_at_timers(const struct fore_search *s, struct fore_findings *f)
{
    enum { MANY_RUNS = 100, FEW = 10, SUGGESTED_MS = 100 };
    if (!s->failures.n && !s->complete && !s->sampled && s->done >= MANY_RUNS &&
        s->classes < s->done / FEW && s->early_ms < SUGGESTED_MS)
        fore_findings_remark(
            f,
            "few orders came up: sleeps and timeouts of more than %llu ms "
            "never end early; --timers %d lets them",
            (unsigned long long)s->early_ms, SUGGESTED_MS);
}

static void add_remarks(const struct fore_search *s, struct fore_findings *f)
{
    if (is_input_left(s))
        fore_findings_remark(f,
                             "standard input is no file, so the program had no input in "
                             "these runs: write it to a file and use < FILE");
    fore_findings_remark(
        f, "%llu run%s, %.0f a second, %llu distinct%s", (unsigned long long)s->done,
        s->done == 1 ? "" : "s", s->seconds > 0 ? (double)s->done / s->seconds : 0.,
        (unsigned long long)s->classes,
        s->complete  ? "; complete: nothing is left to try"
        : s->sampled ? "; only orders that time, signals or forks decide are left"
                     : "");
    hint_at_timers(s, f);
    if (s->save && !s->complete && !s->sampled)
        fore_findings_remark(f,
                             "what is left to try is in %s: --resume %s goes on with it",
                             s->save, s->save);
    if (s->timeouts)
        fore_findings_remark(f, "%llu run%s did not end in time (--run-time)",
                             (unsigned long long)s->timeouts,
                             s->timeouts == 1 ? "" : "s");
    if (s->spins)
        fore_findings_remark(f,
                             "%llu run%s given up: threads looped for 20000 steps in "
                             "which no thread changed anything, first at %s",
                             (unsigned long long)s->spins,
                             s->spins == 1 ? " was" : "s were", s->spins_at);
    if (s->uncontrolled)
        fore_findings_remark(f, "%llu run%s not wholly controlled",
                             (unsigned long long)s->uncontrolled,
                             s->uncontrolled == 1 ? " was" : "s were");
}

static void add_series_remarks(const struct fore_search *s, struct fore_findings *f)
{
    if (!s->series)
        return;
    fore_findings_remark(
        f,
        "runs in one process (%llu in all) share the variables of packages, as with go "
        "test -count; guided search and the analyses were not used",
        (unsigned long long)s->processes);
    if (s->left)
        fore_findings_remark(f,
                             "%llu run%s left something behind, after which foresee "
                             "started a new process: %s",
                             (unsigned long long)s->left, s->left == 1 ? "" : "s",
                             s->left_first.at);
    if (s->unrepeated)
        fore_findings_remark(
            f,
            "%llu run%s failed after others, but not in a process of its own: it depends "
            "on what earlier runs left in variables, first in run %llu",
            (unsigned long long)s->unrepeated, s->unrepeated == 1 ? "" : "s",
            (unsigned long long)s->unrepeated_first);
}

static int report_search(struct fore_cli *c, const struct fore_search *s,
                         struct fore_findings *f, struct fore_err *e)
{
    add_findings(s, f);
    add_stats(s, f);
    add_remarks(s, f);
    add_series_remarks(s, f);
    if (s->bound && s->bound != FORE_SPENT_RUNS)
        fore_findings_incomplete(f, "%s", fore_spent_text(s->bound));
    return fore_cli_finish(c, f, e);
}

/* Tells a Go program where the variables of a specification are. */
static enum fore_status watch_variables(const struct fore_cli *c,
                                        const struct fore_started *how,
                                        struct fore_err *e)
{
    return fore_go_watch(how->argv[0], fore_params_text(&c->params, "spec", NULL), e);
}

/* Keeps the program with the finding, so that replay runs the same one. */
static void remember_program(const struct fore_search *s, const struct fore_started *how)
{
    if (!how->directory) {
        fore_launch_remember(how->argv);
        return;
    }
    for (size_t i = 0; i < s->failures.n; i++)
        fore_kept_remember(s->failures.at[i]->finding->id, how);
}

static int search_program(struct fore_cli *c, struct fore_search *s,
                          const struct fore_started *how, struct fore_err *e)
{
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    fore_findings_init(&f);
    fore_progress_start(&c->progress, c->progress_mode, "exploring");
    enum fore_status done = fore_search_run(s, e);
    fore_progress_finish(&c->progress);
    bool silent = s->transport && s->transport->rank; /* the first rank reports */
    if (done == FORE_OK)
        status = silent ? FORE_EXIT_OK : report_search(c, s, &f, e);
    if (done == FORE_OK && !silent && !fore_params_has(&c->params, "no-save"))
        remember_program(s, how);
    if (silent)
        *e = (struct fore_err){0};
    f.list.n = 0; /* they are the search's */
    fore_search_release(s);
    fore_findings_release(&f);
    return status;
}

/* Builds the program; if it is not kept, in a folder in memory, which the caller removes. */
static enum fore_status build_go(struct fore_cli *c, bool first, struct fore_arena *a,
                                 struct fore_started *how, char scratch[64],
                                 struct fore_err *e)
{
    bool saves = first && !fore_params_has(&c->params, "no-save");
    char *const *words = how->argv;
    if (saves)
        fore_kept_clear();
    else
        strcpy(scratch, "/tmp/foresee-go-XXXXXX");
    if (!saves && !mkdtemp(scratch)) {
        scratch[0] = 0;
        return fore_fail(e, FORE_IO, "cannot make a folder in /tmp");
    }
    return fore_go_program(c, words, saves ? NULL : scratch, a, how, e);
}

/* What guided has tried is spread over many ranks; none has all of it. */
static enum fore_status join_ranks(struct fore_cli *c, struct fore_search *s,
                                   struct fore_ranks *ranks, struct fore_err *e)
{
    FORE_TRY(fore_ranks_join(c, ranks, e));
    s->transport = ranks->transport;
    if (ranks->transport && (s->save || s->resume))
        return fore_fail(e, FORE_USAGE,
                         "the processes of an MPI job cannot save and resume the search "
                         "of a program (--no-mpi: each explores for itself)");
    return FORE_OK;
}

int fore_explore_program(struct fore_cli *c, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_strbuf lines = FORE_STRBUF_INIT;
    struct fore_confirm input;
    struct fore_search s = {
        .look = fore_explore_look, .draw = fore_explore_draw, .ctx = c};
    struct fore_started how = {.argv = fore_launch_argv(&arena, &c->words, 0)};
    struct fore_ranks ranks = {0};
    char scratch[64] = "";
    int status = FORE_EXIT_ERROR;
    enum fore_status ready = read_options(c, &s, &input, &lines, e);
    if (ready == FORE_OK)
        ready = join_ranks(c, &s, &ranks, e);
    if (ready == FORE_OK && fore_go_is_command(how.argv))
        ready = build_go(c, !ranks.rank, &arena, &how, scratch, e);
    s.how.argv = how.argv;
    s.how.directory = how.directory;
    s.how.cpu = -1;
    if (ready == FORE_OK)
        ready = add_timers(c, &s, &lines, e);
    if (ready == FORE_OK)
        ready = watch_variables(c, &how, e);
    if (ready == FORE_OK)
        ready = plan_series(c, &s, &arena, e);
    if (ready == FORE_OK)
        status = search_program(c, &s, &how, e);
    fore_ranks_leave(&ranks);
    if (scratch[0])
        fore_folder_remove(scratch);
    fore_strbuf_release(&lines);
    fore_arena_release(&arena);
    return status;
}
