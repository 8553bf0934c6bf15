#include "cli/explore.h"

#include "base/path.h"
#include "cli/explore_nodes.h"
#include "cli/explore_program.h"
#include "cli/ranks.h"
#include "cli/verbs.h"
#include "explore/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAPER_CUT 50000 /* where the paper stopped its searches */
#define PAPER_WALKS 100000
#define MAX_SCHEDULERS 16

static const struct fore_option options[] = {
    {"harness", 0, "H",
     "what clients ask of the system: the name of a harness, or a file (default: the "
     "first)"},
    {"scheduler", 0, "S",
     "how to choose schedules: portfolio (default), optimal, stateful, PCT, EX, SR, DB, "
     "DP, TD, IR, LV; several, separated by commas; all (the paper's seven); script"},
    {"stateful", 0, NULL, "the same as --scheduler stateful"},
    {"all-findings", 0, NULL, "portfolio: do not stop after the first violations"},
    {"dependence", 0, "D",
     "optimal: which receives depend on each other: history (default; misses no history) "
     "or actor (those of one actor; may miss some)"},
    {"ds2-compat", 0, NULL,
     "do as the paper's tool does: share snapshots, stop at 50,000 schedules"},
    {"max-schedules", 0, "N", "stop each scheduler after N schedules"},
    {"max-depth", 0, "N", "end every schedule after N receives"},
    {"max-states", 0, "N", "stop a stateful search after N states"},
    {"fingerprint", 0, "BITS",
     "bits by which a stateful search tells states apart: 64 (default) or 128"},
    {"no-symmetry", 0, NULL, "tell apart agents that the harness treats alike"},
    {"disk", 0, "DIR",
     "where a stateful search keeps what --max-mem has no room for (default: $TMPDIR "
     "or /var/tmp)"},
    {"delays", 0, "N", "how many delays DB may spend on a schedule (default 3)"},
    {"faults", 0, "LIST",
     "faults that each schedule may have: drop=1,duplicate=1,crash=1,partition=1"},
    {"from", 0, "F", "start in the state that the receives in F lead to"},
    {"save", 0, "F",
     "when a limit ends the search, write to F what is still to be explored"},
    {"resume", 0, "F",
     "go on with what --save wrote to F: the same system and harness, or the same "
     "program; --jobs may differ"},
    {"save-every", 0, "S",
     "with --save: also save every S seconds (stateful, portfolio, programs)"},
    {"script", 0, "F",
     "the receives for --scheduler script, which asks for each if there is no file"},
    {"no-mpi", 0, NULL, "do not explore together with the other processes of an MPI job"},
    {"handler-time", 0, "S",
     "seconds after which a handler counts as looping (default 5)"},
    FORE_EXPLORE_NODES_OPTIONS,
    FORE_EXPLORE_PROGRAM_OPTIONS,
    {NULL, 0, NULL, NULL},
};

struct plan {
    struct fore_arena arena;
    struct fore_session x;
    const struct fore_scheduler *schedulers[MAX_SCHEDULERS];
    struct fore_strbuf script, from, resume;
    uint32_t rank; /* of an MPI job */
};

