#include "c/sync.h"

static bool gives_back(unsigned kind)
{
    return kind == FORE_RING_UNLOCK || kind == FORE_RING_RUNLOCK;
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
        /* It was taken before anything was recorded: by whom a forked process is a copy of. */
    } else if (!address || op.object) {
        uint32_t where = fore_rt_where(t, fore_rt_site());
        bool units = a || b;
        op.record = fore_rt_take(t, units);
        if (units) {
            ((uint64_t *)(op.record + 1))[0] = a;
            ((uint64_t *)(op.record + 1))[1] = b;
        }
        fore_rt_put(t, op.record, where, op.object ? op.object->id : 0,
                    FORE_RING_WORD(kind, flags, units,
                                   ticket && op.object ? fore_rt_ticket(op.object) : 0));
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

/* What failed becomes a record that says nothing. */
int fore_rt_op_finish(struct fore_rt_op op, int failed)
{
    if (!op.record)
        return failed;
    uint64_t word = FORE_RING_WORD(FORE_RING_DEF_STRING, FORE_RING_DONE,
                                   FORE_RING_EXTRA(op.record->word), 0);
    if (!failed) {
        uint64_t ticket = op.object ? fore_rt_ticket(op.object) : 0;
        word = (op.record->word & 0xffffff) | FORE_RING_DONE << 8 | ticket << 24;
    }
    __atomic_store_n(&op.record->word, word, __ATOMIC_RELEASE);
    return failed;
}
