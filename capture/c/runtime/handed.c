/* Memory that is handed over: one thread fills it, a second one goes on with it. Most such
 * places have no further history, so that neither a unit nor the general way (shadow.c) is
 * needed: the index of the place tells what was recorded of it.
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

/* Call it with the lock of the line. A read of some of the bytes counts as a read of all. */
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
    /* the write stands for the earlier reads */
    store(c->r, (foresee_rt_stamp & TAG) | bytes);
    __atomic_store_n(c->index, index | FORE_RT_WRITTEN, __ATOMIC_RELAXED);
    return true;
}

/* May the access to the cell be one of these? Checked without the lock. */
static bool is_likely(const struct cell *c, uint64_t bytes, unsigned kind)
{
    return fore_rt_is_filled(c, bytes) ||
           (kind == FORE_RING_WRITE && is_unwritten(c, bytes));
}

/* How many of the n bytes are the cell's, if an access to them may be of these kinds; otherwise 0. */
static inline size_t bytes_within(uint64_t bytes, const char *p, size_t n, unsigned kind)
{
    size_t size = bytes ? 4 - ((uintptr_t)p & 3) : 8;
    size = n < size ? n : size;
    if (bytes ? bytes != NARROW : size != 8 || (uintptr_t)p & 7)
        return 0;
    return bytes && size < 4 && kind != FORE_RING_READ ? 0 : size;
}

/* Records the access to the bytes of one cell, and returns their number; 0: it is none of these
 * accesses. Call it with the lock of the line. */
static inline size_t record_cell(struct fore_rt_thread *t, char *p, size_t n,
                                 uint32_t where, unsigned kind)
{
    struct cell c = cell_at(p);
    uint64_t bytes = load(c.w) & NARROW;
    size_t size = bytes_within(bytes, p, n, kind);
    uint32_t id = size ? fore_rt_block_place(t, c.p) : 0;
    bool done = id && (take_filled(t, &c, id, bytes, bytes && size < 4, kind, where) ||
                       (kind == FORE_RING_WRITE && write_first(t, &c, bytes, where)));
    return done ? size : 0;
}

size_t fore_rt_handed_part(struct fore_rt_thread *t, char *p, size_t n, uint32_t where,
                           unsigned kind)
{
    struct cell c = cell_at(p);
    uint64_t bytes = load(c.w) & NARROW;
    uint32_t *line = fore_rt_shadow_line(p);
    size_t all = 0, size;
    if (!bytes_within(bytes, p, n, kind) || !is_likely(&c, bytes, kind))
        return 0;
    where = fore_rt_with_callers(t, where);
    fore_rt_spin(line);
    do {
        size = record_cell(t, p + all, n - all, where, kind);
        all += size;
    } while (size && all < n && fore_rt_shadow_line(p + all) == line);
    fore_rt_unspin(line);
    return all;
}

bool fore_rt_handed_access(struct fore_rt_thread *t, char *p,
                           const struct fore_c_site *site, uint32_t what)
{
    enum { NOT_PLAIN = 0xf000 | FORE_C_BITS << 8 | FORE_C_COMPARED << 8 };
    size_t size = what >> 16;
    unsigned kind = what & 0xff;
    struct cell c = cell_at(p);
    uint64_t bytes = load(c.w) & NARROW;
    if (!is_likely(&c, bytes, kind) || !size ||
        bytes_within(bytes, p, size, kind) != size || what & NOT_PLAIN ||
        kind == FORE_RING_RMW || !fore_rt_shadowed(p) || !fore_rt_where_known(site) ||
        !fore_rt_enter())
        return false;
    uint32_t where = fore_rt_with_callers(t, fore_rt_where_known(site));
    uint32_t *line = fore_rt_shadow_line(p);
    fore_rt_spin(line);
    bool done = record_cell(t, p, size, where, kind);
    fore_rt_unspin(line);
    if (done)
        fore_rt_leave(t);
    else
        t->inside = false;
    return done;
}
