/* Accesses to memory: what instrumented code calls before and after one of them.
 *
 * From a token that is not 0 to foresee_rt_end no other thread that asks may access the place, so
 * that the order of the tickets is that of the accesses, and the value is theirs. */
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/cell.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/turn.h"

#include <string.h>

enum token {
    NOTHING,
    EXACT,   /* an access to a place that is always recorded */
    LOCKED,  /* to a place that a second thread has accessed */
    GUARDED, /* to a place that needs no lock of the runtime, see shared.h */
    PARTS,   /* not within 8 aligned bytes: recorded when it is over */
};

static size_t within(const char *p, size_t size)
{
    size_t left = 8 - ((uintptr_t)p & 7);
    return size < left ? size : left;
}

static uint64_t granule(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, (const void *)((uintptr_t)p & ~(uintptr_t)7), sizeof bytes);
    return bytes;
}

static struct fore_rt_part part_of(char *p, size_t size, uint32_t what, uint32_t where)
{
    return (struct fore_rt_part){.p = p,
                                 .size = size,
                                 .kind = what & 0xff,
                                 .bits = what >> 8 & 0xf,
                                 .order = what >> 12 & 0xf,
                                 .where = where,
                                 .whole = size == what >> 16};
}

/* The thread that has entered the runtime; NULL, and it has left, if the address has no shadow. */
static struct fore_rt_thread *at_shadowed(struct fore_rt_thread *t, const char *p)
{
    if (!t || fore_rt_shadowed(p))
        return t;
    fore_rt_dropped();
    fore_rt_leave(t);
    return NULL;
}

uint32_t foresee_rt_begin(char *p, struct fore_c_site *site, uint32_t what)
{
    fore_turn_access(p, site, what);
    struct fore_rt_thread *t = at_shadowed(fore_rt_enter(), p);
    if (!t)
        return NOTHING;
    FORE_RT_CALLED(t, site);
    t->place = fore_rt_shadow_lock(p, within(p, what >> 16));
    t->before = granule(p);
    if (within(p, what >> 16) < what >> 16)
        t->before_rest = granule(p + 8);
    return EXACT;
}

uint32_t foresee_rt_begin_if(char *p, struct fore_c_site *site, uint32_t what)
{
    bool field = what >> 8 & FORE_C_BITS;
    uint64_t first = field ? what >> 20 & 63 : 0;
    uint64_t bits = field ? (what >> 26) + 1 : (uint64_t)(what >> 16) * 8;
    return fore_rt_on() && fore_rt_is_named(p, first, bits)
               ? foresee_rt_begin(p, site, what)
               : NOTHING;
}

/* Plain accesses of a signal handler while the runtime is at work are forgotten. */
static struct fore_rt_thread *enter_plainly(void)
{
    return fore_rt_on() && !fore_rt_self()->inside ? fore_rt_enter() : NULL;
}

/* ---- accesses that are not aligned, or large ---- */

/* Notes an access to some bytes of one cell, as inline.h does it for a whole one. */
static bool note_cell(uint64_t *word, uint64_t mask, uint64_t where)
{
    uint64_t stamp = foresee_rt_stamp, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    uint64_t note = stamp | where << FORE_C_SITE;
    if (!stamp || where >= FORE_C_SITES || ((old ^ stamp) >> FORE_C_MASK) - 1 > 14)
        return false;
    if (!((old ^ note) << (64 - FORE_C_MASK)))
        note |= old;
    __atomic_store_n(word, note | mask << FORE_C_MASK, __ATOMIC_RELAXED);
    return true;
}

/* Notes an access to n bytes within 8 aligned ones; false if that needs the slow way. */
static bool note_access(const char *p, size_t n, uint64_t where, unsigned kind)
{
    unsigned at = (unsigned)((uintptr_t)p & 7), mask = ((1u << n) - 1) << at;
    unsigned reads = kind == FORE_RING_READ;
    uint64_t *wide = wide_cell_at(p).w + reads;
    uint64_t *word =
        narrow_cell_at((const char *)((uintptr_t)p & ~(uintptr_t)7)).w + reads;
    if (n == 8 && foresee_rt_stamp && where < FORE_C_SITES &&
        !((load(wide) ^ foresee_rt_stamp) >> FORE_C_MASK)) {
        store(wide, foresee_rt_stamp | where << FORE_C_SITE);
        return true;
    }
    return (!(mask & 15) || note_cell(word, mask & 15, where)) &&
           (!(mask >> 4) || note_cell(word + 2, mask >> 4, where));
}

