#include "cli/cli.h"
#include "cli/go_again.h"
#include "cli/go_alone.h"
#include "cli/go_children.h"
#include "cli/go_exec.h"
#include "cli/go_live.h"
#include "cli/go_output.h"
#include "cli/go_rings.h"
#include "cli/go_sizes.h"
#include "cli/go_time.h"
#include "cli/go_tool.h"
#include "cli/launch.h"
#include "cli/verbs.h"

#include "base/folder.h"
#include "base/hash.h"
#include "capture/go/gotool.h"
#include "capture/go/overlay.h"
#include "capture/go/patch.h"
#include "capture/go/watcher.h"
#include "capture/ring/ring.h"
#include "spec/spec.h"
#include "trace/format.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_OBSERVED = 66 };

static const struct fore_option options[] = {
    {"max-trace", 0, "SIZE",
     "keep the newest part of what a process does, in SIZE (default 1G; K, M, G)"},
    {"linger", 0, "MS",
     "when main returns, wait at most MS milliseconds until goroutines rest (default "
     "500)"},
    {"keep", 0, "DIR", "keep the traces (.fsr) and executables in DIR"},
    {"exit-code", 0, "N", "exit status if something was found (default 66)"},
    {"atomics", 0, NULL, "record sync/atomic, too (the default, but not with -race)"},
    {"no-atomics", 0, NULL, "do not record sync/atomic"},
    {"memory", 0, "[=all]",
     "record reads and writes of your module's packages and of Go's own (=all: also of "
     "dependencies)"},
    FORE_CONFIRM_OPTIONS,
    {"record-only", 0, NULL, "only record (with --keep), do not analyse"},
    {NULL, 0, NULL, NULL},
};

struct go_run {
    struct fore_cli *cli;
    struct fore_gotool tool;
    struct fore_strbuf overlay, env;
    char rings[4096];
    bool keep, atomics;
    enum fore_go_memory memory;
    bool exact; /* only variables of the specification are recorded */
    /* the program that finds accesses by name (capture/go/watcher.h), or NULL */
    const char *watcher;
    uint64_t exit_code;
    struct fore_findings found;
    size_t traces; /* that were analysed */
    struct fore_go_time time;
    bool as_they_come; /* traces are analysed before go has ended */
    uint64_t rested;   /* when the last analysis ended: --max-time limits analyses only */
    struct fore_go_live live;
    struct fore_map done; /* names of ring files, when they are kept */
    struct fore_go_again again;
    uint64_t began;
    struct fore_map pids; /* processes that were recorded */
    enum fore_status failed;
    struct fore_err why; /* the first that could not be analysed */
};

/* ---- options ---- */

/* The value of a setting in FORESEE= ("exitcode=3 linger_ms=20"), which flags override. */
static const char *from_environment(const char *key)
{
    const char *all = getenv("FORESEE");
    size_t n = strlen(key);
    for (const char *at = all ? all : ""; *at;
         at += strcspn(at, " ,:"), at += *at != '\0')
        if (strncmp(at, key, n) == 0 && at[n] == '=')
            return at + n + 1;
    return NULL;
}

/* With a specification only the variables that it names are recorded, with their values. */
static enum fore_status take_names(struct go_run *r, const char *path, struct fore_err *e)
{
    struct fore_spec spec = {0};
    struct fore_strbuf names = FORE_STRBUF_INIT;
    enum fore_status s = fore_spec_load(&spec, path, e);
    if (s == FORE_OK)
        fore_go_spec_names(&spec, &names);
    if (s == FORE_OK && fore_go_has_flag(r->cli->words.v.at, "exec"))
        s = fore_fail(e, FORE_USAGE,
                      "--spec needs go's -exec for itself, to find the variables: leave "
                      "your -exec out");
    if (s == FORE_OK) {
        setenv(FORE_GO_NAMES, names.n ? names.at : "", 1);
        r->memory = FORE_GO_MODULE;
        r->atomics = r->exact = true;
    }
    fore_strbuf_release(&names);
    fore_spec_release(&spec);
    return s;
}

/* Memory needs atomics, too: they order it. */
static enum fore_status take_memory(struct go_run *r, bool races, struct fore_err *e)
{
    const char *memory = fore_params_text(&r->cli->params, "memory", NULL);
    const char *spec = fore_params_text(&r->cli->params, "spec", NULL);
    if (!memory && spec && !races)
        return take_names(r, spec, e);
    if (!memory)
        return FORE_OK;
    if (*memory && strcmp(memory, "all") != 0)
        return fore_fail(e, FORE_USAGE,
                         "--memory takes =all (dependencies, too) or nothing, not '%s'",
                         memory);
    if (races) {
        fore_cli_say(r->cli,
                     "--memory records nothing with -race: the race detector keeps reads "
                     "and writes to itself. Run it once without -race");
        return FORE_OK;
    }
    r->memory = *memory ? FORE_GO_ALL : FORE_GO_MODULE;
    r->atomics = true;
    return FORE_OK;
}

