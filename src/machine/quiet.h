/* Which thread waits for what, in a state of the machine. */
#ifndef FORE_MACHINE_QUIET_H
#define FORE_MACHINE_QUIET_H

#include "machine/machine.h"

/* Does the operation take a lock (a woken wait retakes its own)? `*lock` gets it. */
static inline bool fore_insn_acquires(const struct fore_program *p, uint32_t op,
                                      uint32_t *lock)
{
    const struct fore_insn *o = &p->ops[op];
    *lock = o->object;
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_LOCK:
    case FORE_EV_RLOCK:
        return true;
    case FORE_EV_TRYLOCK:
    case FORE_EV_TRYRLOCK:
        return !(o->flags & FORE_F_BUSY);
    case FORE_EV_CWOKEN:
        *lock = (uint32_t)fore_insn_event(p, op)->a;
        return *lock != 0;
    default:
        return false;
    }
}

static inline bool fore_insn_releases(const struct fore_program *p, uint32_t op,
                                      uint32_t *lock)
{
    unsigned kind = fore_insn_kind(p, op);
    *lock =
        kind == FORE_EV_CWAIT ? (uint32_t)fore_insn_event(p, op)->a : p->ops[op].object;
    return kind == FORE_EV_UNLOCK || kind == FORE_EV_RUNLOCK || kind == FORE_EV_CWAIT;
}

/* Locks that some thread only tries to take, so that their state can be observed. The caller
 * frees the set. */
bool *fore_program_tried_locks(const struct fore_program *p);
/* Is this one of the operations (creating, beginning, ending, joining, giving back) that disable
 * no other thread's operation, and whose absence another thread can notice only by waiting? Then
 * a search need try no other step where this one can be taken. */
bool fore_insn_is_alone(const struct fore_program *p, uint32_t op, const bool *tried);

/* May the operation end by a timeout, although it did not? By which of its cases? */
bool fore_insn_timeout(const struct fore_program *p, uint32_t op, uint16_t *at);

/* Does the thread wait for a lock? `*lock` gets it. */
bool fore_waits_for_lock(const struct fore_machine *m, uint32_t t, uint32_t *lock);
/* For a thread that can take no step: would the program go on there all the same, and leave the
 * trace? By a timeout, or because it reads or writes outside in another order. */
bool fore_would_leave(const struct fore_machine *m, uint32_t t);
/* No thread can take a step, except to leave the trace by a timeout. */
bool fore_machine_quiet(const struct fore_machine *m);

#endif