/* Records or notes an access without its value, before the program does it. */
static void touch(struct fore_rt_thread *t, char *p, size_t n, uint32_t where,
                  unsigned kind)
{
    for (size_t m; n; p += m, n -= m) {
        m = within(p, n);
        if (note_access(p, m, where, kind) ||
            (kind == FORE_RING_READ && fore_rt_shadow_repeats(t, p, m, where)))
            continue;
        size_t handed = fore_rt_handed_part(t, p, n, where, kind);
        if (handed) {
            m = handed;
            continue;
        }
        struct fore_rt_part a =
            part_of(p, m, kind | FORE_C_NO_VALUE << 8 | (uint32_t)m << 16, where);
        enum fore_rt_sharing sharing = fore_rt_shadow_guarded(t, &a);
        if (sharing == FORE_RT_SHARED_VALUE)
            fore_rt_shadow_record_guarded(t, where, kind);
        if (sharing != FORE_RT_UNSHARED)
            continue;
        fore_rt_with_callers(t, where); /* another thread may have to record it */
        t->place = fore_rt_shadow_lock(p, m);
        a.before = granule(p);
        fore_rt_shadow_record(t, &a, &t->place);
        fore_rt_unspin(t->place);
    }
}

/* Handles overlapping reads, as of a window that moves over memory. Bytes that the thread has
 * read since it last synchronised need not be recorded again: an access that comes between the
 * two reads races with both. */
static void read_on(struct fore_rt_thread *t, char *p, size_t n, uint32_t where)
{
    char *end = p + n;
    bool same = t->read.segment == t->segment && p >= t->read.from && p <= t->read.to;
    if (!same)
        t->read.from = t->read.to = p;
    if (end > t->read.to) {
        touch(t, t->read.to, (size_t)(end - t->read.to), where, FORE_RING_READ);
        t->read.to = end;
    }
    t->read.segment = t->segment;
}

static bool has_read(const struct fore_rt_thread *t, const char *p, size_t n)
{
    return t->read.segment == t->segment && p >= t->read.from && p + n <= t->read.to;
}

/* Handles an access that does not lie within 8 aligned bytes, in parts. */
static uint32_t access_parts(struct fore_rt_thread *t, char *p, size_t size,
                             uint32_t where, unsigned kind)
{
    size_t n = within(p, size);
    if (kind == FORE_RING_READ)
        read_on(t, p, size, where);
    else if (size - n > 8 || !note_access(p, n, where, kind) ||
             !note_access(p + n, size - n, where, kind))
        return PARTS;
    fore_rt_leave(t);
    return NOTHING;
}

/* Is it a read that needs no record, and nothing that goes with one? */
static bool is_repeated(struct fore_rt_thread *t, const char *p, size_t size,
                        const struct fore_c_site *site)
{
    return has_read(t, p, size) ||
           fore_rt_shadow_repeats(t, p, size, fore_rt_where_known(site));
}

/* Handles an access whose place has to be locked first. */
static uint32_t access_locked(struct fore_rt_thread *t, struct fore_rt_part *a)
{
    bool reads = a->kind == FORE_RING_READ;
    t->place = fore_rt_shadow_lock(a->p, a->size);
    enum fore_rt_sharing sharing = fore_rt_shadow_sharing(a, t->place);
    if (sharing == FORE_RT_SHARED_VALUE && !reads)
        return LOCKED;
    if (sharing != FORE_RT_UNSHARED) {
        fore_rt_shadow_record_shared(t, a, t->place);
        /* another thread may have to record it */
    } else if (fore_rt_with_callers(t, a->where),
               reads || !fore_rt_shadow_pass(t, a, &t->place)) {
        a->before = t->before = granule(a->p);
        if (!reads && fore_rt_shadow_valued(a->p))
            return LOCKED;
        fore_rt_shadow_record(t, a, &t->place);
    }
    fore_rt_unspin(t->place);
    fore_rt_leave(t);
    return NOTHING;
}

/* Called for an access by a thread that does not own the place, and for the first access to a place. An access
 * without a value is recorded before it is done. So is a read, with the value of that moment: if the program does it
 * in another order than it is recorded, it races there. */