static enum fore_status take_options(struct go_run *r, struct fore_err *e)
{
    struct fore_params *p = &r->cli->params;
    const char *linger = from_environment("linger_ms"),
               *code = from_environment("exitcode");
    uint64_t size = 1u << 30, ms;
    const char *given = fore_params_text(p, "max-trace", NULL);
    if (given)
        FORE_TRY(fore_launch_size(given, &size, e));
    FORE_TRY(
        fore_params_u64(p, "linger", linger ? strtoull(linger, NULL, 10) : 500, &ms, e));
    FORE_TRY(fore_params_u64(p, "exit-code",
                             code ? strtoull(code, NULL, 10) : EXIT_OBSERVED,
                             &r->exit_code, e));
    if (r->cli->fail_on == FORE_FAIL_PREDICTED)
        r->cli->fail_on = FORE_LEVEL_WARNING; /* as in earlier versions */
    const char *log = from_environment("log_path");
    if (log && !r->cli->output)
        r->cli->output = fore_arena_strndup(&r->tool.arena, log, strcspn(log, " ,"));
    FORE_TRY(fore_go_output(r->cli, e));
    bool races = fore_go_races(&r->tool, r->cli->words.v.at);
    r->atomics = !fore_params_has(p, "no-atomics") && !races;
    if (fore_params_has(p, "atomics") && races)
        fore_cli_say(
            r->cli,
            "--atomics records nothing with -race: the race detector keeps sync/atomic "
            "to itself. Run it once without -race to have them in the trace");
    if (fore_go_makes_plugin(r->cli->words.v.at) &&
        fore_go_minor(r->tool.install.version) > FORE_GO_OLDEST)
        fore_cli_say(r->cli,
                     "programs may refuse to load this plugin (Go 1.26 does, because of "
                     "foresee's overlay): to watch the package, link it in");
    FORE_TRY(take_memory(r, races, e));
    r->tool.install.atomics =
        r->atomics || races; /* with -race the hooks decide themselves */
    fore_strbuf_printf(&r->env,
                       "max_trace=%llu linger_ms=%llu atomics=%d memory=%d newest=1",
                       (unsigned long long)size, (unsigned long long)ms, r->atomics,
                       r->memory != FORE_GO_NO_MEMORY && !r->exact);
    return FORE_OK;
}

/* ---- folders ---- */

static enum fore_status ring_folder(struct go_run *r, struct fore_err *e)
{
    const char *keep = fore_params_text(&r->cli->params, "keep", NULL);
    if (keep) {
        r->keep = true;
        if (mkdir(keep, 0777) != 0 && errno != EEXIST)
            return fore_fail(e, FORE_IO, "%s: %s", keep, strerror(errno));
        char *full = realpath(keep, NULL);
        if (!full || strlen(full) >= sizeof r->rings) {
            free(full);
            return fore_fail(e, FORE_IO, "%s: %s", keep, strerror(errno));
        }
        strcpy(r->rings, full);
        free(full);
        return FORE_OK;
    }
    const char *tmp = getenv("TMPDIR");
    snprintf(r->rings, sizeof r->rings, "%s/foresee-go-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(r->rings))
        return fore_fail(e, FORE_IO, "%s: %s", r->rings, strerror(errno));
    return FORE_OK;
}

/* ---- traces ---- */

static enum fore_status analyse_one(struct go_run *r, const struct fore_go_ring *x,
                                    bool *needed, struct fore_err *e)
{
    struct fore_findings *f = &r->found;
    struct fore_trace t;
    uint64_t bound = fore_go_time_begin(&r->time, r->cli, x->header.cpu_ns);
    size_t before = f->list.n;
    if (bound)
        r->cli->budget.most_cpu_ns = fore_cpu_ns() + bound;
    fore_trace_init(&t, x->name);
    enum fore_status s = fore_cli_load(r->cli, x->path, &t, e);
    if (s == FORE_OK) {
        free(t.name);
        t.name = fore_strdup(x->name);
        if (x->header.again)
            fore_findings_incomplete(f,
                                     "%s did more than --max-trace or the disk holds: "
                                     "the beginning of its run was not kept",
                                     x->name);
        if (x->header.state == FORE_RING_FULL)
            fore_findings_incomplete(
                f,
                "%s was recorded until --max-trace was reached or the disk was full; at "
                "least %llu operations are missing",
                x->name, (unsigned long long)x->header.dropped);
        s = fore_cli_analyse(r->cli, &t, f, e);
        if (fore_map_get(&r->pids, x->header.parent_pid))
            fore_go_excuse_child(f, before, x);
        fore_go_alone(f, before, fore_tables_text(&t.tables, t.tables.folder),
                      x->package);
        if (!x->header.again) /* otherwise no run can be forced from its beginning */
            *needed = fore_go_again_note(&r->again, x->path, &t.tables, f, before);
        if (s == FORE_OK)
            fore_store_trace(r->cli, f, &t);
    }
    if (bound)
        fore_go_time_end(&r->time, r->cli, &r->found, x->name, bound);
    fore_trace_release(&t);
    return s;
}

/* Are there findings that make the command fail? Possible findings do not. */
static bool fails_command(const struct go_run *r, const struct fore_findings *f)
{
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        if (!x->suppressed && (unsigned)x->level >= r->cli->fail_on &&
            x->verdict != FORE_VERDICT_POSSIBLE)
            return true;
    }
    return false;
}

