#include "cli/confirm.h"

#include "capture/control/schedule.h"
#include "cli/confirm_hunt.h"
#include "cli/confirm_observed.h"
#include "cli/ignore.h"
#include "cli/replay.h"
#include "explore/program/failure.h"
#include "explore/program/witness.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool stop_asked(const struct fore_cli *c)
{
    return c->budget.interrupted && *c->budget.interrupted;
}

/* ---- options ---- */

enum fore_status fore_confirm_read(struct fore_cli *c, struct fore_confirm *how,
                                   struct fore_err *e)
{
    struct stat st;
    unsigned when = FORE_CONFIRM_AUTO;
    const char *set = getenv("FORESEE_CONFIRM");
    const char *given = fore_params_text(&c->params, "confirm", NULL);
    *how = (struct fore_confirm){.seconds = 10};
    if (given && !*given) {
        when = FORE_CONFIRM_ALWAYS;
    } else if (given) {
        FORE_TRY(
            fore_params_choice(&c->params, "confirm", "auto|always|never", 0, &when, e));
    } else if (set && (!strcmp(set, "never") || !strcmp(set, "always"))) {
        when = *set == 'n' ? FORE_CONFIRM_NEVER : FORE_CONFIRM_ALWAYS;
    }
    FORE_TRY(fore_params_double(&c->params, "confirm-time", 10, &how->seconds, e));
    how->when = (enum fore_confirm_when)when;
    ssize_t n = readlink("/proc/self/fd/0", how->path, sizeof how->path - 1);
    how->path[n > 0 ? n : 0] = 0;
    if (n > 0 && !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode))
        how->input = how->path;
    else
        how->unrepeatable = n > 0 && strcmp(how->path, "/dev/null") != 0;
    return FORE_OK;
}

/* ---- one forced run ---- */

void fore_forced_release(struct fore_forced *r)
{
    fore_strbuf_release(&r->output);
    fore_strbuf_release(&r->failure);
}

/* A witness of a property has only the events that the specification needs. */
static bool is_relevant_only(const struct fore_finding *x)
{
    return !strcmp(x->rule->name, "property-violation");
}

static struct fore_moved moved_in(const struct fore_started *program)
{
    return (struct fore_moved){program ? program->from : NULL,
                               program ? program->to : NULL};
}

static enum fore_status put_schedule(const struct fore_finding *x,
                                     const struct fore_started *program, bool loosely,
                                     struct fore_strbuf *out, struct fore_err *e)
{
    struct fore_trace w;
    if (fore_witness_is_schedule(x->witness_trace)) {
        fore_strbuf_puts(out, x->witness_trace);
        return FORE_OK;
    }
    fore_trace_init(&w, "witness");
    enum fore_status s =
        fore_trace_parse(&w, x->witness_trace, strlen(x->witness_trace), e);
    if (s == FORE_OK)
        fore_witness_schedule(x, &w, loosely, moved_in(program), out);
    fore_trace_release(&w);
    return s;
}

enum fore_status fore_confirm_schedule(const struct fore_finding *x,
                                       const struct fore_started *program, bool loosely,
                                       struct fore_strbuf *out, struct fore_err *e)
{
    return put_schedule(x, program, loosely || is_relevant_only(x), out, e);
}

static void enter_result(struct fore_findings *f, struct fore_finding *x,
                         enum fore_tried result, uint32_t step, const char *reason)
{
    x->confirmation =
        (struct fore_confirmation){result, fore_arena_strdup(&f->arena, reason), step};
}

static void enter_confirmed(struct fore_findings *f, struct fore_finding *x,
                            const struct fore_forced *r)
{
    fore_finding_happened(x, FORE_VERDICT_CONFIRMED);
    enter_result(f, x, FORE_CONFIRMED, r->steps, "");
    fore_finding_fact(f, x, "confirmed",
                      "run again on the schedule of the witness (%u step%s), the program "
                      "did it",
                      r->steps, r->steps == 1 ? "" : "s");
    if (r->failed && strcmp(r->failed, x->rule->name) != 0)
        fore_finding_fact(f, x, "then", "%s", r->failure.at);
}

