/* Wait groups, conditions, once. */
#include "capture/csp/lock.h"
#include "capture/csp/panic.h"

/* ---- wait group ---- */

static void wg_add(foresee_waitgroup *w, int64_t delta, foresee_at at)
{
    w->count += delta;
    if (w->count < 0)
        foresee_panic_at("negative wait group counter", at);
    while (!w->count && w->waiters.first)
        fore_lock_grant(w->waiters.first, 0, &w->ticket);
}

void foresee_wg_add_at(foresee_waitgroup *w, int64_t delta, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&w->id, FORE_RING_OBJ_WG, FORE_RING_WGADD, at);
    if (fore_lock_traced())
        fore_record_with(p, FORE_RING_WGADD, FORE_RING_DONE, at, w->id, ++w->ticket,
                         (uint64_t)delta, 0);
    wg_add(w, delta, at);
}

void foresee_wg_done_at(foresee_waitgroup *w, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&w->id, FORE_RING_OBJ_WG, FORE_RING_WGDONE, at);
    fore_lock_record(p, FORE_RING_WGDONE, 0, at, w->id, &w->ticket);
    wg_add(w, -1, at);
}

void foresee_wg_wait_at(foresee_waitgroup *w, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&w->id, FORE_RING_OBJ_WG, FORE_RING_WGWAIT, at);
    if (w->count)
        fore_lock_wait(&w->waiters, 0, FORE_RING_WGWAIT, FORE_WAIT_WG, w->id, w, at);
    else
        fore_lock_record(p, FORE_RING_WGWAIT, 0, at, w->id, &w->ticket);
}

/* ---- condition ---- */

/* Both objects' tickets are drawn when the mutex is obtained again. */
static void woken(struct fore_ring_record *r, foresee_cond *c, foresee_mutex *m)
{
    if (!r)
        return;
    ((uint64_t *)(r + 1))[1] = ++m->ticket;
    fore_record_done(&r->word, 0, ++c->ticket);
}

/* After the signal the process takes the mutex like every other one. The record of being woken
 * stands for the wait, so this wait has no record of its own. */
static void retake(foresee_mutex *m, struct fore_proc *p, foresee_at at)
{
    struct foresee_waiter w = {.proc = p};
    if (!m->locked) {
        m->locked = true;
        return;
    }
    p->waiters = &w;
    p->waiter_count = 1;
    fore_queue_push(&m->waiters, &w);
    fore_proc_park(FORE_WAIT_LOCK, m, at);
}

void foresee_cond_wait_at(foresee_cond *c, foresee_mutex *m, foresee_at at)
{
    struct fore_proc *p =
        fore_lock_enter(&c->id, FORE_RING_OBJ_COND, FORE_RING_CWAIT, at);
    struct foresee_waiter w = {.proc = p};
    struct fore_ring_record *record = NULL;
    if (!m->locked)
        foresee_panic_at("wait with an unlocked mutex", at);
    if (fore_lock_traced()) {
        fore_record_with(p, FORE_RING_CWAIT, FORE_RING_DONE, at, c->id, ++c->ticket,
                         m->id, ++m->ticket);
        record = fore_record_with(p, FORE_RING_CWOKEN, 0, at, c->id, 0, m->id, 0);
    }
    fore_mutex_drop(m);
    p->waiters = &w;
    p->waiter_count = 1;
    fore_queue_push(&c->waiters, &w);
    fore_proc_park(FORE_WAIT_COND, c, at);
    if (fore_csp.mode & FORE_CSP_FORCED)
        fore_force_turn(FORE_RING_CWOKEN, at);
    retake(m, p, at);
    woken(record, c, m);
}

void foresee_cond_signal_at(foresee_cond *c, foresee_at at)
{
    struct fore_proc *p =
        fore_lock_enter(&c->id, FORE_RING_OBJ_COND, FORE_RING_CSIGNAL, at);
    struct foresee_waiter *w = c->waiters.first;
    if (fore_lock_traced())
        fore_record_with(p, FORE_RING_CSIGNAL, FORE_RING_DONE, at, c->id, ++c->ticket,
                         w ? w->proc->id : 0, 0);
    if (w)
        fore_proc_wake(w);
}

void foresee_cond_broadcast_at(foresee_cond *c, foresee_at at)
{
    struct fore_proc *p =
        fore_lock_enter(&c->id, FORE_RING_OBJ_COND, FORE_RING_CBROADCAST, at);
    fore_lock_record(p, FORE_RING_CBROADCAST, 0, at, c->id, &c->ticket);
    while (c->waiters.first)
        fore_proc_wake(c->waiters.first);
}

/* ---- once ---- */

enum { NOT_RUN, RUNNING, HAS_RUN };

void foresee_once_do_at(foresee_once *o, void (*fn)(void *), void *arg, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&o->id, FORE_RING_OBJ_ONCE, FORE_RING_ONCE, at);
    if (o->state == RUNNING) {
        fore_lock_wait(&o->waiters, 0, FORE_RING_ONCE, FORE_WAIT_ONCE, o->id, o, at);
        return;
    }
    if (o->state == HAS_RUN) {
        fore_lock_record(p, FORE_RING_ONCE, FORE_RING_BUSY, at, o->id, &o->ticket);
        return;
    }
    o->state = RUNNING;
    fn(arg);
    o->state = HAS_RUN;
    fore_lock_record(p, FORE_RING_ONCE, 0, at, o->id, &o->ticket);
    while (o->waiters.first)
        fore_lock_grant(o->waiters.first, FORE_RING_BUSY, &o->ticket);
}
