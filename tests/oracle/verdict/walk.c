#include "oracle/verdict/walk.h"

#include "machine/claim.h"
#include "machine/closure.h"
#include "machine/replay.h"
#include "machine/run.h"
#include "oracle/generated.h"

#include <string.h>

struct walker {
    const struct fore_program *p;
    struct fore_rng *r;
    struct fore_machine m;
    FORE_VEC(struct fore_move) schedule;
    struct assertions *out;
    struct walk_totals *n;
};

static unsigned draw(struct walker *w, unsigned n)
{
    return (unsigned)fore_rng_below(w->r, n);
}

/* Takes one step, rather of the thread that moved last, rather as it was recorded. */
static bool take_random_step(struct walker *w, uint32_t *last)
{
    struct fore_moves all = {{0}};
    if (!*last || !draw(w, 3))
        *last = 1 + draw(w, w->p->threads);
    for (uint32_t i = 0; i < w->p->threads && !all.list.n; i++) {
        uint32_t t = (*last - 1 + i) % w->p->threads + 1;
        fore_machine_moves(&w->m, t, true, &all);
        if (all.list.n)
            *last = t;
    }
    bool any = all.list.n;
    if (any) {
        struct fore_move v = all.list.at[draw(w, (unsigned)all.list.n)];
        struct fore_move recorded;
        if (draw(w, 4) && fore_machine_recorded(&w->m, *last, &recorded))
            v = recorded;
        any = v.act != FORE_ACT_PANIC; /* which would be the end of the program */
        if (any) {
            fore_machine_step(&w->m, v);
            fore_vec_push(&w->schedule, v);
        }
    }
    fore_vec_release(&all.list);
    return any;
}

/* Where the thread is, as the program's interpreter has it; false if that has no such place. */
static bool place_of(const struct walker *w, uint32_t t, struct fore_target *target,
                     struct assertion *a)
{
    const struct fore_tables *tables = &w->p->trace->tables;
    uint32_t op = fore_machine_next(&w->m, t);
    if (op == FORE_NO_OP)
        return false;
    unsigned kind = w->p->ops[op].kind;
    uint32_t line = tables->wheres.at[w->p->ops[op].where].line;
    /* Between its arrival and its leaving a thread is nowhere: the interpreter lets all go at once. */
    bool outside = kind == FORE_EV_IN || kind == FORE_EV_OUT || kind == FORE_EV_FIRE;
    bool leaving =
        kind == FORE_EV_BARRIER && fore_machine_flags(&w->m, t) & FORE_T_ARRIVED;
    if (kind == FORE_EV_USE || kind == FORE_EV_WAIT || line < 100 || leaving ||
        (a->stuck && outside))
        return false;
    *target = (struct fore_target){t, op};
    a->at.in[line / 100 - 1] = true;
    a->at.pc[line / 100 - 1] = (uint8_t)(line % 100);
    return true;
}

static void claim_targets(struct walker *w, enum fore_goal goal,
                          const struct fore_target *targets, size_t n,
                          struct assertion *a)
{
    struct fore_candidate c = {.goal = goal,
                               .schedule = w->schedule.at,
                               .steps = w->schedule.n,
                               .targets = targets,
                               .n = n};
    struct fore_claim claim = fore_claim_make(w->p, &c);
    w->n->claims++;
    if (claim.verdict != FORE_CLAIM_PREDICTED)
        return;
    w->n->predicted++;
    a->stuck = goal == FORE_GOAL_BLOCKED;
    a->if_race_free = claim.if_race_free;
    fore_vec_push(&w->out->list, *a);
}

static void claim_pairs(struct walker *w)
{
    for (uint32_t t = 1; t <= w->p->threads; t++)
        for (uint32_t u = t + 1; u <= w->p->threads; u++) {
            struct fore_target targets[2];
            struct assertion a = {.stuck = false};
            if (place_of(w, t, &targets[0], &a) && place_of(w, u, &targets[1], &a))
                claim_targets(w, FORE_GOAL_NEXT, targets, 2, &a);
        }
}