static bool was_interrupted(const struct go_run *r)
{
    return r->cli->budget.interrupted && *r->cli->budget.interrupted;
}

/* Removes the files of a process whose trace was analysed. */
static void drop_ring(const struct go_run *r, const struct fore_go_ring *x)
{
    char exe[sizeof x->path];
    if (r->keep)
        return;
    snprintf(exe, sizeof exe, "%.*s.exe", (int)(strlen(x->path) - 4), x->path);
    unlink(x->path);
    if (!x->needed)
        unlink(exe);
}

/* Analyses the ring files of processes that have ended, or all. A damaged file is reported at
 * the end, after the others. */
static void analyse_rings(struct go_run *r, bool all)
{
    struct fore_go_rings rings = {0};
    struct fore_err e = {0};
    bool fresh;
    fore_go_rings_find(r->rings, r->tool.install.root, &rings);
    for (size_t i = 0; i < rings.v.n; i++)
        fore_map_put(&r->pids, rings.v.at[i].pid, NULL);
    for (size_t i = 0; i < rings.v.n && !was_interrupted(r); i++) {
        struct fore_go_ring *x = &rings.v.at[i];
        if (!all && (kill((pid_t)x->pid, 0) == 0 || errno != ESRCH))
            continue;
        fore_map_put(&r->done, fore_hash(x->path, strlen(x->path)), &fresh);
        if (!fresh)
            continue;
        if (r->cli->budget.deadline_ns)
            r->cli->budget.deadline_ns += fore_now_ns() - r->rested;
        bool needed = false;
        if (!fore_go_ring_look(x))
            continue;
        enum fore_status one = analyse_one(r, x, &needed, &e);
        r->rested = fore_now_ns();
        r->traces++;
        x->analysed = true;
        x->needed = needed;
        if (one != FORE_OK && r->failed == FORE_OK) {
            r->failed = one;
            r->why = e;
        }
    }
    for (size_t i = 0; i < rings.v.n; i++) /* children need the rings of their parents */
        if (rings.v.at[i].analysed)
            drop_ring(r, &rings.v.at[i]);
    fore_vec_release(&rings.v);
}

/* Runs go to its end. Traces of test binaries are analysed as they come, because many binaries
 * leave much data. */
static enum fore_status watch_go(struct go_run *r, struct fore_go_run *run, int *status,
                                 struct fore_err *e)
{
    char *argv[] = {(char *)(uintptr_t)r->tool.command, NULL};
    struct fore_launch l;
    FORE_TRY(fore_launch_start(
        &l,
        &(struct fore_launch_how){.argv = argv,
                                  .folder = r->rings,
                                  .leads = true,
                                  .prepare = fore_go_prepare,
                                  .ctx = run,
                                  .scratch = r->keep ? NULL : r->cli->scratch},
        e));
    unsigned each = r->live.cli ? 20 : 500, passed = 0;
    while (!fore_launch_wait(&l, was_interrupted(r) ? 20 : each)) {
        fore_launch_pass_on(&l, &r->cli->budget);
        fore_go_live_poll(&r->live, r->rings);
        if (r->as_they_come && (passed += each) >= 500) {
            analyse_rings(r, false);
            passed = 0;
        }
    }
    fore_go_live_release(&r->live);
    *status = l.status;
    fore_launch_release(&l);
    return FORE_OK;
}

/* Answers an interrupt within a second or so, during which the recording is still analysed.
 * Programs that go left behind are reported, too. */
