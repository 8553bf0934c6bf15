/* Predicts: a wait for a wait group that is over before the group is counted up: the wait finds
 *           the counter at zero while another thread is about to add to it.
 * Sound:    yes, if the program is deterministic between recorded operations: the witness is a
 *           run of the machine that ends with the two side by side.
 * Complete: for runs that keep the order of locks and of all other synchronisation, but for two
 *           bounds: of two places in the source some pairs are tried, and the counter is brought
 *           to zero greedily.
 * Cost:     one pass with vector clocks, a search per pair without order, one run per finding.
 *           Nothing if by the survey nobody else adds to a group that somebody waits for.
 * Source:   the rule of Go's sync.WaitGroup: what adds at zero must happen before a wait. */
#include "analysis/waitgroup/waitgroup.h"

#include "analysis/waitgroup/waitgroup_state.h"
#include "causal/gather.h"

#include <stdlib.h>

/* What the operation adds, 0 for a wait; false if it is none on a wait group, or adds nothing. */
static bool delta_of(const struct fore_event *e, int64_t *by)
{
    *by = e->kind == FORE_EV_WGADD ? (int64_t)e->a : -(e->kind == FORE_EV_WGDONE);
    return *by || (e->kind == FORE_EV_WGWAIT && !(e->flags & FORE_F_PRE));
}

static enum fore_flow visit_group_event(void *ctx, const struct fore_moment *m)
{
    struct fore_wg *g = ctx;
    const struct fore_event *e = m->event;
    struct fore_wg_op op = {
        .group = e->object, .thread = e->thread, .at = (uint32_t)m->at, .time = m->index};
    fore_vec_ensure(&g->last, (size_t)e->thread + 1);
    struct fore_stamp *last = &g->last.at[e->thread];
    if (delta_of(e, &op.by)) {
        op.stamp = op.by ? m->stamp : *last;
        op.stamp.thread = e->thread; /* of a wait that is the first event, too */
        fore_clock_keep(&g->clocks, op.stamp.past);
        fore_vec_push(&g->ops, op);
    }
    fore_stamp_put(&g->clocks, last, m->stamp);
    return fore_budget_spent(g->ctx->budget) ? FORE_STOP : FORE_CONTINUE;
}

static int by_group(const void *a, const void *b)
{
    const struct fore_wg_op *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static void sum_up(struct fore_wg *g)
{
    if (g->ops.n)
        qsort(g->ops.at, g->ops.n, sizeof *g->ops.at, by_group);
    for (size_t i = 0; i < g->ops.n; i++) {
        struct fore_wg_op *x = &g->ops.at[i];
        bool goes_on = i && x[-1].group == x->group && x[-1].thread == x->thread;
        x->sum = x->by + (goes_on ? x[-1].sum : 0);
    }
}

static enum fore_status collect_groups(struct fore_wg *g, struct fore_err *e)
{
    struct fore_pass_options o = {.mask = FORE_EDGES_RACE,
                                  .visit = visit_group_event,
                                  .results = FORE_RESULTS_ALL,
                                  .ctx = g};
    struct fore_pass *p = fore_pass_new(&g->clocks, &o);
    enum fore_status s = fore_trace_replay(g->trace, fore_pass_sink(p), e);
    fore_pass_free(p);
    sum_up(g);
    return s;
}

static bool uses_groups(const struct fore_trace *t)
{
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(t, &own);
    bool both = fore_survey_has(s, FORE_EV_WGADD) && fore_survey_has(s, FORE_EV_WGWAIT);
    fore_survey_release(&own);
    return both;
}

static bool waitgroup_applies(const struct fore_trace *t,
                              const struct fore_params *params)
{
    (void)params;
    return uses_groups(t);
}

/* Does some thread add to a group for which another one waits that does not begin after that? */
static bool others_add(const struct fore_trace *t)
{
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(t, &own);
    bool found = false;
    for (size_t x = 1; x < s->groups.n && !found; x++) {
        const struct fore_survey_group *g = &s->groups.at[x];
        found = g->adder && g->waiter && !fore_survey_adds_first(s, g);
    }
    fore_survey_release(&own);
    return found;
}

static bool waitgroup_brief(const struct fore_trace *t,
                            const struct fore_analysis_ctx *ctx)
{
    (void)ctx;
    return !others_add(t);
}

static void release_groups(struct fore_wg *g)
{
    fore_vec_release(&g->last);
    fore_vec_release(&g->ops);
    fore_vec_release(&g->slices);
    fore_vec_release(&g->slice_of);
    fore_vec_release(&g->adders);
    fore_vec_release(&g->waits);
    fore_map_release(&g->tests);
    fore_clocks_release(&g->clocks);
}

static enum fore_status run_waitgroup(const struct fore_trace *t,
                                      struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct fore_run own = {0};
    struct fore_wg g = {
        .trace = t, .ctx = ctx, .observed = ctx->observed ? ctx->observed : &own};
    fore_clocks_init(&g.clocks);
    bool any = others_add(t);
    enum fore_status s = any ? collect_groups(&g, e) : FORE_OK;
    if (s == FORE_OK && any)
        s = fore_wg_pairs(&g, e);
    if (s == FORE_OK)
        fore_findings_stats(
            ctx->out, "waitgroup",
            fore_findings_printf(
                ctx->out, "{\"pairs\": %llu, \"attempts\": %llu, \"predicted\": %llu}",
                (unsigned long long)g.pairs, (unsigned long long)g.attempts,
                (unsigned long long)g.found));
    release_groups(&g);
    fore_run_release(&own);
    return s;
}

const struct fore_analysis fore_analysis_waitgroup = {
    .name = "waitgroup",
    .summary = "waits for a wait group that are over before it is counted up",
    .rules = "wait-before-add",
    .applies = waitgroup_applies,
    .brief = waitgroup_brief,
    .run = run_waitgroup,
};