uint32_t foresee_rt_access(char *p, void *site, uint32_t what)
{
    size_t size = what >> 16;
    bool reads = (what & 0xff) == FORE_RING_READ;
    struct fore_rt_thread *t = fore_rt_self();
    if (!foresee_rt_stamp) /* as every controlled thread has none */
        fore_turn_access(p, site, what);
    if (!fore_rt_on() || t->inside || (reads && fore_rt_shadow_same(t, p, what)) ||
        fore_rt_is_ignored(t, p, what & 0xff))
        return NOTHING;
    FORE_RT_CALLED(t, (struct fore_c_site *)site);
    enum fore_rt_sharing sharing = FORE_RT_UNSHARED;
    if (foresee_rt_stamp && fore_rt_handed_access(t, p, site, what))
        return NOTHING;
    if (t->locks && foresee_rt_stamp) /* a thread with a stamp has a shadow */
        sharing = fore_rt_shadow_again(t, p, site, what);
    if (sharing != FORE_RT_UNSHARED)
        return sharing == FORE_RT_SHARED_VALUE ? GUARDED : NOTHING;
    if (!fore_rt_shadowed(p)) {
        fore_rt_dropped();
        return NOTHING;
    }
    if ((reads && is_repeated(t, p, size, site)) || !(t = fore_rt_enter()))
        return NOTHING;
    fore_rt_may_tell();
    if (within(p, size) < size)
        return access_parts(t, p, size, fore_rt_where(t, site), what & 0xff);
    struct fore_rt_part a = part_of(p, size, what, fore_rt_where(t, site));
    sharing = fore_rt_shadow_guarded(t, &a);
    if (sharing == FORE_RT_UNSHARED)
        return access_locked(t, &a);
    if (sharing == FORE_RT_SHARED_VALUE)
        return GUARDED;
    fore_rt_leave(t);
    return NOTHING;
}

/* ---- ranges ---- */

void foresee_rt_touch(char *p, uint64_t n, struct fore_c_site *site, uint32_t kind)
{
    if (n)
        fore_turn_access(p, site, kind | (n < 0xffff ? (uint32_t)n : 0xffffu) << 16);
    if (fore_rt_is_ignored(fore_rt_self(), p, kind))
        return;
    struct fore_rt_thread *t = at_shadowed(enter_plainly(), p);
    if (!t)
        return;
    fore_rt_may_tell();
    uint32_t where = fore_rt_where(t, site);
    touch(t, p, n, where, kind);
    fore_rt_leave(t);
}

/* A block that is given back counts as a write to its beginning: that finds most uses of memory that another
 * thread has freed, and costs the same for large blocks. */
void foresee_rt_freed(char *p, struct fore_c_site *site)
{
    enum { BEGINNING = 64 };
    size_t n = p && fore_rt_on() ? fore_rt_block_size(p) : 0;
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    if (n)
        foresee_rt_touch(p, n < BEGINNING ? n : BEGINNING, site, FORE_RING_WRITE);
    fore_rt_called_done(fore_rt_self(), outermost);
}

/* ---- the end of an access ---- */

/* An atomic access of 16 bytes counts as an access to each half. Did a compare-and-exchange
 * change neither? */
static uint32_t what_of_halves(const struct fore_rt_thread *t, const char *p,
                               uint32_t what)
{
    if (!(what >> 8 & FORE_C_COMPARED))
        return what;
    what &= ~(uint32_t)(FORE_C_COMPARED << 8);
    bool same = granule(p) == t->before && granule(p + 8) == t->before_rest;
    return same ? (what & ~0xffu) | FORE_RING_READ : what;
}

static uint64_t before_part(const struct fore_rt_thread *t, const char *begin,
                            const char *p)
{
    return p == begin ? t->before : p <= begin + 8 ? t->before_rest : granule(p);
}

static void end_parts(struct fore_rt_thread *t, uint32_t token, char *p, uint32_t where,
                      uint32_t what)
{
    char *begin = p, *end = p + (what >> 16);
    if (token == EXACT)
        what = what_of_halves(t, p, what);
    for (size_t n; p < end; p += n) {
        n = within(p, (size_t)(end - p));
        struct fore_rt_part a = part_of(p, n, what, where);
        a.exact = token == EXACT;
        if (token == PARTS || p != begin)
            t->place = fore_rt_shadow_lock(p, n);
        a.before = token == EXACT ? before_part(t, begin, p) : granule(p);
        fore_rt_shadow_record(t, &a, &t->place);
        fore_rt_unspin(t->place);
    }
}

void foresee_rt_end(uint32_t token, char *p, struct fore_c_site *site, uint32_t what)
{
    size_t size = what >> 16;
    if (!token)
        return;
    struct fore_rt_thread *t = fore_rt_self();
    uint32_t where = fore_rt_where(t, site);
    if (token == GUARDED) {
        fore_rt_shadow_record_guarded(t, where, what & 0xff);
    } else if (token != PARTS && within(p, size) == size) {
        struct fore_rt_part a = part_of(p, size, what, where);
        a.exact = token == EXACT;
        a.before = t->before;
        fore_rt_shadow_record(t, &a, &t->place);
        fore_rt_unspin(t->place);
    } else { /* the order of the first part is that of the accesses */
        end_parts(t, token, p, where, what);
    }
    fore_rt_leave(t);
}

void foresee_rt_fresh(char *p, unsigned long size, struct fore_c_site *site)
{
    if (!fore_rt_on() || fore_rt_self()->inside) /* in a handler of signals */
        return;
    fore_rt_shadow_reset(p, size);
    fore_rt_block_local(p, size, site);
}
