/* No race is told without a run that leads to it. */
#include "machine/build.h"

#include "analysis/race/witness.h"

/* The operation of this kind, of which there is one. */
static struct fore_race_access access_of(const struct fore_program *p, unsigned kind)
{
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == kind)
            return (struct fore_race_access){.op = i, .thread = p->ops[i].thread};
    fail_msg("there is no such operation");
    return (struct fore_race_access){0};
}

/* Thread 1 comes to its write behind a lock: a run in which it has not taken it does not lead there. */
static void a_run_that_does_not_lead_to_both_is_no_witness(void)
{
    struct fore_trace t;
    struct fore_program p;
    struct fore_err e = {0};
    trace_of(&t, "1: lock(m); write(x)=1; unlock(m)\n2: read(x)=1\n");
    if (fore_program_build(&p, &t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    struct fore_race r = {.t = &t, .program = &p};
    struct fore_race_access a = access_of(&p, FORE_EV_WRITE),
                            b = access_of(&p, FORE_EV_READ);
    struct fore_move takes = {.thread = a.thread, .act = FORE_ACT_OP};
    struct fore_witness w = {0};
    struct fore_claim claim;
    assert_false(fore_race_play_run(&r, NULL, 0, &a, &b, &w, &claim));
    assert_int_equal(w.events.n, 0);
    assert_true(fore_race_play_run(&r, &takes, 1, &a, &b, &w, &claim));
    assert_int_equal(w.events.n, 3);
    fore_witness_release(&w);
    fore_program_release(&p);
    fore_trace_release(&t);
}

RUN_CASES(CASE(a_run_that_does_not_lead_to_both_is_no_witness))
