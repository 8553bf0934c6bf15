#include "analysis/tell/tell.h"
#include "analysis/waitgroup/waitgroup_state.h"

enum { MOST_STEPS = 1000, SHOWN = 12, MOST_CHECKED = 20000 };

static bool take_step(struct fore_machine *m, struct fore_witness *w, uint32_t op)
{
    struct fore_move v = {.thread = fore_insn_thread(m->p, op), .act = FORE_ACT_OP};
    if (fore_machine_next(m, v.thread) != op || !fore_machine_can(m, v))
        return false;
    fore_witness_step(w, m, v);
    return true;
}

/* The wait is over when what adds is still to come. */
static struct fore_claim claim_wait(const struct fore_program *p,
                                    struct fore_steps *steps,
                                    const struct fore_wg_op *wait,
                                    const struct fore_target *adds)
{
    fore_vec_push(&steps->moves,
                  (struct fore_move){.thread = wait->thread, .act = FORE_ACT_OP});
    struct fore_candidate x = {.goal = FORE_GOAL_STEP,
                               .schedule = steps->moves.at,
                               .steps = steps->moves.n,
                               .targets = adds,
                               .n = 1};
    return fore_claim_make(p, &x);
}

static uint32_t op_of(const struct fore_wg *g, const struct fore_wg_op *x)
{
    return fore_program_op_at(&g->observed->p, x->thread, x->at);
}

/* Lets the closure need what the clock knows of each thread. */
static void want_cut(struct fore_wg *g, struct fore_clock cut, struct fore_closure *c)
{
    uint32_t *left = fore_calloc((size_t)c->p->threads + 1, sizeof *left);
    for (uint32_t t = 1; t <= c->p->threads; t++)
        left[t] = fore_clock_get(&g->clocks, cut, t);
    for (uint32_t i = 0; i < g->trace->events.n; i++) {
        uint32_t t = g->trace->events.at[i].thread;
        if (!left[t] || --left[t])
            continue;
        uint32_t op = fore_program_op_at(c->p, t, i);
        if (op < c->p->first[t + 1] && c->p->ops[op].done == i)
            fore_closure_want(c, op);
        else /* the clock knows only how it began */
            fore_closure_want_before(c, op);
    }
    fore_free(left);
}

/* The steps that lead to where both are next. False if there are none. */
static bool find_steps(struct fore_wg *g, struct fore_clock at, uint32_t wait,
                       uint32_t add, struct fore_steps *steps)
{
    struct fore_closure cut;
    struct fore_machine m;
    struct fore_driver d;
    fore_closure_init(&cut, fore_run_index(g->observed),
                      FORE_KEEPS_SECTIONS | FORE_KEEPS_BUFFERS | FORE_KEEPS_ATOMICS);
    fore_machine_init(&m, cut.p);
    fore_machine_forget(&m);
    fore_driver_init(&d, &m, steps);
    want_cut(g, at, &cut);
    fore_closure_want_before(&cut, wait);
    fore_closure_want_before(&cut, add);
    bool ok = fore_closure_close(&cut) && !fore_closure_has(&cut, wait) &&
              !fore_closure_has(&cut, add) && fore_closure_play(&cut, &d);
    fore_driver_release(&d);
    fore_machine_release(&m);
    fore_closure_release(&cut);
    return ok;
}

/* These steps, then the wait, then what it should have waited for. */
static bool play_to_pair(struct fore_wg *g, struct fore_clock cut,
                         const struct fore_wg_op *wait, const struct fore_wg_op *add,
                         struct fore_witness *w, struct fore_claim *claim)
{
    const struct fore_program *p = &g->observed->p;
    uint32_t waits = op_of(g, wait), adds = op_of(g, add);
    struct fore_machine m;
    struct fore_steps steps = {0};
    struct fore_target target = {add->thread, adds};
    bool ok = find_steps(g, cut, waits, adds, &steps);
    fore_machine_init(&m, p);
    fore_machine_forget(&m);
    for (size_t i = 0; ok && i < steps.moves.n; i++)
        fore_witness_step(w, &m, steps.moves.at[i]);
    ok = ok && take_step(&m, w, waits) && take_step(&m, w, adds);
    if (ok)
        *claim = claim_wait(p, &steps, wait, &target);
    fore_machine_release(&m);
    fore_steps_release(&steps);
    return ok && claim->verdict != FORE_CLAIM_NONE;
}