/* Has a timer fired, which is a step that no witness has? The end of a sleep in a C program does
 * not count: it decides only when the thread goes on, which the schedule chooses anyway. */
static bool has_timer_fired(const struct fore_rerun *p, const struct fore_finding *x)
{
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    uint64_t n = p->outcome->logged;
    bool sleeps_count =
        !p->host || p->host->traced || !strcmp(x->rule->name, "data-race");
    for (uint64_t i = 0; i < n && i < FORE_OUTCOME_MOST; i++)
        if (s[i].flags & FORE_OUTCOME_TIMEOUT &&
            (sleeps_count || s[i].kind != FORE_OP_sleep))
            return true;
    return false;
}

/* Does the finding have a thread that does not descend from the first, such as one that the C
 * library began? It can be neither held nor let go. */
static bool has_strange_thread(const struct fore_finding *x)
{
    for (size_t i = 0; i < x->places.n; i++) {
        const char *path = x->places.at[i].path;
        if (path[0] && (path[0] != '1' || (path[1] && path[1] != '.')))
            return true;
    }
    return false;
}

/* Is one of its places a line that may belong to the access of a neighbouring byte? Then the
 * access may not be met there. */
static bool is_told_near(const struct fore_finding *x)
{
    return fore_finding_has_fact(x, FORE_FACT_NEAR);
}

/* Why the run proves nothing against the witness; NULL: it does, because everything was under
 * control. It proves nothing if the two threads stood at other objects, or if steps were
 * skipped: accesses are counted as recorded, and there may have been more, to memory of the
 * thread's own, so that it was stopped too early. Nor does it if the program departed from a
 * certain step and has randomness besides its schedule, because the recorded run had another
 * seed; nor if time decided. */
static const char *why_no_proof(const struct fore_finding *x, const struct fore_rerun *p,
                                const struct fore_forced *r)
{
    const struct fore_outcome *o = p->outcome;
    bool ended = o->end == FORE_OUTCOME_EXITED || o->end == FORE_OUTCOME_STUCK;
    if (p->timed_out)
        return "the forced run did not end in time";
    if (!fore_rerun_took(p))
        return "the program never read the schedule";
    if (r->unfed)
        return "its input came from a pipe or a terminal, and this run had none";
    if (o->uncontrolled)
        return o->uncontrolled_by;
    if (o->end == FORE_OUTCOME_SPINS)
        return "the run was given up: threads looped on memory that no thread changed";
    if (!ended)
        return "the forced run did not come to its end";
    if (!(p->host && p->host->traced) && has_strange_thread(x))
        return "a thread that the program did not start itself is not controlled";
    if (is_told_near(x))
        return "the line of an access is not known for sure";
    if (o->deviated && (r->timed || has_timer_fired(p, x)))
        return "a timer fired that is not in the witness";
    if (o->deviated && p->host && p->host->seeded && x->verdict == FORE_VERDICT_PREDICTED)
        return "";
    return fore_witness_stood_apart(o) || o->skipped ? "" : NULL;
}

/* Enters what the program did instead, and whether that refutes the witness. `claimed`: a run
 * can show everything that the finding claims, and this one does not. */
static void enter_other(struct fore_findings *f, struct fore_finding *x,
                        const struct fore_rerun *p, const struct fore_forced *r,
                        bool claimed, const char *reason)
{
    const struct fore_outcome *o = p->outcome;
    const char *no_proof = why_no_proof(x, p, r);
    const char *why = o->deviated ? o->reason : reason;
    bool refuted = !no_proof && (o->deviated || claimed);
    if (no_proof && *no_proof)
        why = o->deviated && !p->timed_out
                  ? fore_findings_printf(f, "%s (%s)", o->reason, no_proof)
                  : no_proof;
    enter_result(f, x, refuted ? FORE_REFUTED : FORE_NOT_CONFIRMED, o->done, why);
    fore_finding_fact(f, x, fore_tried_name(x->confirmation.result),
                      "run again, the program came to step %u of %u: %s", o->done,
                      o->steps, why);
}