static enum fore_status add_scheduler(struct plan *p, const char *name,
                                      struct fore_err *e)
{
    if (!strcmp(name, "all")) {
        for (size_t i = 0; fore_schedulers[i]; i++)
            if (fore_schedulers[i]->paper)
                FORE_TRY(add_scheduler(p, fore_schedulers[i]->name, e));
        return FORE_OK;
    }
    const struct fore_scheduler *s = fore_scheduler_find(name);
    if (s && p->x.scheduler_count < MAX_SCHEDULERS) {
        p->schedulers[p->x.scheduler_count++] = s;
        return FORE_OK;
    }
    const char *names[MAX_SCHEDULERS + 2] = {"all", "script"};
    size_t n = 2;
    for (size_t i = 0; fore_schedulers[i]; i++)
        names[n++] = fore_schedulers[i]->name;
    const char *near = fore_nearest(name, names, n);
    return fore_fail(e, FORE_USAGE, "--scheduler: %s '%s'%s%s%s",
                     s ? "too many, at" : "there is no", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The default scheduler: a user who counts schedules, or asks what commutes, wants histories. */
static const char *default_scheduler(const struct fore_cli *c, struct plan *p)
{
    const char *at = p->resume.at, *saved = NULL;
    if (fore_params_has(&c->params, "stateful"))
        return "stateful";
    if (p->resume.n)
        saved = fore_frontier_line(&at, "scheduler");
    if (saved)
        return fore_arena_strndup(&p->arena, saved, strcspn(saved, "\n"));
    bool histories = fore_params_has(&c->params, "max-schedules") ||
                     fore_params_has(&c->params, "dependence");
    return histories ? "optimal" : "portfolio";
}

static enum fore_status read_schedulers(struct fore_cli *c, struct plan *p,
                                        struct fore_err *e)
{
    const char *text = fore_params_text(&c->params, "scheduler", NULL);
    if (!text)
        text = default_scheduler(c, p);
    const char *file = fore_params_text(&c->params, "script", NULL);
    p->x.schedulers = p->schedulers;
    if (!strcmp(text, "script")) {
        p->x.ask = !file;
        if (file)
            FORE_TRY(fore_strbuf_read_file(&p->script, file, e));
        p->x.script_file = file ? file : "input";
        p->x.script = p->script.at;
        return FORE_OK;
    }
    if (file)
        return fore_fail(e, FORE_USAGE, "--script needs --scheduler script");
    if (fore_params_has(&c->params, "stateful") && strcmp(text, "stateful") != 0)
        return fore_fail(e, FORE_USAGE,
                         "--stateful is --scheduler stateful; one of them is enough");
    char *rest = NULL, *list = fore_arena_strdup(&p->arena, text);
    for (char *w = strtok_r(list, ",", &rest); w; w = strtok_r(NULL, ",", &rest))
        FORE_TRY(add_scheduler(p, w, e));
    return p->x.scheduler_count ? FORE_OK
                                : fore_fail(e, FORE_USAGE, "--scheduler names none");
}

static enum fore_status read_faults(const char *text, struct fore_faults *f,
                                    struct fore_err *e)
{
    while (text && *text) {
        unsigned n = 0;
        int used = 0;
        if (sscanf(text, "drop=%u%n", &n, &used) == 1)
            f->drop = n;
        else if (sscanf(text, "duplicate=%u%n", &n, &used) == 1)
            f->duplicate = n;
        else if (sscanf(text, "crash=%u%n", &n, &used) == 1)
            f->crash = n;
        else if (sscanf(text, "partition=%u%n", &n, &used) == 1)
            f->partition = n;
        if (!used || n > 1000 || (text[used] && text[used] != ','))
            return fore_fail(e, FORE_USAGE,
                             "--faults: expected drop=N, duplicate=N, crash=N or "
                             "partition=N (at most 1000) at '%s'",
                             text);
        text += used + (text[used] == ',');
    }
    return FORE_OK;
}

static enum fore_status read_options(struct fore_cli *c, struct plan *p,
                                     struct fore_err *e)
{
    struct fore_explore_options *o = &p->x.options;
    uint64_t depth, delays;
    unsigned dependence;
    o->compat = fore_params_has(&c->params, "ds2-compat");
    FORE_TRY(fore_params_u64(&c->params, "max-schedules", o->compat ? PAPER_CUT : 0,
                             &o->max_schedules, e));
    if (!fore_params_has(&c->params, "max-schedules"))
        p->x.walks = PAPER_WALKS;
    FORE_TRY(fore_params_u64(&c->params, "max-depth", 0, &depth, e));
    FORE_TRY(fore_params_u64(&c->params, "max-states", 0, &o->max_states, e));
    FORE_TRY(fore_params_u64(&c->params, "delays", 3, &delays, e));
    FORE_TRY(
        fore_params_choice(&c->params, "dependence", "history|actor", 0, &dependence, e));
    FORE_TRY(fore_params_double(&c->params, "handler-time", 5, &p->x.handler_seconds, e));
    FORE_TRY(read_faults(fore_params_text(&c->params, "faults", NULL), &o->faults, e));
    o->max_depth = (uint32_t)(depth < UINT32_MAX ? depth : UINT32_MAX);
    o->delays = (uint32_t)(delays < 1000 ? delays : 1000);
    o->dependence = dependence ? FORE_DEPEND_ACTOR : FORE_DEPEND_HISTORY;
    unsigned wide;
    FORE_TRY(fore_params_choice(&c->params, "fingerprint", "64|128", 0, &wide, e));
    FORE_TRY(fore_params_double(&c->params, "save-every", 0, &o->save_every, e));
    o->wide = wide;
    o->no_symmetry = fore_params_has(&c->params, "no-symmetry");
    o->folder = fore_params_text(&c->params, "disk", NULL);
    o->first_only = !fore_params_has(&c->params, "all-findings");
    o->budget = c->budget;
    o->seed = c->seed;
    o->jobs = c->jobs;
    /* a step of a process costs a thousand times a step of an actor */
    o->slow = fore_params_has(&c->params, "nodes");
    o->no_copies = fore_params_has(&c->params, "no-copies");
    p->x.shrink_states = o->slow ? 3000 : 300000;
    p->x.from_file = fore_params_text(&c->params, "from", NULL);
    if (p->x.from_file) {
        FORE_TRY(fore_strbuf_read_file(&p->from, p->x.from_file, e));
        p->x.from = p->from.at;
    }
    return FORE_OK;
}

/* Called before the schedulers are read, because the file may name one. */
static enum fore_status read_resume(struct fore_cli *c, struct plan *p,
                                    struct fore_err *e)
{
    p->x.resume_file = fore_params_text(&c->params, "resume", NULL);
    if (!p->x.resume_file)
        return FORE_OK;
    FORE_TRY(fore_strbuf_read_file(&p->resume, p->x.resume_file, e));
    p->x.resume = p->resume.at;
    return FORE_OK;
}

/* Reads the file for a single scheduler. */
static enum fore_status read_frontier(struct fore_cli *c, struct plan *p,
                                      struct fore_err *e)
{
    struct fore_explore_options *o = &p->x.options;
    p->x.save_file = fore_params_text(&c->params, "save", NULL);
    if (!p->x.save_file && !p->x.resume_file)
        return FORE_OK;
    if (p->x.scheduler_count != 1 || !fore_scheduler_resumes(p->schedulers[0]))
        return fore_fail(e, FORE_USAGE,
                         "--save and --resume need one scheduler, and it must be "
                         "portfolio, stateful, optimal, EX, DB, DP, TD, IR or LV");
    if (!p->schedulers[0]->levels)
        return FORE_OK;
    if (o->slow)
        return fore_fail(e, FORE_USAGE,
                         "--save and --resume cannot keep the states of nodes, which are "
                         "processes: use --scheduler optimal, which keeps schedules");
    o->save = p->x.save_file;
    o->resume = p->x.resume_file;
    p->x.save_file = p->x.resume_file = p->x.resume = NULL;
    return FORE_OK;
}

/* Joins the job if `mpirun` has started this process as one of several. */
static enum fore_status join_job(struct fore_cli *c, struct plan *p, struct fore_err *e)
{
    FORE_TRY(fore_ranks_plugin(c, &p->arena, &p->x.mpi, &p->rank, e));
    if (p->x.mpi && (p->x.save_file || p->x.resume) && !p->schedulers[0]->ranks)
        return fore_fail(
            e, FORE_USAGE,
            "the processes of an MPI job can save and resume portfolio, stateful and "
            "optimal, not %s (--no-mpi: each explores for itself)",
            p->schedulers[0]->name);
    return FORE_OK;
}

/* Tells how to resume: only the time since the latest checkpoint is lost. */
static void tell_how_to_resume(const struct plan *p, struct fore_findings *f)
{
    const char *file = p->x.options.save;
    if (file && !f->completeness.exhausted && !access(file, R_OK))
        fore_findings_remark(f, "what was explored is in %s: --resume %s goes on with it",
                             file, file);
}

/* Ends a rank other than the first, which reports for all of them; of errors, a rank prints only
 * its own crash. */
static int end_silently(enum fore_status s, struct fore_err *e)
{
    if (s != FORE_OK && s != FORE_CHILD)
        *e = (struct fore_err){0};
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

/* Places show the harness without its folder. */
static void quote_harness(const struct fore_session *x, struct fore_findings *f)
{
    if (f->list.n)
        fore_findings_read_from(f, fore_base_name(x->subject.harness),
                                x->subject.harness);
}

static int explore_plan(struct fore_cli *c, struct plan *p, struct fore_err *e)
{
    struct fore_session_result r;
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    fore_progress_start(&c->progress, c->progress_mode, "exploring");
    enum fore_status s = fore_session_run(&p->x, &c->progress, &r, e);
    fore_progress_finish(&c->progress);
    fore_findings_init(&f);
    if (p->x.mpi && p->rank) {
        status = end_silently(s, e);
    } else if (s == FORE_OK && p->x.script) {
        status = fore_explore_told(c, &r, e);
    } else if (s == FORE_OK) {
        fore_explore_remarks(&p->x, &r, &f);
        fore_explore_stats(&p->x, &r, &f);
        fore_explore_findings(&r, &f);
        quote_harness(&p->x, &f);
        tell_how_to_resume(p, &f);
        status = fore_cli_finish(c, &f, e);
    }
    fore_findings_release(&f);
    fore_session_release(&r);
    return status;
}

static int run_explore(struct fore_cli *c, struct fore_err *e)
{
    struct plan p = {.arena = FORE_ARENA_INIT,
                     .script = FORE_STRBUF_INIT,
                     .from = FORE_STRBUF_INIT,
                     .resume = FORE_STRBUF_INIT};
    int status = FORE_EXIT_ERROR;
    bool nodes = fore_params_has(&c->params, "nodes");
    bool program = c->words.dashed && !c->words.behind && c->words.v.n && !nodes;
    const char *wrong = fore_explore_misused(c, program);
    if (wrong) {
        fore_fail(e, FORE_USAGE, "--%s is for %s", wrong,
                  program ? "actor systems" : "programs: foresee explore -- ./prog");
        return FORE_EXIT_ERROR;
    }
    if (program)
        return fore_explore_program(c, e);
    if (nodes && !c->words.v.n) {
        fore_fail(e, FORE_USAGE,
                  "--nodes needs a command: foresee explore --nodes 3 -- ./node");
        return FORE_EXIT_ERROR;
    }
    if (!nodes && c->words.v.n != 1) {
        fore_fail(e, FORE_USAGE,
                  "explore needs a system, or a program after --: foresee explore dr "
                  "--harness 2r1w, or foresee explore -- ./prog");
        return FORE_EXIT_ERROR;
    }
    enum fore_status s = read_resume(c, &p, e);
    if (s == FORE_OK)
        s = read_schedulers(c, &p, e);
    if (s == FORE_OK)
        s = read_options(c, &p, e);
    if (s == FORE_OK)
        s = read_frontier(c, &p, e);
    if (s == FORE_OK)
        s = join_job(c, &p, e);
    if (s == FORE_OK && nodes)
        s = fore_explore_nodes(c, &p.arena, &p.x.subject, e);
    else if (s == FORE_OK)
        s = fore_system_find(&p.arena, c->words.v.at[0],
                             fore_params_text(&c->params, "harness", NULL), &p.x.subject,
                             e);
    char folder[64] = "";
    if (s == FORE_OK && nodes)
        fore_nodes_folder_make(folder);
    if (s == FORE_OK && nodes && p.x.mpi)
        fore_nodes_share();
    if (s == FORE_OK)
        status = explore_plan(c, &p, e);
    if (nodes)
        fore_nodes_own_error(c, &p.x.subject, e);
    fore_nodes_folder_remove(folder);
    if (!p.rank)
        fore_nodes_unshare();
    fore_strbuf_release(&p.script);
    fore_strbuf_release(&p.from);
    fore_strbuf_release(&p.resume);
    fore_arena_release(&p.arena);
    return status;
}

const struct fore_verb fore_verb_explore = {
    .name = "explore",
    .summary = "explores the schedules of an actor system, or of a program",
    .usage = "SYSTEM [--harness H] [--scheduler S] | [--strategy S] -- CMD...",
    .details = "SYSTEM is a shared object, or the name of one in $FORESEE_PATH, beside "
               "foresee or in\n"
               "lib/foresee. The harness says what clients ask and what the answers "
               "mean. foresee\n"
               "checks every history against the sequential object that the harness "
               "names. `portfolio`\n"
               "visits each state once, nearest first, with random walks beside it, and "
               "stops soon\n"
               "after the first violation; `optimal` runs one schedule of each class "
               "that clients\n"
               "could tell apart. The system runs in a supervised process: when it "
               "crashes or loops,\n"
               "foresee says where.\n"
               "With -- CMD, foresee runs a program built with 'foresee cc', go test or "
               "go run again\n"
               "and again, each time on another schedule, until it fails: an assertion, "
               "a crash, an exit\n"
               "status other than 0, a report of a sanitizer, a deadlock, a race, a "
               "violated property.\n"
               "`guided` reverses pairs of steps that a run shows to be reversible, and "
               "says when no\n"
               "pair is left. foresee reduces a failure to the fewest switches between "
               "threads and\n"
               "saves it; 'foresee replay' repeats it. The exit status is 1 for a "
               "failure, 0 if no\n"
               "schedule is left or all of --runs were done, 3 if time or memory ended "
               "the search.",
    .examples =
        "foresee explore edr --harness 2r1w           # a register that loses writes\n"
        "foresee explore dr --harness 2r1w --scheduler all --ds2-compat   # the paper's "
        "table\n"
        "foresee explore adr --harness 2r2w --all-findings\n"
        "foresee explore raft --faults crash=1 --max-schedules 100000\n"
        "mpirun -n 4 foresee explore adr --harness 2r2w --save F --save-every 600\n"
        "foresee explore dr --scheduler script       # choose every receive yourself\n"
        "foresee explore --max-time 60 -- ./prog arg # a real program\n"
        "mpirun -n 8 foresee explore --max-time 600 -- ./prog   # by eight processes\n"
        "foresee explore go test -run TestPool ./pool      # a Go test\n"
        "foresee explore --nodes 3 --workload lin-kv -- ./node   # real processes",
    .options = options,
    .finds = true,
    .rest = FORE_REST_GO,
    .with_analyses = true,
    .run = run_explore,
};
