#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/hold.h"
#include "capture/c/runtime/sync.h"

#include <string.h>

static bool gives_back(unsigned kind)
{
    return kind == FORE_RING_UNLOCK || kind == FORE_RING_RUNLOCK;
}

/* Notes what was done to a lock that is held alone. */
static void note_lock(struct fore_rt_thread *t, unsigned kind, unsigned flags,
                      struct fore_rt_object *o)
{
    if (o && kind == FORE_RING_UNLOCK)
        fore_rt_let_go(t, o);
    else if (o && (kind == FORE_RING_LOCK || kind == FORE_RING_TRYLOCK) &&
             (flags & FORE_RING_DONE) && !(flags & FORE_RING_BUSY))
        fore_rt_hold(t, o);
}

struct fore_rt_op fore_rt_op_put(unsigned kind, unsigned flags, const void *address,
                                 unsigned of, unsigned object_flags, bool ticket,
                                 uint64_t a, uint64_t b)
{
    struct fore_rt_op op = {0};
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return op;
    if (address)
        op.object = fore_rt_object(t, address, of, object_flags);
    if (op.object && gives_back(kind) && !op.object->ticket) {
        /* The parent of a forked process took the lock before this recording began. */
    } else if (!address || op.object) {
        uint32_t where = fore_rt_where(t, fore_rt_site());
        bool units = a || b;
        where = fore_rt_with_callers(t, where);
        op.record = fore_rt_take(t, units);
        if (units) {
            ((uint64_t *)(op.record + 1))[0] = a;
            ((uint64_t *)(op.record + 1))[1] = b;
        }
        fore_rt_put(t, op.record, where, op.object ? op.object->id : 0,
                    FORE_RING_WORD(kind, flags, units,
                                   ticket && op.object ? fore_rt_ticket(op.object) : 0));
        note_lock(t, kind, flags, op.object);
        if (!(flags & FORE_RING_DONE))
            t->pending = op.record;
    } else {
        fore_rt_dropped();
    }
    fore_rt_leave(t);
    return op;
}

struct fore_rt_op fore_rt_op_wait(unsigned kind, const void *address, unsigned of,
                                  unsigned object_flags, uint64_t a)
{
    return fore_rt_op_put(kind, 0, address, of, object_flags, false, a, 0);
}

void fore_rt_op_done(unsigned kind, unsigned flags, const void *address, unsigned of,
                     unsigned object_flags, uint64_t a)
{
    fore_rt_op_put(kind, FORE_RING_DONE | flags, address, of, object_flags,
                   !(flags & FORE_RING_BUSY), a, 0);
}

static uint64_t done(uint64_t word, struct fore_rt_object *o)
{
    return (word & 0xffffff) | FORE_RING_DONE << 8 | (o ? fore_rt_ticket(o) : 0) << 24;
}

/* A signal handler has recorded something meanwhile: the record is written again after that. */
static void write_again(struct fore_rt_op op, bool failed, uint64_t b)
{
    enum { MOST = sizeof foresee_rt_self.put_off / sizeof *foresee_rt_self.put_off };
    struct fore_rt_put_off p = {0};
    for (unsigned i = 0; i < MOST; i++)
        if (fore_rt_self()->put_off[i].record == op.record) {
            p = fore_rt_self()->put_off[i];
            fore_rt_self()->put_off[i].record = NULL;
        }
    struct fore_rt_thread *t = failed ? NULL : fore_rt_enter();
    if (!t)
        return;
    size_t units = FORE_RING_EXTRA(p.copy.word);
    if (!p.record) {
        fore_rt_dropped(); /* more handlers than there is room for */
    } else {
        struct fore_ring_record *r = fore_rt_take(t, units);
        p.unit[1] = b ? b : p.unit[1];
        if (units)
            memcpy(r + 1, p.unit, sizeof p.unit);
        fore_rt_put(t, r, p.copy.where, p.copy.object, done(p.copy.word, op.object));
        note_lock(t, FORE_RING_KIND(p.copy.word), FORE_RING_DONE, op.object);
    }
    fore_rt_leave(t);
}

/* The record of a call that failed is changed into one that says nothing. */
int fore_rt_op_finish_with(struct fore_rt_op op, int failed, uint64_t b)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (!op.record)
        return failed;
    if (!fore_rt_on()) { /* the end of the wait was not recorded any more */
        t->pending = NULL;
        return failed;
    }
    if (t->pending != op.record) {
        write_again(op, failed, b);
        return failed;
    }
    t->pending = NULL;
    if (b)
        ((uint64_t *)(op.record + 1))[1] = b;
    if (failed)
        fore_rt_void(op.record, FORE_RING_EXTRA(op.record->word));
    if (failed)
        return failed;
    __atomic_store_n(&op.record->word, done(op.record->word, op.object),
                     __ATOMIC_RELEASE);
    note_lock(t, FORE_RING_KIND(op.record->word), FORE_RING_DONE, op.object);
    return failed;
}

int fore_rt_op_finish(struct fore_rt_op op, int failed)
{
    return fore_rt_op_finish_with(op, failed, 0);
}