/* Everybody who is blocked; and one of them alone. */
static void claim_waits(struct walker *w, bool alone)
{
    struct fore_target targets[THREADS];
    struct assertion a = {.stuck = true};
    size_t n = 0;
    for (uint32_t t = 1; t <= w->p->threads && !(alone && n); t++)
        if (fore_machine_blocked(&w->m, t) && (!alone || draw(w, 2)))
            n += place_of(w, t, &targets[n], &a);
    if (n)
        claim_targets(w, FORE_GOAL_BLOCKED, targets, n, &a);
}

static void walk_once(struct walker *w)
{
    uint32_t last = 0;
    unsigned most = draw(w, 3) ? 3 + draw(w, 24) : UINT32_MAX;
    fore_machine_init(&w->m, w->p);
    w->schedule.n = 0;
    while (most-- && take_random_step(w, &last))
        ;
    if (w->schedule.n) {
        claim_pairs(w);
        claim_waits(w, false);
        claim_waits(w, true);
    }
    fore_machine_release(&w->m);
}

void walk_trace(const struct fore_strbuf *text, uint32_t ablated, unsigned walks,
                struct fore_rng *r, struct assertions *out, struct walk_totals *n)
{
    struct fore_trace t;
    struct fore_run run = {.ablated = ablated};
    struct fore_err e = {0};
    load_generated(&t, text);
    if (fore_run_claims(&run, &t, &e) == FORE_OK) {
        struct walker w = {.p = &run.p, .r = r, .out = out, .n = n};
        while (walks-- && w.p->threads && w.p->threads <= THREADS)
            walk_once(&w);
        fore_vec_release(&w.schedule);
    }
    fore_run_release(&run);
    fore_trace_release(&t);
}

/* ---- closures ------------------------------------------------------------------------------- */

/* Plays what is in, in the observed order. Returns the operation that cannot be done, or none. */
static uint32_t play_closure(const struct fore_run *o, const struct fore_closure *c)
{
    struct fore_machine m;
    uint32_t stuck = FORE_NO_OP;
    fore_machine_init(&m, &o->p);
    m.lenient = true;
    for (uint32_t i = 0; i < o->steps && stuck == FORE_NO_OP; i++) {
        uint32_t op = o->order[i], t = fore_insn_thread(&o->p, op);
        struct fore_move v = {.thread = t, .act = FORE_ACT_ARRIVE};
        if (!fore_closure_has(c, op))
            continue;
        if (fore_machine_next(&m, t) == op && fore_run_arrives(o, i) &&
            fore_machine_can(&m, v))
            fore_machine_step(&m, v);
        else if (fore_machine_next(&m, t) != op || !fore_machine_follow(&m, t, &v))
            stuck = op;
    }
    fore_machine_release(&m);
    return stuck;
}

unsigned walk_closures(const struct fore_strbuf *text, unsigned spared, unsigned tries,
                       struct fore_rng *r)
{
    struct fore_trace t;
    struct fore_run run = {.ablated = 0};
    struct fore_closure c;
    struct fore_err e = {0};
    unsigned failures = 0;
    load_generated(&t, text);
    if (fore_run_replay(&run, &t, &e) == FORE_OK && run.p.op_count) {
        fore_closure_init(&c, fore_run_index(&run), FORE_KEEPS_ALL);
        c.spared = spared;
        while (tries--) {
            uint32_t op = (uint32_t)fore_rng_below(r, run.p.op_count);
            fore_closure_clear(&c);
            if (fore_insn_ended(&run.p, op))
                fore_closure_want(&c, op);
            uint32_t stuck = fore_closure_close(&c) ? play_closure(&run, &c) : FORE_NO_OP;
            failures += stuck != FORE_NO_OP;
        }
        fore_closure_release(&c);
    }
    fore_run_release(&run);
    fore_trace_release(&t);
    return failures;
}