static enum fore_status
judge_forced_run(struct fore_cli *c, struct fore_findings *f, struct fore_finding *x,
                 const struct fore_trace *witness, struct fore_moved moved,
                 const struct fore_confirm *how, const struct fore_rerun *p,
                 struct fore_forced *r, struct fore_err *e)
{
    struct fore_strbuf reason = FORE_STRBUF_INIT;
    struct fore_confirm_sight o = {.x = x, .witness = witness, .moved = moved};
    bool traced = p->host && p->host->traced;
    bool all = r->took && !p->outcome->deviated && r->done == r->steps;
    enum fore_truth truth =
        fore_witness_came_true(x, witness, moved, p->outcome, &reason);
    bool claimed = truth == FORE_NO || is_relevant_only(x);
    enum fore_status s = FORE_OK;
    if (r->took && (truth == FORE_UNKNOWN || (traced && !(all && truth == FORE_YES)))) {
        s = fore_confirm_observed(c, f, how, &o, p, e);
        all = o.seen;
        truth = o.seen ? FORE_YES : FORE_NO;
        if (!o.seen && !reason.n)
            fore_strbuf_puts(&reason, "the forced run does not show it");
    }
    if (s == FORE_OK && all && truth == FORE_YES)
        enter_confirmed(f, x, r);
    else if (s == FORE_OK)
        enter_other(f, x, p, r, claimed, reason.at);
    fore_strbuf_release(&reason);
    return s;
}

/* Does the run read something that may have been the program's standard input? */
static bool reads_outside(const struct fore_trace *w)
{
    for (size_t i = 0; i < w->events.n; i++)
        if (w->events.at[i].kind == FORE_EV_IN)
            return true;
    return false;
}

static bool lets_timer_fire(const char *schedule)
{
    struct fore_schedule s;
    char why[160];
    bool fires = fore_schedule_parse(&s, fore_strdup(schedule), why, sizeof why) &&
                 fore_schedule_path(&s, FORE_SCHEDULE_CLOCK) != UINT32_MAX;
    fore_schedule_release(&s);
    return fires;
}

struct fore_rerun_how fore_confirm_start(const struct fore_started *program,
                                         const struct fore_confirm *how)
{
    return (struct fore_rerun_how){.argv = program->argv,
                                   .directory = program->directory,
                                   .input = how->input,
                                   .seconds = how->seconds,
                                   .cpu = -1};
}

static enum fore_status
force_once(struct fore_cli *c, struct fore_findings *f, struct fore_finding *x,
           const struct fore_started *program, const struct fore_confirm *how, bool shown,
           bool loosely, struct fore_forced *out, struct fore_err *e)
{
    struct fore_rerun_how start = fore_confirm_start(program, how);
    start.shown = shown;
    start.alone = true;
    struct fore_rerun p = {0};
    struct fore_trace w;
    struct fore_strbuf schedule = FORE_STRBUF_INIT;
    struct fore_failure failure = FORE_FAILURE_INIT;
    *out = (struct fore_forced){.output = FORE_STRBUF_INIT, .failure = FORE_STRBUF_INIT};
    fore_trace_init(&w, "witness");
    if (fore_trace_parse(&w, x->witness_trace, strlen(x->witness_trace), e) !=
        FORE_OK) { /* a bad witness does not keep the others from being tried */
        enter_result(f, x, FORE_NOT_CONFIRMED, 0, e->msg);
        *e = (struct fore_err){0};
        fore_trace_release(&w);
        return FORE_OK;
    }
    enum fore_status s = put_schedule(x, program, loosely, &schedule, e);
    if (s == FORE_OK)
        s = fore_rerun_open(&p, &start, e);
    if (s == FORE_OK)
        s = fore_rerun_run(&p, schedule.at, c->budget.interrupted, e);
    if (s == FORE_OK) {
        fore_failure_of(&p, &failure);
        out->took = fore_rerun_took(&p);
        out->steps = p.outcome->steps;
        out->done = p.outcome->done;
        out->timed_out = p.timed_out;
        out->unfed = how->unrepeatable && reads_outside(&w);
        out->timed = lets_timer_fire(schedule.at);
        fore_rerun_output(&p, &out->output);
        if ((out->failed = failure.rule))
            fore_strbuf_puts(&out->failure, failure.message.at);
        s = judge_forced_run(c, f, x, &w, moved_in(program), how, &p, out, e);
    }
    if (p.folder[0])
        fore_rerun_close(&p);
    fore_failure_release(&failure);
    fore_strbuf_release(&schedule);
    fore_trace_release(&w);
    return s;
}

