/* Cost: linear in the trace (see drive.h). */
#include "machine/replay.h"

#include "machine/layout.h"
#include "machine/mark.h"

/* Lets the thread arrive at the barrier that is its next operation, if it can. */
static void arrive_at_barrier(struct fore_driver *d, uint32_t thread)
{
    uint32_t op = fore_machine_next(d->m, thread);
    struct fore_move v = {.thread = thread, .act = FORE_ACT_ARRIVE};
    if (op != FORE_NO_OP && op == d->limit[thread] &&
        fore_insn_kind(d->m->p, op) == FORE_EV_BARRIER && fore_machine_can(d->m, v))
        fore_driver_take(d, v);
}

static void scan_event(struct fore_driver *d, uint32_t i)
{
    const struct fore_program *p = d->m->p;
    const struct fore_event *e = &p->trace->events.at[i];
    uint32_t t = e->thread, op = d->limit[t];
    /* A wait that never ended stays where it is; only an end may follow it. */
    if (op >= p->first[t + 1] || (!fore_insn_ended(p, op) && p->ops[op].pre < i))
        return;
    if (p->ops[op].done == i) {
        d->limit[t] = op + 1;
        fore_driver_go(d, t);
    } else if (e->flags & FORE_F_PRE) {
        arrive_at_barrier(d, t);
    }
}

static enum fore_status fail_stuck(struct fore_driver *d, struct fore_err *err)
{
    const struct fore_program *p = d->m->p;
    uint32_t first = FORE_NO_OP;
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t op = get_thread(d->m, t, T_NEXT);
        if (op < d->limit[t] &&
            (first == FORE_NO_OP || fore_insn_event(p, op) < fore_insn_event(p, first)))
            first = op;
    }
    if (first == FORE_NO_OP || p->trace->torn || p->trace->lost)
        return FORE_OK;
    struct fore_strbuf what = FORE_STRBUF_INIT, why = FORE_STRBUF_INIT;
    uint32_t t = fore_insn_thread(p, first);
    fore_insn_text(p, first, &what);
    fore_machine_why(d->m, t, &why);
    bool started = get_thread(d->m, t, T_FLAGS) & FORE_T_STARTED;
    enum fore_status st =
        fore_fail(err, FORE_MEANING, "%s: cannot have happened in this order: %s: %s%s",
                  p->trace->name, what.at,
                  started ? "the thread still waits " : "the thread was not",
                  started ? why.at : " created by then");
    fore_strbuf_release(&what);
    fore_strbuf_release(&why);
    return st;
}

/* A writer whose wait never ended waits now, and keeps readers out. It is not known when it
 * came, so it comes last. */
static void announce_writers(struct fore_driver *d)
{
    for (uint32_t t = 1; t <= d->m->p->threads; t++) {
        struct fore_move v = {.thread = t, .act = FORE_ACT_ARRIVE};
        uint32_t op = fore_machine_next(d->m, t);
        if (op != FORE_NO_OP && !fore_insn_ended(d->m->p, op) &&
            fore_insn_kind(d->m->p, op) == FORE_EV_LOCK && fore_machine_can(d->m, v))
            fore_driver_take(d, v);
    }
}

enum fore_status fore_replay_run(struct fore_machine *m, struct fore_steps *steps,
                                 struct fore_err *e)
{
    return fore_replay_marked(m, steps, NULL, e);
}

enum fore_status fore_replay_marked(struct fore_machine *m, struct fore_steps *steps,
                                    struct fore_run *marks, struct fore_err *e)
{
    struct fore_driver d;
    enum { MARK_EVERY = 1 << 8 };
    bool forgetful = m->forgetful;
    fore_driver_init(&d, m, steps);
    fore_machine_forget(m);
    m->lenient = true;
    for (uint32_t i = 0; i < m->p->trace->events.n && !fore_program_spent_at(m->p, i);
         i++) {
        scan_event(&d, i);
        if (marks && (i % MARK_EVERY == 0 || marks->mark_all))
            fore_run_keep_mark(marks, m, steps->ops.n);
    }
    announce_writers(&d);
    fore_machine_list(m);
    m->forgetful = forgetful;
    m->lenient = false;
    enum fore_status st = fore_program_spent_at(m->p, 0)
                              ? fore_fail(e, FORE_SPENT, "%s", "a budget ended")
                              : fail_stuck(&d, e);
    fore_driver_release(&d);
    return st;
}
