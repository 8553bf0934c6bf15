/* Predicts: waits that never end (blocked-forever, lock-cycle) in another order of the observed
 *           run, in which every thread does a prefix of what it did, with the same results.
 * Sound:    yes, if the program is deterministic between recorded operations: the witness is a
 *           run of the machine to a state in which nobody can take a step, and no thread has
 *           left the trace.
 * Complete: for small traces (the search ends), else no: directed runs by patterns, a few per
 *           pair of places. What needs a thread to leave the trace is out of reach.
 * Cost:     O(events) per directed run, at most 64 runs; bounded search on small traces. Nothing
 *           if the survey of a long trace shows that no pattern can begin in it.
 * Source:   [spdeadlock] for the closure; [goscout] for the operations. docs/theory/deadlock.md */
#include "analysis/deadlock/deadlock_state.h"

#include "analysis/deadlock/deadlock.h"
#include "trace/waits.h"

static bool deadlock_applies(const struct fore_trace *t, const struct fore_params *params)
{
    (void)params;
    return fore_trace_has_group(t, FORE_GROUP_LOCK) ||
           fore_trace_has_group(t, FORE_GROUP_CHANNEL);
}

static void write_stats(const struct fore_dl *d)
{
    struct fore_strbuf json = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &json);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "candidates", d->candidates);
    fore_jsonw_u64(&w, "attempts", d->attempts);
    fore_jsonw_u64(&w, "states", d->states);
    fore_jsonw_bool(&w, "every_order", d->exhaustive);
    fore_jsonw_u64(&w, "predicted", d->found);
    fore_jsonw_close(&w, '}');
    fore_findings_stats(d->ctx->out, "deadlock", json.at);
    fore_strbuf_release(&json);
}

/* Each pattern begins with waiting or locking under a lock, or with something that can come too
 * early: a signal, a send into a buffer, a semaphore's taking. */
bool fore_dl_may_match(const struct fore_trace *t, const struct fore_survey *s)
{
    if (s->waited_locked || fore_survey_has(s, FORE_EV_CSIGNAL) ||
        fore_survey_has(s, FORE_EV_CBROADCAST) || fore_survey_has(s, FORE_EV_ACQUIRE))
        return true;
    for (uint32_t x = 1; x < s->chans.n; x++)
        if (s->chans.at[x].first[FORE_CASE_SEND] && t->tables.objects.at[x].capacity)
            return true;
    for (size_t i = 1; i < s->threads.n; i++)
        if (s->threads.at[i].held && s->threads.at[i].over)
            return true;
    return false;
}

static bool has_choices(const struct fore_survey *s)
{
    for (size_t i = 0; i < s->uses.n; i++)
        if (s->uses.at[i].chose)
            return true;
    return false;
}

/* Of a trace that has more operations than are tried in every order. A select may have been left by its timer,
 * which is looked into if that was asked for and the trace is not too long. */
static bool nothing_to_do(const struct fore_trace *t, bool possible, bool *left_out)
{
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(t, &own);
    uint64_t n = fore_trace_length(t);
    bool timers = possible && has_choices(s);
    *left_out = timers && n > FORE_DL_SHORT;
    bool nothing = n > FORE_DL_EVENTS * FORE_DL_SMALL && (!timers || *left_out) &&
                   (!fore_dl_may_match(t, s) ||
                    (!t->torn && !t->lost && fore_survey_waits_end(s, false)));
    fore_survey_release(&own);
    return nothing;
}

static enum fore_status predict_waits(struct fore_dl *d, struct fore_err *e)
{
    d->index = fore_run_index(d->observed);
    if (d->ctx->possible)
        fore_dl_find_returns(d);
    enum fore_status s = fore_dl_patterns(d, e);
    if (s == FORE_OK && !d->patterns_only)
        s = fore_dl_search(d, e);
    if (d->attempts > d->found && (d->patterns_only || d->p->op_count > FORE_DL_SMALL))
        fore_dl_cap(d, "not every order of more than 2000 operations was tried");
    if (s == FORE_OK && !d->exhaustive && d->capped)
        fore_findings_sampled(d->ctx->out, "deadlocks: %s", d->capped);
    fore_map_release(&d->returns);
    fore_steps_release(&d->steps);
    return s;
}