static void describe_pair(struct fore_wg *g, struct fore_finding *x,
                          const struct fore_wg_op *wait, const struct fore_wg_op *add)
{
    const struct fore_event *w = &g->trace->events.at[wait->at];
    const struct fore_event *a = &g->trace->events.at[add->at];
    const char *name = fore_tables_name(&g->trace->tables, wait->group);
    x->object = fore_arena_strdup(&g->ctx->out->arena, name);
    x->object_kind = FORE_OBJ_WG;
    x->message = fore_findings_printf(
        g->ctx->out, "%s can finish its wait for %s%s before %s adds to it%s",
        fore_tell_who(g->ctx->out, g->trace, wait->thread), name,
        fore_tell_at(g->ctx->out, g->trace, w->where),
        fore_tell_who(g->ctx->out, g->trace, add->thread),
        fore_tell_at(g->ctx->out, g->trace, a->where));
    x->explanation =
        "nothing orders the addition and the wait; a wait that finds the counter "
        "at zero ends at once, without waiting for what is added later";
    fore_finding_place(g->ctx->out, x, "waits", g->trace, w, wait->time - 1);
    fore_finding_place(g->ctx->out, x, "adds", g->trace, a, add->time - 1);
    fore_finding_fact(g->ctx->out, x, FORE_FACT_OBSERVED, "the %s came first",
                      wait->at < add->at ? "wait" : "addition");
    fore_finding_callers(g->ctx->out, x, g->trace, w);
    fore_finding_callers(g->ctx->out, x, g->trace, a);
}

/* The two threads' steps are what explains, and what was done to the group. */
static void add_steps(struct fore_wg *g, struct fore_finding *x,
                      const struct fore_witness *w, const struct fore_wg_op *wait,
                      const struct fore_wg_op *add)
{
    size_t n = w->events.n, from = n > MOST_STEPS ? n - MOST_STEPS : 0;
    struct fore_step *s = fore_tell_steps(g->ctx->out, x, g->trace, w, from);
    for (size_t i = from; i < n; i++, s++) {
        const struct fore_event *e = &w->events.at[i];
        bool creates = e->kind == FORE_EV_SIGNAL && e->a == add->thread;
        bool theirs =
            n - i <= SHOWN && (e->thread == wait->thread || e->thread == add->thread);
        s->irrelevant |= !creates && !theirs && e->object != wait->group;
        if (i + 2 >= n)
            s->note = i + 2 == n ? "too early" : "too late";
    }
}

static enum fore_status report_pair(struct fore_wg *g, const struct fore_witness *w,
                                    const struct fore_wg_op *wait,
                                    const struct fore_wg_op *add,
                                    const struct fore_claim *claim, struct fore_err *e)
{
    struct fore_finding *x =
        fore_findings_claim(g->ctx->out, "wait-before-add", &g->observed->p, claim);
    struct fore_expect race[] = {{FORE_EXPECT_RACE, wait->thread},
                                 {FORE_EXPECT_RACE, add->thread}};
    describe_pair(g, x, wait, add);
    add_steps(g, x, w, wait, add);
    FORE_TRY(fore_finding_witness(g->ctx->out, x, g->trace, w->events.at, w->events.n,
                                  g->trace->cases.at, race, 2, e));
    g->found++;
    g->ctx->progress->found++;
    if (w->events.n < MOST_CHECKED)
        FORE_TRY(fore_witness_check_text(x->witness_trace, g->trace, e));
    return FORE_OK;
}

enum fore_status fore_wg_tell(struct fore_wg *g, const struct fore_wg_op *wait,
                              const struct fore_wg_op *add, struct fore_clock cut,
                              bool *told, struct fore_err *e)
{
    struct fore_witness w = {0};
    struct fore_claim claim = {.verdict = FORE_CLAIM_NONE};
    FORE_TRY(fore_run_replay(g->observed, g->trace, e));
    g->attempts++;
    bool played = play_to_pair(g, cut, wait, add, &w, &claim);
    enum fore_status s = played ? report_pair(g, &w, wait, add, &claim, e) : FORE_OK;
    *told = claim.verdict == FORE_CLAIM_PREDICTED;
    fore_witness_release(&w);
    return s;
}