/* A finding that some other run shows needs no witness. */
static enum fore_status hunt_failure(struct fore_cli *c, struct fore_findings *f,
                                     struct fore_finding *x,
                                     const struct fore_started *program,
                                     const struct fore_confirm *how, size_t facts,
                                     struct fore_err *e)
{
    size_t told = x->facts.n;
    x->facts.n = facts;
    FORE_TRY(fore_confirm_hunt(c, f, x, program, how, e));
    if (x->confirmation.result != FORE_CONFIRMED)
        x->facts.n = told;
    return FORE_OK;
}

/* Before a finding is withdrawn, the witness is tried again more loosely: a program that does
 * not follow it step by step may still do its steps if others are allowed between them, or none
 * of them is required. */
enum fore_status fore_confirm_one(struct fore_cli *c, struct fore_findings *f,
                                  struct fore_finding *x,
                                  const struct fore_started *program,
                                  const struct fore_confirm *how, bool shown,
                                  struct fore_forced *out, struct fore_err *e)
{
    const struct fore_host *host = fore_host_of(program->argv[0]);
    bool loosely = is_relevant_only(x), traced = host && host->traced;
    size_t facts = x->facts.n;
    FORE_TRY(force_once(c, f, x, program, how, shown, loosely, out, e));
    if (!loosely && (x->confirmation.result == FORE_REFUTED ||
                     (traced && x->confirmation.result != FORE_CONFIRMED))) {
        x->facts.n = facts;
        fore_forced_release(out);
        FORE_TRY(force_once(c, f, x, program, how, shown, true, out, e));
    }
    return traced && x->confirmation.result != FORE_CONFIRMED
               ? hunt_failure(c, f, x, program, how, facts, e)
               : FORE_OK;
}

/* ---- all of them ---- */

static bool is_to_be_forced(const struct fore_finding *x, const struct fore_confirm *how)
{
    return x->verdict <= FORE_VERDICT_PREDICTED && x->witness_trace[0] &&
           (x->level > FORE_LEVEL_NOTE || how->when == FORE_CONFIRM_ALWAYS);
}

static enum fore_status force_finding(struct fore_cli *c, struct fore_findings *f,
                                      struct fore_finding *x,
                                      const struct fore_started *program,
                                      const struct fore_confirm *how, bool ours,
                                      bool *can, struct fore_err *e)
{
    if (ours) {
        struct fore_forced r;
        FORE_TRY(fore_confirm_one(c, f, x, program, how, false, &r, e));
        fore_forced_release(&r);
        return FORE_OK;
    }
    struct fore_cli_replay r;
    FORE_TRY(fore_replay_finding(f, x, program->argv, true, how->seconds, &r, e));
    *can = r.recorded && r.steps;
    fore_cli_replay_release(&r);
    return FORE_OK;
}

/* Withdraws a refuted finding. If it had been predicted that is reported, because it is a fault
 * of foresee. */
