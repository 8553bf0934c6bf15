#include "capture/csp/lock.h"

#include "capture/csp/panic.h"

enum { READER, WRITER };

void fore_lock_wait(struct foresee_queue *q, uint32_t number, unsigned kind,
                    enum fore_wait why, uint32_t id, const void *object, foresee_at at)
{
    struct fore_proc *p = fore_csp.current;
    struct foresee_waiter w = {.proc = p, .number = number};
    if (fore_lock_traced())
        w.word = &fore_record(p, kind, 0, at, id, 0)->word;
    p->waiters = &w;
    p->waiter_count = 1;
    fore_queue_push(q, &w);
    fore_proc_park(why, object, at);
}

/* ---- mutex: unlock hands it to the one that has waited longest ---- */

void foresee_lock_at(foresee_mutex *m, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&m->id, FORE_RING_OBJ_LOCK, FORE_RING_LOCK, at);
    if (m->locked) {
        fore_lock_wait(&m->waiters, WRITER, FORE_RING_LOCK, FORE_WAIT_LOCK, m->id, m, at);
        return;
    }
    m->locked = true;
    fore_lock_record(p, FORE_RING_LOCK, 0, at, m->id, &m->ticket);
}

bool foresee_trylock_at(foresee_mutex *m, foresee_at at)
{
    struct fore_proc *p =
        fore_lock_enter(&m->id, FORE_RING_OBJ_LOCK, FORE_RING_TRYLOCK, at);
    bool busy = m->locked;
    fore_lock_record(p, FORE_RING_TRYLOCK, busy ? FORE_RING_BUSY : 0, at, m->id,
                     &m->ticket);
    m->locked = true;
    if (busy)
        fore_csp.ticks = 0; /* a loop around a try must let other processes run */
    return !busy;
}

void fore_mutex_drop(foresee_mutex *m)
{
    if (m->waiters.first)
        fore_lock_grant(m->waiters.first, 0, &m->ticket);
    else
        m->locked = false;
}

void foresee_unlock_at(foresee_mutex *m, foresee_at at)
{
    struct fore_proc *p =
        fore_lock_enter(&m->id, FORE_RING_OBJ_LOCK, FORE_RING_UNLOCK, at);
    if (!m->locked)
        foresee_panic_at("unlock of unlocked mutex", at);
    fore_lock_record(p, FORE_RING_UNLOCK, 0, at, m->id, &m->ticket);
    fore_mutex_drop(m);
}

/* ---- reader/writer mutex: first come, first served, so a writer keeps readers out ---- */

enum {
    RW_LOCK = FORE_RING_OBJ_LOCK | (FORE_RING_OBJ_RW | FORE_RING_OBJ_WRITERS_FIRST) << 16
};

static void admit_waiting(foresee_rwmutex *m)
{
    for (struct foresee_waiter *w; (w = m->waiters.first) && !m->writing;) {
        if (w->number == WRITER && m->readers)
            return;
        if (w->number == WRITER)
            m->writing = true;
        else
            m->readers++;
        fore_lock_grant(w, 0, &m->ticket);
    }
}

void foresee_wlock_at(foresee_rwmutex *m, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&m->id, RW_LOCK, FORE_RING_LOCK, at);
    if (m->writing || m->readers) {
        fore_lock_wait(&m->waiters, WRITER, FORE_RING_LOCK, FORE_WAIT_LOCK, m->id, m, at);
        return;
    }
    m->writing = true;
    fore_lock_record(p, FORE_RING_LOCK, 0, at, m->id, &m->ticket);
}

void foresee_wunlock_at(foresee_rwmutex *m, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&m->id, RW_LOCK, FORE_RING_UNLOCK, at);
    if (!m->writing)
        foresee_panic_at("unlock of unlocked reader/writer mutex", at);
    m->writing = false;
    fore_lock_record(p, FORE_RING_UNLOCK, 0, at, m->id, &m->ticket);
    admit_waiting(m);
}

void foresee_rlock_at(foresee_rwmutex *m, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&m->id, RW_LOCK, FORE_RING_RLOCK, at);
    if (m->writing || m->waiters.first) {
        fore_lock_wait(&m->waiters, READER, FORE_RING_RLOCK, FORE_WAIT_RLOCK, m->id, m,
                       at);
        return;
    }
    m->readers++;
    fore_lock_record(p, FORE_RING_RLOCK, 0, at, m->id, &m->ticket);
}

void foresee_runlock_at(foresee_rwmutex *m, foresee_at at)
{
    struct fore_proc *p = fore_lock_enter(&m->id, RW_LOCK, FORE_RING_RUNLOCK, at);
    if (!m->readers)
        foresee_panic_at("read unlock of unlocked reader/writer mutex", at);
    m->readers--;
    fore_lock_record(p, FORE_RING_RUNLOCK, 0, at, m->id, &m->ticket);
    admit_waiting(m);
}
