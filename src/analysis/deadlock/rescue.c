/* Threads that left the trace, or that may still, and what they might do: a wait that one of them
 * ended in the observed run is not endless. */
#include "analysis/deadlock/deadlock_state.h"

bool fore_dl_held_since(const struct fore_dl *d, uint32_t op, uint32_t end)
{
    return fore_insn_ended(d->p, op) &&
           (d->index->release[op] == FORE_NO_OP || d->index->release[op] >= end);
}

bool fore_dl_keeps_for_ever(const struct fore_dl *d, uint32_t op)
{
    uint32_t last = d->p->first[fore_insn_thread(d->p, op) + 1] - 1;
    return fore_insn_ended(d->p, op) && d->index->release[op] == FORE_NO_OP &&
           fore_insn_kind(d->p, last) == FORE_EV_END;
}

uint32_t fore_dl_holds(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t lock)
{
    uint32_t end = m->p->first[t] + fore_machine_done(m, t), have;
    for (uint32_t op = end; op-- > m->p->first[t];)
        if (fore_insn_acquires(m->p, op, &have) && have == lock &&
            fore_dl_held_since(d, op, end))
            return op;
    return FORE_NO_OP;
}

/* Would this operation, by another thread, end the wait of `op`? */
static bool ends_wait(const struct fore_program *p, uint32_t op, uint32_t other)
{
    struct fore_case one, two;
    size_t n, k;
    const struct fore_case *a = fore_insn_cases(p, op, &one, &n);
    const struct fore_case *b = fore_insn_cases(p, other, &two, &k);
    const struct fore_event *e = fore_insn_event(p, other);
    for (size_t i = 0; i < n; i++) {
        if (e->kind == FORE_EV_CLOSE && e->object == a[i].chan)
            return true;
        for (size_t j = 0; j < k; j++)
            if (a[i].chan && a[i].chan == b[j].chan && a[i].kind + b[j].kind == 1)
                return true;
    }
    bool gives = e->kind == FORE_EV_WGDONE || e->kind == FORE_EV_RELEASE ||
                 e->kind == FORE_EV_CSIGNAL || e->kind == FORE_EV_CBROADCAST;
    return gives && e->object == fore_insn_event(p, op)->object;
}

bool fore_dl_goes_on(const struct fore_machine *m, uint32_t t)
{
    unsigned flags = fore_machine_flags(m, t);
    while (!(flags & FORE_T_STARTED) && m->p->gate[t] != FORE_NO_OP) {
        t = fore_insn_thread(m->p, m->p->gate[t]);
        flags = fore_machine_flags(m, t);
    }
    return flags & FORE_T_OFF ? !(flags & FORE_T_PANICKED) : fore_would_leave(m, t);
}

/* The first operation of such a thread that it may still do: not that by which it left, unless it
 * is known to come back to it. */
static uint32_t may_still(const struct fore_dl *d, const struct fore_machine *m,
                          uint32_t t)
{
    uint32_t op = d->p->first[t] + fore_machine_done(m, t);
    unsigned flags = fore_machine_flags(m, t);
    if (!(flags & FORE_T_STARTED) || flags & FORE_T_DIFFERS || op == d->p->first[t + 1])
        return op;
    return op + !fore_map_get(&d->returns, fore_dl_select_place(d->p, op));
}

static bool ends_one(const struct fore_dl *d, const struct fore_machine *m,
                     const uint32_t *who, size_t n, uint32_t other)
{
    for (size_t i = 0; i < n; i++)
        if (ends_wait(d->p, fore_machine_next(m, who[i]), other))
            return true;
    return false;
}

/* Does the thread hold the lock, and give it back sooner or later? What a thread does that got the
 * lock back after a wait that never ended in the observed run was not recorded: it may. */
static bool gives_back(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t lock)
{
    uint32_t op = fore_dl_holds(d, m, t, lock);
    return op == FORE_NO_OP ? fore_machine_owner(m, lock) == t
                            : !fore_dl_keeps_for_ever(d, op);
}

/* Does one of them wait for a lock that this thread holds, or for its end? */
static bool keeps_one(const struct fore_dl *d, const struct fore_machine *m,
                      const uint32_t *who, size_t n, uint32_t t)
{
    uint32_t lock;
    for (size_t i = 0; i < n; i++) {
        uint32_t op = fore_machine_next(m, who[i]);
        if (fore_waits_for_lock(m, who[i], &lock) && gives_back(d, m, t, lock))
            return true;
        if (fore_insn_kind(d->p, op) == FORE_EV_JOIN && fore_insn_event(d->p, op)->a == t)
            return true;
    }
    return false;
}

bool fore_dl_may_be_rescued(const struct fore_dl *d, const struct fore_machine *m,
                            const uint32_t *who, size_t n)
{
    for (uint32_t t = 1; t <= d->p->threads; t++) {
        if (!fore_dl_goes_on(m, t))
            continue;
        if (keeps_one(d, m, who, n, t))
            return true;
        for (uint32_t other = may_still(d, m, t); other < d->p->first[t + 1]; other++)
            if (ends_one(d, m, who, n, other))
                return true;
    }
    return false;
}

/* Did the program end because this thread ended? */
static bool ended_program(const struct fore_dl *d, const struct fore_machine *m,
                          uint32_t t)
{
    uint32_t end = d->p->first[t + 1];
    if (!fore_machine_ended(m, t) || end == d->p->first[t])
        return false;
    return fore_insn_kind(d->p, end - 1) == FORE_EV_EXIT ||
           (t == 1 && d->trace->tables.ended == FORE_ENDED_RETURNED);
}

bool fore_dl_ends_with_program(const struct fore_dl *d, const struct fore_machine *m,
                               uint32_t t)
{
    uint32_t lock;
    for (uint32_t steps = 0; t && steps <= d->p->threads; steps++) {
        if (!fore_waits_for_lock(m, t, &lock))
            return false;
        t = fore_machine_owner(m, lock);
        if (t && ended_program(d, m, t))
            return true;
    }
    return false;
}