static void analyse_interrupted(struct go_run *r)
{
    const volatile sig_atomic_t *flag = r->cli->budget.interrupted;
    struct fore_go_rings rings = {0};
    fore_go_rings_find(r->rings, r->tool.install.root, &rings);
    for (size_t i = 0; i < rings.v.n; i++)
        kill((pid_t)rings.v.at[i].pid, *flag);
    fore_vec_release(&rings.v);
    r->cli->budget.interrupted = NULL;
    r->cli->budget.spent = FORE_SPENT_NOTHING;
    r->cli->budget.deadline_ns = fore_now_ns() + 1000000000;
    r->rested = fore_now_ns();
    analyse_rings(r, true);
    r->cli->budget.interrupted = flag;
}

static enum fore_status conclude_run(struct go_run *r, int child, int *status,
                                     struct fore_err *e)
{
    if (was_interrupted(r))
        analyse_interrupted(r);
    else
        analyse_rings(r, true);
    *status = child;
    if (r->failed != FORE_OK) {
        *e = r->why;
        return r->failed;
    }
    fore_go_time_tell(&r->time, &r->found);
    double took = (double)(fore_now_ns() - r->began) / 1e9;
    r->again.how.cpu_seconds = fore_go_time_left(&r->time, r->cli);
    FORE_TRY(fore_go_again_confirm(&r->again, &r->found, took, e));
    if (!r->traces)
        return FORE_OK;
    int finish = fore_cli_finish(r->cli, &r->found, e);
    if (finish == FORE_EXIT_ERROR)
        return e->status != FORE_OK ? e->status : FORE_IO;
    if (was_interrupted(r))
        *status = finish;
    else if (child == 0 && fails_command(r, &r->found))
        *status = (int)r->exit_code;
    return FORE_OK;
}

/* ---- the verb ---- */

static enum fore_status check_words(const struct fore_cli *c, struct fore_err *e)
{
    static const char *const verbs[] = {"build", "install", "run", "test"};
    if (!c->words.v.n)
        return fore_fail(e, FORE_USAGE,
                         "go needs build, install, run or test: foresee go run .");
    for (size_t i = 0; i < 4; i++)
        if (strcmp(c->words.v.at[0], verbs[i]) == 0)
            return FORE_OK;
    return fore_fail(
        e, FORE_USAGE,
        "foresee go takes build, install, run or test, not '%s' (foresee's own flags "
        "come before it)",
        c->words.v.at[0]);
}

static enum fore_status prepare_run(struct go_run *r, struct fore_err *e)
{
    char cache[4096];
    fore_vec_push(&r->cli->words.v, NULL);
    r->cli->words.v.n--;
    FORE_TRY(fore_gotool_ask(&r->tool, e));
    FORE_TRY(take_options(r, e));
    FORE_TRY(fore_go_overlay_folder(cache, e));
    FORE_TRY(fore_gotool_mirror(&r->tool, cache, e));
    FORE_TRY(fore_go_overlay(&r->tool.install, cache,
                             fore_go_user_overlay(r->cli->words.v.at), &r->overlay, e));
    if (r->exact)
        r->watcher =
            fore_go_watcher(&r->tool, cache, getenv(FORE_GO_NAMES), r->cli->words.v.at);
    return ring_folder(r, e);
}

/* Prepares for running the programs again, if foresee can start them itself. With a
 * specification they would need the addresses that were looked up when go started them. */
static enum fore_status prepare_again(struct go_run *r, bool analyses, struct fore_err *e)
{
    const char *const *words = r->cli->words.v.at;
    bool tests = !strcmp(words[0], "test"), runs = !strcmp(words[0], "run");
    FORE_TRY(fore_go_again_open(&r->again, r->cli,
                                analyses && (tests || runs) && !r->exact &&
                                    !fore_go_has_flag(words, "exec"),
                                tests, e));
    if (r->again.notes)
        setenv(FORE_GO_STARTED, r->rings, 1);
    return FORE_OK;
}

