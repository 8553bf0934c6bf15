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

bool fore_race_play_run(struct fore_race *r, const struct fore_move *run, size_t n,
                        const struct fore_race_access *a,
                        const struct fore_race_access *b, struct fore_witness *out,
                        struct fore_claim *claim)
{
    const struct fore_program *p = r->program;
    struct fore_machine m;
    struct fore_target two[] = {{a->thread, a->op}, {b->thread, b->op}};
    struct fore_candidate x = {
        .goal = FORE_GOAL_NEXT, .schedule = run, .steps = n, .targets = two, .n = 2};
    *claim = fore_claim_make(p, &x);
    if (claim->verdict == FORE_CLAIM_NONE)
        return false;
    fore_machine_init(&m, p);
    fore_machine_forget(&m);
    for (size_t i = 0; i < n; i++)
        fore_witness_step(out, &m, run[i]);
    for (size_t i = 0; i < 2; i++) /* both are next, and nobody waits to access a place */
        fore_witness_step(
            out, &m, (struct fore_move){.thread = two[i].thread, .act = FORE_ACT_OP});
    fore_machine_release(&m);
    return true;
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
