#include "analysis/deadlock/deadlock_state.h"

void fore_dl_close(struct fore_closure *c, const struct fore_dl_target *targets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t t = targets[i].thread, gate = c->p->gate[t];
        if (targets[i].end > c->p->first[t])
            fore_closure_want(c, targets[i].end - 1);
        else if (gate != FORE_NO_OP)
            fore_closure_want(c, gate);
    }
    fore_closure_close(c);
}

/* Writers among the targets arrive first: a reader that comes later must then wait. */
static void run_to_targets(struct fore_driver *r, const struct fore_dl_target *targets,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct fore_move v = {.thread = targets[i].thread, .act = FORE_ACT_ARRIVE};
        uint32_t op = fore_machine_next(r->m, v.thread);
        if (op == targets[i].end && op != FORE_NO_OP &&
            fore_insn_kind(r->m->p, op) == FORE_EV_LOCK && fore_machine_can(r->m, v))
            fore_driver_take(r, v);
    }
}

/* The targets go first, as far as they can; then every thread. */
static void run_on(struct fore_driver *r, const struct fore_dl_target *targets, size_t n)
{
    run_to_targets(r, targets, n);
    r->announce = true;
    for (size_t i = 0; i < n; i++) {
        r->limit[targets[i].thread] = r->m->p->first[targets[i].thread + 1];
        fore_driver_go(r, targets[i].thread);
    }
    fore_driver_all(r);
}

/* Threads that would read another value than they recorded do so, and leave the trace. */
static void let_stray(struct fore_driver *r)
{
    const struct fore_program *p = r->m->p;
    for (uint32_t t = 1; t <= p->threads; t++) {
        struct fore_move v = {.thread = t};
        uint32_t op = fore_machine_next(r->m, t);
        if (op != FORE_NO_OP &&
            fore_kind_group(fore_insn_kind(p, op)) == FORE_GROUP_MEMORY &&
            fore_machine_can(r->m, v) && !fore_machine_faithful(r->m, v))
            fore_driver_take(r, v);
    }
    fore_driver_all(r);
}

/* Plays the cut, takes the step (if any), and lets every thread go on. */
static enum fore_status run_on_from_cut(struct fore_dl *d, const struct fore_closure *cut,
                                        const struct fore_dl_target *targets, size_t n,
                                        const struct fore_move *step, struct fore_err *e)
{
    struct fore_machine m;
    struct fore_driver r;
    enum fore_status s = FORE_OK;
    d->attempts++;
    fore_machine_init(&m, d->p);
    fore_machine_forget(&m);
    fore_steps_clear(&d->steps);
    d->steps.ops_only = !step && !d->strays;
    fore_driver_init(&r, &m, &d->steps);
    if (fore_closure_play(cut, &r) && (!step || fore_machine_can(&m, *step))) {
        if (step)
            fore_driver_take(&r, *step);
        run_on(&r, targets, n);
        if (d->strays)
            let_stray(&r);
        fore_machine_list(&m);
        if (!r.stopped)
            s = fore_dl_tell(d, &m, &d->steps, e);
    }
    fore_driver_release(&r);
    fore_machine_release(&m);
    return s;
}

enum fore_status fore_dl_attempt_cut(struct fore_dl *d, const struct fore_closure *cut,
                                     const struct fore_dl_target *targets, size_t n,
                                     struct fore_err *e)
{
    for (size_t i = 0; i < n; i++)
        if (cut->need[targets[i].thread] != targets[i].end)
            return FORE_OK; /* it lies beyond where another one shall stop */
    return run_on_from_cut(d, cut, targets, n, NULL, e);
}

enum fore_status fore_dl_attempt(struct fore_dl *d, const struct fore_dl_target *targets,
                                 size_t n, struct fore_err *e)
{
    struct fore_closure cut;
    for (size_t i = 0; i < n && d->index->fixed; i++)
        if (targets[i].end < d->index->fixed[targets[i].thread])
            return FORE_OK; /* it is over in every run */
    fore_closure_init(&cut, d->index, FORE_KEEPS_ALL);
    fore_dl_close(&cut, targets, n);
    enum fore_status s = fore_dl_attempt_cut(d, &cut, targets, n, e);
    fore_closure_release(&cut);
    return s;
}

enum fore_status fore_dl_give_up(struct fore_dl *d, const struct fore_dl_target *target,
                                 struct fore_err *e)
{
    struct fore_closure cut;
    struct fore_move out = {.thread = target->thread, .act = FORE_ACT_DEFAULT};
    if (!fore_insn_timeout(d->p, target->end, &out.at))
        return FORE_OK;
    fore_closure_init(&cut, d->index, FORE_KEEPS_ALL);
    fore_dl_close(&cut, target, 1);
    enum fore_status s = run_on_from_cut(d, &cut, target, 1, &out, e);
    fore_closure_release(&cut);
    return s;
}
