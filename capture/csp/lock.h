/* Shared by the locks: an id at the first traced use, a ticket per operation, and waits that are
 * handed what they wait for. */
#ifndef FORE_CSP_LOCK_H
#define FORE_CSP_LOCK_H

#include "capture/csp/force.h"
#include "capture/csp/record.h"

static inline bool fore_lock_traced(void)
{
    return fore_csp.mode & FORE_CSP_TRACED;
}

/* Begins every operation on such an object. */
static inline struct fore_proc *fore_lock_enter(uint32_t *id, unsigned object,
                                                unsigned kind, foresee_at at)
{
    struct fore_proc *p = fore_proc_enter();
    if (FORE_UNLIKELY(fore_csp.mode)) {
        if (fore_csp.mode & FORE_CSP_FORCED)
            fore_force_turn(kind, at);
        if (fore_lock_traced() && !*id)
            *id = fore_record_object(object, 0, at ? at->text : NULL, at);
    }
    return p;
}

/* Records an operation that is done at once. */
static inline void fore_lock_record(struct fore_proc *p, unsigned kind, unsigned flags,
                                    foresee_at at, uint32_t id, uint64_t *ticket)
{
    if (fore_lock_traced())
        fore_record(p, kind, FORE_RING_DONE | flags, at, id, ++*ticket);
}

/* Ends the wait in w: its operation gets the next ticket. */
static inline void fore_lock_grant(struct foresee_waiter *w, unsigned flags,
                                   uint64_t *ticket)
{
    if (w->word)
        fore_record_done(w->word, flags, ++*ticket);
    fore_proc_wake(w);
}

/* Waits in q; `number` is for the process that grants it. */
void fore_lock_wait(struct foresee_queue *q, uint32_t number, unsigned kind,
                    enum fore_wait why, uint32_t id, const void *object, foresee_at at);
/* Hands the mutex to the process that has waited longest, or frees it; the caller has recorded that. */
void fore_mutex_drop(foresee_mutex *m);

#endif
