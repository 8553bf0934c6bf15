/* Memory that is handed over: one thread fills it, a second one goes on with it. Most such places have no further history, so
 * that neither a unit nor the general way (shadow.c) is needed: what was recorded of the place is known by its index.
 *
 *   0                     another thread has written all of it, and done nothing else with it
 *   HANDED                the second thread has recorded that write, and its own first access
 *   HANDED | WRITTEN      and its first write after that, which is not its first access
 *
 * Everything else, a third thread among it, makes a unit of that (fore_rt_unit_make). */
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/cell.h"

/* Does the calling thread own a handed place that it has not written yet? */
static bool is_unwritten(const struct cell *c, uint64_t bytes)
{
    uint32_t index = __atomic_load_n(c->index, __ATOMIC_RELAXED);
    uint64_t w = load(c->w);
    return w & FORE_C_FRESH && (w & NARROW) == bytes &&
           tag_of(w) == tag_of(foresee_rt_stamp) &&
           tag_of(load(c->r)) == tag_of(foresee_rt_stamp) && index & FORE_RT_HANDED;
}

/* With the lock of the line. A read of some of the bytes is one of all of them. */
static bool take_filled(struct fore_rt_thread *t, const struct cell *c, uint32_t id,
                        uint64_t bytes, bool part, unsigned kind, uint32_t where)
{
    uint64_t tag = foresee_rt_stamp & TAG;
    if (!id || id > FORE_RT_HANDED_IDS || !fore_rt_is_filled(c, bytes))
        return false;
    fore_rt_put_handed(t, load(c->w), id, part, kind, where);
    store(c->w, tag | bytes | (kind == FORE_RING_READ ? FORE_C_FRESH : 0));
    store(c->r, tag | bytes);
    __atomic_store_n(c->index, FORE_RT_HANDED | (part ? FORE_RT_WIDENED : 0) | id,
                     __ATOMIC_RELAXED);
    return true;
}

static bool write_first(struct fore_rt_thread *t, const struct cell *c, uint64_t bytes,
                        uint32_t where)
{
    if (!is_unwritten(c, bytes))
        return false;
    uint32_t index = __atomic_load_n(c->index, __ATOMIC_RELAXED);
    fore_rt_put_written(t, index & FORE_RT_HANDED_IDS, where);
    store(c->w, (foresee_rt_stamp & TAG) | bytes);
    store(c->r, (foresee_rt_stamp & TAG) | bytes); /* the write stands for reads before */
    __atomic_store_n(c->index, index | FORE_RT_WRITTEN, __ATOMIC_RELAXED);
    return true;
}

/* May the access to the cell be of these kinds? A look without the lock. */
static bool is_likely(const struct cell *c, uint64_t bytes, unsigned kind)
{
    return fore_rt_is_filled(c, bytes) ||
           (kind == FORE_RING_WRITE && is_unwritten(c, bytes));
}

size_t fore_rt_handed_part(struct fore_rt_thread *t, char *p, size_t n, uint32_t where,
                           unsigned kind)
{
    struct cell c = cell_at(p);
    uint64_t w = load(c.w), bytes = w & NARROW;
    size_t at = (uintptr_t)p & 3, size = bytes ? 4 - at : 8;
    size = n < size ? n : size;
    bool part = bytes && size < 4;
    if ((bytes && bytes != NARROW) || (!bytes && (size != 8 || (uintptr_t)p & 7)) ||
        (part && kind != FORE_RING_READ) || !is_likely(&c, bytes, kind))
        return 0;
    uint32_t id = fore_rt_block_place(t, c.p), *line = fore_rt_shadow_line(p);
    where = fore_rt_with_callers(t, where);
    fore_rt_spin(line);
    bool done = take_filled(t, &c, id, bytes, part, kind, where) ||
                (kind == FORE_RING_WRITE && write_first(t, &c, bytes, where));
    fore_rt_unspin(line);
    return done ? size : 0;
}

bool fore_rt_handed_access(struct fore_rt_thread *t, char *p,
                           const struct fore_c_site *site, uint32_t what)
{
    enum { NOT_PLAIN = 0xf000 | FORE_C_BITS << 8 | FORE_C_COMPARED << 8 };
    size_t size = what >> 16;
    unsigned kind = what & 0xff;
    struct cell c = cell_at(p);
    size_t room = is_wide(load(c.w)) ? 8 : 4 - ((uintptr_t)p & 3);
    if (!is_likely(&c, load(c.w) & NARROW, kind) || !size || size > room ||
        what & NOT_PLAIN || kind == FORE_RING_RMW || !fore_rt_shadowed(p) ||
        !fore_rt_where_known(site) || !fore_rt_enter())
        return false;
    bool done = fore_rt_handed_part(t, p, size, fore_rt_where_known(site), kind) == size;
    if (done)
        fore_rt_leave(t);
    else
        t->inside = false;
    return done;
}
