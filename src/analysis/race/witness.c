#include "analysis/race/witness.h"

#include "machine/replay.h"

/* The operation that ends with the event at this position. */
static uint32_t op_of(const struct fore_program *p, uint32_t thread, uint32_t at)
{
    uint32_t low = p->first[thread], high = p->first[thread + 1];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct fore_insn *o = &p->ops[mid];
        uint32_t ends = o->done != FORE_NO_EVENT ? o->done : o->pre;
        if (ends < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool steps_of(struct fore_race *r, const struct fore_race_ideal *ideal,
                     struct fore_steps *steps)
{
    struct fore_machine m;
    uint32_t *most = fore_calloc(r->t->tables.threads.n, sizeof *most);
    for (uint32_t t = 1; t < r->t->tables.threads.n; t++)
        most[t] = fore_race_ideal_of(ideal, t);
    fore_machine_init(&m, r->program);
    fore_machine_forget(&m);
    bool ok = fore_replay_part(&m, most, steps);
    fore_machine_release(&m);
    fore_free(most);
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
    uint32_t op_a = op_of(p, a->thread, a->at), op_b = op_of(p, b->thread, b->at);
    fore_machine_init(&m, p);
    fore_machine_forget(&m);
    for (size_t i = 0; i < n; i++)
        fore_witness_step(out, &m, run[i]);
    bool ok = fore_machine_next(&m, b->thread) == op_b && access_step(&m, out, op_a) &&
              access_step(&m, out, op_b);
    fore_machine_release(&m);
    if (!ok)
        return false;
    struct fore_target two[] = {{a->thread, op_a}, {b->thread, op_b}};
    struct fore_candidate x = {
        .goal = FORE_GOAL_NEXT, .schedule = run, .steps = n, .targets = two, .n = 2};
    *claim = fore_claim_make(p, &x);
    return claim->verdict != FORE_CLAIM_NONE;
}

bool fore_race_play(struct fore_race *r, const struct fore_race_ideal *ideal,
                    const struct fore_race_access *a, const struct fore_race_access *b,
                    struct fore_witness *out, struct fore_claim *claim)
{
    struct fore_steps steps = {0};
    bool ok = steps_of(r, ideal, &steps) &&
              fore_race_play_run(r, steps.moves.at, steps.moves.n, a, b, out, claim);
    fore_steps_release(&steps);
    return ok;
}