enum fore_status fore_dl_look(struct fore_dl *d, struct fore_run *observed,
                              struct fore_err *e)
{
    struct fore_survey surveyed = {0};
    FORE_TRY(fore_run_replay(observed, d->trace, e));
    d->observed = observed;
    d->p = &observed->p;
    d->survey = fore_trace_survey(d->trace, &surveyed);
    enum fore_status s = predict_waits(d, e);
    fore_survey_release(&surveyed);
    return s;
}

void fore_dl_release(struct fore_dl *d)
{
    fore_map_release(&d->told);
    fore_vec_release(&d->tellings);
}

static bool is_plain_access(const struct fore_event *e)
{
    return fore_kind_group(e->kind) == FORE_GROUP_MEMORY && !fore_event_order(e);
}

/* A thread that reads another value than it recorded is off the trace where values are not recorded: most runs of locks
 * around data are. What the operations allow without the plain reads and writes is possible, as it would be if memory had not
 * been recorded. */
static enum fore_status predict_without_memory(struct fore_dl *d, struct fore_err *e)
{
    const struct fore_trace *t = d->trace;
    struct fore_trace bare = *t;
    struct fore_run run = {0};
    if (!fore_params_has(d->ctx->params, "conjectures") ||
        !fore_trace_sees(t, FORE_SEES_MEMORY) || fore_trace_sees(t, FORE_SEES_VALUES))
        return FORE_OK;
    memset(&bare.events, 0, sizeof bare.events);
    bare.survey = (struct fore_survey){0};
    bare.tables.sees &= ~(unsigned)FORE_SEES_MEMORY;
    for (size_t i = 0; i < t->events.n; i++)
        if (!is_plain_access(&t->events.at[i]))
            fore_vec_push(&bare.events, t->events.at[i]);
    d->trace = &bare;
    d->bare = true;
    enum fore_status s = fore_dl_look(d, &run, e);
    fore_run_release(&run);
    fore_vec_release(&bare.events);
    return s;
}

static bool deadlock_brief(const struct fore_trace *t,
                           const struct fore_analysis_ctx *ctx)
{
    bool left_out;
    return nothing_to_do(t, ctx->possible, &left_out) ||
           (t->thin && fore_dl_thin_is_enough(t, ctx));
}

static enum fore_status run_deadlock(const struct fore_trace *t,
                                     struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct fore_dl d = {.trace = t, .ctx = ctx};
    struct fore_run own = {0}, *observed = ctx->observed ? ctx->observed : &own;
    bool left_out;
    if (nothing_to_do(t, ctx->possible, &left_out)) {
        write_stats(&d);
        if (left_out)
            fore_findings_sampled(ctx->out,
                                  "deadlocks: of more than %d events no timeout of a "
                                  "select was tried",
                                  FORE_DL_SHORT);
        return FORE_OK;
    }
    enum fore_status s =
        t->brief ? fore_dl_look_thin(&d, t, ctx, e) : fore_dl_look(&d, observed, e);
    if (s == FORE_OK)
        write_stats(&d);
    if (s == FORE_OK && !t->brief)
        s = predict_without_memory(&d, e);
    fore_dl_release(&d);
    fore_run_release(&own);
    return s;
}

const struct fore_analysis fore_analysis_deadlock = {
    .name = "deadlock",
    .summary = "waits that never end in another order of the same operations",
    .rules = "blocked-forever,lock-cycle",
    .applies = deadlock_applies,
    .brief = deadlock_brief,
    .run = run_deadlock,
};
