/* Ways out of the runtime other than its own: a handler of signals that jumps, cancellation.
 *
 * A handler of a fault, or one that cannot be put off (signals.c), may come in between anywhere in here, and also while the program
 * accesses a place whose lock the runtime holds for it. What it does meanwhile is not recorded:
 * plain accesses are forgotten, the rest counts as dropped. If the thread does not come back, its
 * spin locks are given back and the record that it had taken is filled, so that others can go on,
 * and so can it. */
#include "capture/c/runtime/sync.h"

#include <setjmp.h>
#include <string.h>

/* Of an event that came after a use, the use stays. */
void fore_rt_void(struct fore_ring_record *r, size_t units)
{
    unsigned kind =
        FORE_RING_FLAGS(r->word) & FORE_RING_USES ? FORE_RING_USE : FORE_RING_DEF_STRING;
    r->object = 0;
    __atomic_store_n(&r->word, FORE_RING_WORD(kind, FORE_RING_DONE, units, 0),
                     __ATOMIC_RELEASE);
}

static void release_locks(struct fore_rt_thread *t)
{
    for (unsigned i = 0; i < sizeof t->held / sizeof *t->held; i++) {
        uint32_t mine = fore_rt_mine();
        if (t->held[i])
            __atomic_compare_exchange_n(t->held[i], &mine, 0u, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED);
    }
    t->holds = 0;
}

/* The record counts, whether it was counted already or not: positions count records. */
static void close_record(struct fore_rt_thread *t)
{
    if (!t->open || !t->next || t->open->word)
        return;
    if (t->next == t->open)
        t->next++;
    t->records = t->open_at;
    fore_rt_count(t);
    fore_rt_void(t->open, (size_t)(t->next - t->open - 1));
}

void fore_rt_abandon(void)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (t->pending)
        fore_rt_void(t->pending, FORE_RING_EXTRA(t->pending->word));
    t->pending = NULL;
    t->at_kept = false;
    if (!t->inside && !t->holds)
        return;
    fore_rt_abandon_chunk(t);
    release_locks(t);
    close_record(t);
    t->inside = false;
}

/* ---- operations that a handler comes in between ---- */

void fore_rt_put_off(struct fore_rt_thread *t)
{
    enum { MOST = sizeof t->put_off / sizeof *t->put_off };
    struct fore_ring_record *r = t->pending;
    size_t units = FORE_RING_EXTRA(r->word);
    struct fore_rt_put_off *p = &t->put_off[t->puts_off++ % MOST];
    *p = (struct fore_rt_put_off){.record = r, .copy = *r};
    p->copy.word &= ~((uint64_t)FORE_RING_USES << 8);
    if (units)
        memcpy(p->unit, r + 1, sizeof p->unit);
    t->pending = NULL;
    fore_rt_void(r, units);
}

/* ---- jumps ---- */

_Noreturn void foresee_rt_longjmp(struct __jmp_buf_tag *to, int value);
_Noreturn void foresee_rt__longjmp(struct __jmp_buf_tag *to, int value);
_Noreturn void foresee_rt_siglongjmp(struct __jmp_buf_tag *to, int value);
_Noreturn void foresee_rt___longjmp_chk(struct __jmp_buf_tag *to, int value);

void foresee_rt_longjmp(struct __jmp_buf_tag *to, int value)
{
    fore_rt_abandon();
    fore_rt_signals_jumped();
    longjmp(to, value);
}

void foresee_rt__longjmp(struct __jmp_buf_tag *to, int value)
{
    foresee_rt_longjmp(to, value);
}

void foresee_rt_siglongjmp(struct __jmp_buf_tag *to, int value)
{
    fore_rt_abandon();
    fore_rt_signals_jumped();
    siglongjmp(to, value);
}

void foresee_rt___longjmp_chk(struct __jmp_buf_tag *to, int value)
{
    foresee_rt_longjmp(to, value);
}