static void take_back(struct fore_cli *c, struct fore_findings *f)
{
    size_t kept = 0, taken = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        bool refuted = x->confirmation.result == FORE_REFUTED;
        taken += refuted && !x->conjecture && x->verdict == FORE_VERDICT_PREDICTED;
        if (refuted && !fore_params_has(&c->params, "possible"))
            fore_finding_release(x);
        else
            f->list.at[kept++] = x;
        if (refuted && x->verdict == FORE_VERDICT_PREDICTED)
            x->verdict = FORE_VERDICT_POSSIBLE;
    }
    f->list.n = kept;
    if (taken)
        fore_findings_remark(
            f,
            "%zu finding%s withdrawn: run on the witness, the program cannot get there",
            taken, taken == 1 ? " was" : "s were");
}

void fore_confirm_drop_conjectures(struct fore_findings *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        if (x->conjecture && x->confirmation.result != FORE_CONFIRMED)
            fore_finding_release(x);
        else
            f->list.at[kept++] = x;
    }
    f->list.n = kept;
}

/* When the time for all of them is over. */
struct confirm_time {
    uint64_t until, cpu_until; /* 0: any */
};

static bool is_over(const struct confirm_time *t)
{
    return fore_now_ns() > t->until || (t->cpu_until && fore_cpu_all_ns() > t->cpu_until);
}

/* The time that one of them may take: others may need the processors, too. */
static double one_run(const struct confirm_time *t, double most)
{
    double left = (double)(t->until - fore_now_ns()) / 1e9;
    uint64_t used = t->cpu_until ? fore_cpu_all_ns() : 0;
    if (used < t->cpu_until && left > 1 + 2 * (double)(t->cpu_until - used) / 1e9)
        left = 1 + 2 * (double)(t->cpu_until - used) / 1e9;
    return left > 0.1 && left < most ? left : most;
}

enum fore_status fore_confirm_findings(struct fore_cli *c, struct fore_findings *f,
                                       const struct fore_started *program,
                                       const struct fore_confirm *how, double took,
                                       struct fore_err *e)
{
    bool ours = !program || fore_host_of(program->argv[0]), can = true, said = false;
    struct confirm_time time = {fore_now_ns() + (uint64_t)((took > 10 ? took : 10) * 1e9),
                                0};
    if (how->cpu_seconds > 0)
        time.cpu_until = fore_cpu_all_ns() + (uint64_t)(how->cpu_seconds * 1e9);
    /* findings that the user ignores need no forced run */
    FORE_TRY(fore_ignore_apply(f, e));
    fore_findings_seal(f);
    if (how->when == FORE_CONFIRM_NEVER || (how->when == FORE_CONFIRM_AUTO && !ours))
        return FORE_OK;
    for (size_t i = 0; i < f->list.n && can && !stop_asked(c); i++) {
        struct fore_finding *x = f->list.at[i];
        struct fore_started own = program ? *program : (struct fore_started){0};
        if (!is_to_be_forced(x, how) ||
            (how->program_of && !how->program_of(how->ctx, x, &own)))
            continue;
        if (how->when == FORE_CONFIRM_AUTO && is_over(&time)) {
            fore_findings_remark(f, "no time was left to run the program on every "
                                    "witness (--confirm takes the time)");
            break;
        }
        if (!said)
            fore_cli_say(c, "running the program again, without its output, to confirm "
                            "what was predicted (--confirm=never turns this off)");
        said = true;
        struct fore_confirm now = *how;
        if (how->when == FORE_CONFIRM_AUTO)
            now.seconds = one_run(&time, now.seconds);
        now.cpu_until = how->when == FORE_CONFIRM_AUTO ? time.cpu_until : 0;
        FORE_TRY(force_finding(c, f, x, &own, &now, ours, &can, e));
    }
    if (!can)
        fore_cli_say(c, "only CSP programs and programs built with 'foresee cc' or "
                        "'foresee go' can be run again on a witness");
    take_back(c, f);
    return FORE_OK;
}
