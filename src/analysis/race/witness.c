#include "analysis/race/witness.h"

static bool steps_of(const struct fore_closure *ideal, struct fore_steps *steps)
{
    struct fore_machine m;
    struct fore_driver d;
    fore_machine_init(&m, ideal->p);
    fore_machine_forget(&m);
    fore_driver_init(&d, &m, steps);
    bool ok = fore_closure_play(ideal, &d);
    fore_driver_release(&d);
    fore_machine_release(&m);
    return ok;
}

/* The access is next, and can be done: the others have not kept it from happening. */
static bool access_step(struct fore_machine *m, struct fore_witness *w, uint32_t op)
{
    uint32_t thread = fore_insn_thread(m->p, op);
    struct fore_move v = {.thread = thread, .act = FORE_ACT_OP};
    if (fore_machine_next(m, thread) != op || !fore_machine_can(m, v))
        return false;
    fore_witness_step(w, m, v);
    return true;
}

bool fore_race_play_run(struct fore_race *r, const struct fore_move *run, size_t n,
                        const struct fore_race_access *a,
                        const struct fore_race_access *b, struct fore_witness *out,
                        struct fore_claim *claim)
{
    struct fore_machine m;
    const struct fore_program *p = r->program;
    fore_machine_init(&m, p);
    fore_machine_forget(&m);
    for (size_t i = 0; i < n; i++)
        fore_witness_step(out, &m, run[i]);
    bool ok = fore_machine_next(&m, b->thread) == b->op && access_step(&m, out, a->op) &&
              access_step(&m, out, b->op);
    fore_machine_release(&m);
    if (!ok)
        return false;
    struct fore_target two[] = {{a->thread, a->op}, {b->thread, b->op}};
    struct fore_candidate x = {
        .goal = FORE_GOAL_NEXT, .schedule = run, .steps = n, .targets = two, .n = 2};
    *claim = fore_claim_make(p, &x);
    return claim->verdict != FORE_CLAIM_NONE;
}

bool fore_race_play(struct fore_race *r, const struct fore_closure *ideal,
                    const struct fore_race_access *a, const struct fore_race_access *b,
                    struct fore_witness *out, struct fore_claim *claim)
{
    struct fore_steps steps = {0};
    bool ok = steps_of(ideal, &steps) &&
              fore_race_play_run(r, steps.moves.at, steps.moves.n, a, b, out, claim);
    fore_steps_release(&steps);
    return ok;
}
