#include "machine/run.h"

#include "machine/index.h"
#include "machine/replay.h"

void fore_run_release(struct fore_run *o)
{
    if (o->p.trace)
        fore_program_release(&o->p);
    fore_free(o->order);
    fore_free(o->when);
    for (size_t i = 0; i < o->marks.n; i++)
        fore_free(o->marks.at[i].words);
    fore_vec_release(&o->marks);
    if (o->index)
        fore_index_release(o->index);
    *o = (struct fore_run){.ablated = o->ablated, .mark_all = o->mark_all};
}

static enum fore_status make_program(struct fore_run *o, const struct fore_trace *t,
                                     struct fore_err *e)
{
    if (o->p.trace == t)
        return FORE_OK;
    fore_run_release(o);
    FORE_TRY(fore_program_build(&o->p, t, e));
    o->p.ablated = o->ablated;
    return FORE_OK;
}

static void note_times(struct fore_run *o)
{
    o->when = fore_alloc(((size_t)o->p.op_count + 1) * sizeof *o->when);
    memset(o->when, 0xff, ((size_t)o->p.op_count + 1) * sizeof *o->when);
    for (uint32_t i = 0; i < o->steps; i++) {
        uint32_t op = o->order[i], partner = fore_run_partner(o, op);
        o->when[op] = i;
        if (partner != FORE_NO_OP)
            o->when[partner] = i;
    }
}

enum fore_status fore_run_replay(struct fore_run *o, const struct fore_trace *t,
                                 struct fore_err *e)
{
    struct fore_machine m;
    struct fore_steps steps = {.ops_only = true};
    FORE_TRY(make_program(o, t, e));
    if (o->when)
        return FORE_OK;
    if (o->p.ledger) {
        fore_machine_init_strict(&m, &o->p);
        m.learn = o->p.causes = fore_calloc((size_t)o->p.op_count + 1, sizeof *m.learn);
    } else {
        fore_machine_init(&m, &o->p);
    }
    /* Threads that met at a barrier can leave it in any order. */
    struct fore_survey own = {0};
    o->unusual = fore_survey_has(fore_trace_survey(t, &own), FORE_EV_BARRIER);
    fore_survey_release(&own);
    enum fore_status st = fore_replay_marked(&m, &steps, o, e);
    fore_machine_release(&m);
    if (st != FORE_OK) {
        fore_steps_release(&steps);
        return st;
    }
    fore_vec_release(&steps.arrivals);
    o->order = steps.ops.at;
    o->steps = (uint32_t)steps.ops.n;
    note_times(o);
    return FORE_OK;
}

enum fore_status fore_run_claims(struct fore_run *o, const struct fore_trace *t,
                                 struct fore_err *e)
{
    FORE_TRY(make_program(o, t, e));
    return o->p.ledger ? fore_run_replay(o, t, e) : FORE_OK;
}