static enum fore_status do_go(struct go_run *r, int *status, struct fore_err *e)
{
    int child;
    if (r->cli->words.v.n > 1 && strcmp(r->cli->words.v.at[0], "exec") == 0) {
        fore_vec_push(&r->cli->words.v, NULL); /* called by go itself */
        return fore_go_exec(r->cli->words.v.at + 1, e);
    }
    if (r->cli->words.v.n > 1 && strcmp(r->cli->words.v.at[0], "tool") == 0) {
        fore_vec_push(&r->cli->words.v, NULL);
        return fore_go_tool(r->cli->words.v.at + 1, status, e);
    }
    FORE_TRY(check_words(r->cli, e));
    FORE_TRY(prepare_run(r, e));
    bool analyses = !fore_params_has(&r->cli->params, "record-only");
    FORE_TRY(prepare_again(r, analyses, e));
    r->rested = r->began = fore_now_ns();
    r->as_they_come = analyses && strcmp(r->cli->words.v.at[0], "test") == 0;
    if (analyses && r->exact)
        r->live = (struct fore_go_live){.cli = r->cli, .since = r->began};
    struct fore_go_run run = {
        .tool = &r->tool,
        .overlay = r->overlay.at,
        .rings = r->rings,
        .options = r->env.at,
        .args = r->cli->words.v.at,
        .atomics = r->atomics,
        .memory = r->memory,
        .named = r->exact,
        .names = r->watcher ? getenv(FORE_GO_NAMES) : NULL,
        .watcher = r->watcher,
        .exec = r->exact || r->again.notes || getenv(FORE_GO_COLLECT),
    };
    FORE_TRY(watch_go(r, &run, &child, e));
    if (child)
        fore_go_tell_sizes(r->cli, r->rings);
    *status = child;
    return analyses ? conclude_run(r, child, status, e) : FORE_OK;
}

static int run_go(struct fore_cli *c, struct fore_err *e)
{
    struct go_run r = {.cli = c, .overlay = FORE_STRBUF_INIT, .env = FORE_STRBUF_INIT};
    int status = FORE_EXIT_ERROR;
    fore_findings_init(&r.found);
    if (do_go(&r, &status, e) != FORE_OK)
        status = FORE_EXIT_ERROR;
    if (!r.keep)
        fore_folder_remove(r.rings);
    fore_go_again_release(&r.again);
    fore_findings_release(&r.found);
    fore_map_release(&r.done);
    fore_map_release(&r.pids);
    fore_strbuf_release(&r.overlay);
    fore_strbuf_release(&r.env);
    fore_gotool_release(&r.tool);
    return status;
}

const struct fore_verb fore_verb_go = {
    .name = "go",
    .summary = "runs go test, run or build, watches your program and reports what could "
               "have happened",
    .usage = "[FLAGS] build|install|run|test [go's own flags and arguments]",
    .details =
        "Builds your program with hooks in copies of Go's own runtime (an overlay: "
        "neither the\n"
        "installation nor your sources change), so that every channel, select, mutex, "
        "wait\n"
        "group and timer is recorded, and analyses each process when it has ended.\n"
        "Works with Go 1.19 and newer. foresee's flags come before build, install, run "
        "or test;\n"
        "what follows is go's.\n"
        "foresee also records what your packages do with sync/atomic, in its order. "
        "Without that\n"
        "(--no-atomics, -race), every prediction is only possible (--possible). With "
        "--memory\n"
        "foresee also records the reads and writes of your module's packages "
        "(--memory=all: of\n"
        "all packages): it then finds data races, and knows which branches a prediction "
        "depends\n"
        "on. With --spec F it records the variables that F names (main.level, "
        "pool.stats.hits;\n"
        "pool.Pool.hits of the first Pool that is allocated), with their values, and no "
        "others.\n"
        "To confirm what it predicted (--confirm), foresee runs the program again on "
        "the\n"
        "witness, or only the test that showed it: without output and with "
        "FORESEE_FORCED=1. It\n"
        "withdraws possible findings that it cannot make happen, and counts them.\n"
        "Analyses and runs that confirm take no more processor time than the programs "
        "did (but\n"
        "half a second for each, and a second to confirm); --max-time and --confirm set "
        "other limits.\n"
        "\n"
        "The exit status is that of the go command; if that is 0, it is 66 if foresee "
        "found\n"
        "something of the level of --fail-on or graver (goroutines blocked for ever, a "
        "send on a\n"
        "closed channel). A finding that is only possible fails no build. "
        "FORESEE=\"exitcode=1\n"
        "linger_ms=20 log_path=F\" sets the same without flags. A binary made by "
        "`foresee go\n"
        "build` records if FORESEE_RING names a folder, and runs as usual otherwise.",
    .examples = "foresee go run .\n"
                "foresee go test ./...           # one trace per test binary\n"
                "foresee go --json -o f.json test -run TestPool ./pool\n"
                "foresee go --memory test ./...  # data races, observed and predicted\n"
                "foresee go --confirm=never test ./...   # run nothing twice\n"
                "foresee go --max-trace 4G run . # long runs",
    .options = options,
    .rest = FORE_REST_FIRST,
    .with_analyses = true,
    .runs_objects = true,
    .tells_verdict = true,
    .run = run_go,
};
