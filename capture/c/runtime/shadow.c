#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/shared.h"
#include "capture/c/runtime/tags.h"

#include <string.h>
#include <sys/mman.h>

enum {
    STRIPES = 1 << 14,
    LINE = 6, /* a lock is of 64 bytes */
    HOPS = 3,
    MUCH = 1 << 22,
};
#define SHADOW_SIZE ((FORE_C_SHADOWED + 1) << 2)
#define WIDE_SIZE ((FORE_C_SHADOWED + 1) << 1)
#define INDEX_SIZE (FORE_C_SHADOWED + 1)

static struct {
    bool on;
    uint32_t stripes[STRIPES];
    /* 1 + the high bits of the addresses whose shadow is in this part */
    uint16_t high[128];
} shadow;

/* ---- where things are ---- */

bool fore_rt_shadow_open(void)
{
    shadow.on = fore_rt_map(FORE_C_SHADOW, SHADOW_SIZE) == (void *)FORE_C_SHADOW &&
                fore_rt_map(FORE_C_WIDE, WIDE_SIZE) == (void *)FORE_C_WIDE &&
                fore_rt_map(FORE_RT_INDEX, INDEX_SIZE) == (void *)FORE_RT_INDEX &&
                fore_rt_units_open() && fore_rt_shared_open() && fore_rt_blocks_open() &&
                fore_rt_tags_open();
    return shadow.on;
}

void fore_rt_shadow_forget(void)
{
    if (!shadow.on)
        return;
    madvise((void *)FORE_C_SHADOW, SHADOW_SIZE, MADV_DONTNEED);
    madvise((void *)FORE_C_WIDE, WIDE_SIZE, MADV_DONTNEED);
    madvise((void *)FORE_RT_INDEX, INDEX_SIZE, MADV_DONTNEED);
    fore_rt_units_forget();
    fore_rt_blocks_forget();
    fore_rt_tags_forget();
    memset(shadow.stripes, 0, sizeof shadow.stripes);
}

/* Two addresses that are far apart may have the same shadow: then only the first has one. */
bool fore_rt_shadowed(const void *p)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    uint16_t *high = &shadow.high[a >> 36 & 127], mine = (uint16_t)((a >> 43) + 1);
    uint16_t seen = __atomic_load_n(high, __ATOMIC_RELAXED);
    if (!shadow.on)
        return false;
    if (seen == 0 && __atomic_compare_exchange_n(high, &seen, mine, false,
                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return true;
    return seen == mine;
}

uint32_t *fore_rt_shadow_line(const void *p)
{
    uint64_t line = (uint64_t)(uintptr_t)p >> LINE;
    return &shadow.stripes[line * 0x9e3779b97f4a7c15u >> 50];
}

/* Locks the unit of a shared place that has all of the n bytes, and returns it. */
static struct fore_rt_unit *hold_unit(const char *p, size_t n);

uint32_t *fore_rt_shadow_lock(const char *p, size_t n)
{
    struct fore_rt_unit *u = hold_unit(p, n);
    uint32_t *stripe = fore_rt_shadow_line(p);
    if (u)
        return &u->lock;
    fore_rt_spin(stripe);
    /* The place may have become shared meanwhile; with the lock it cannot any more. */
    u = hold_unit(p, n);
    if (!u)
        return stripe;
    fore_rt_unspin_first(stripe, &u->lock);
    return &u->lock;
}

uint32_t *fore_rt_shadow_lock_line(uint64_t offset)
{
    uint64_t high = (uint64_t)shadow.high[offset >> 36 & 127] - 1;
    uint32_t *stripe = fore_rt_shadow_line((const void *)(high << 43 | offset));
    fore_rt_spin(stripe);
    return stripe;
}

/* Takes the line's lock in exchange for the unit's, if the thread holds that. */
static void lock_stripe(const char *p, uint32_t **held)
{
    uint32_t *stripe = fore_rt_shadow_line(p);
    if (*held == stripe)
        return;
    fore_rt_unspin(*held);
    fore_rt_spin(stripe);
    *held = stripe;
}

/* ---- an access that is recorded ---- */

static unsigned noted_mask(uint64_t word)
{
    return is_noted(word) ? word >> FORE_C_MASK & 15 : 0;
}

/* Bytes of the cell that a note covers, but an access to `mask` does not. */
static uint64_t other_bytes(uint64_t word, unsigned mask)
{
    return mask && is_noted(word) ? word & NARROW & ~((uint64_t)mask << FORE_C_MASK) : 0;
}

/* Would the thread's note of such an access replace a note of other bytes? They can be noted
 * together if nothing orders what is between them. */
static bool would_lose(uint64_t word, unsigned mask)
{
    return other_bytes(word, mask) && (word & FORE_C_POSITION) < foresee_rt_since;
}

/* Records the owner's last accesses, in their order. An owner may store its note just after another thread has taken
 * the place, if both read or access other bytes. Then the two words are not of the same owner: such a note has no ticket, since
 * accesses with later ones may be recorded already. */
static void tell_owner(struct fore_rt_thread *t, const struct cell *c,
                       struct fore_rt_unit *u, uint64_t w, uint64_t r,
                       const struct fore_rt_part *a)
{
    bool late = tag_of(w) != tag_of(r);
    bool write_first = fore_rt_noted(w).position < fore_rt_noted(r).position;
    if (write_first && is_noted(w))
        fore_rt_tell(t, u, c->p, w, FORE_RING_WRITE, late, a);
    if (is_noted(r))
        fore_rt_tell(t, u, c->p, r, FORE_RING_READ, late, a);
    if (!write_first && is_noted(w))
        fore_rt_tell(t, u, c->p, w, FORE_RING_WRITE, late, a);
}

/* Makes the place shared: accesses are recorded from now on. */
static void share(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                  struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    store(c->w, SHARED | (mask ? NARROW : 0));
    store(c->r, SHARED);
    fore_rt_shared_after(t, c, mask, u, a);
}

/* Finds the bounds of the access, and returns those of the owner's last read; if they do not fit
 * the existing places, each byte becomes a place. */
static uint64_t find_bounds(struct fore_rt_thread *t, struct fore_rt_unit *u,
                            const char *p, uint64_t w, uint64_t r, unsigned *mask,
                            const struct fore_rt_part *a)
{
    bool reads = a->kind == FORE_RING_READ && !a->exact;
    unsigned written = noted_mask(w), read = fore_rt_widened(u, noted_mask(r), written);
    unsigned masks[3] = {reads ? fore_rt_widened(u, *mask, written) : *mask, written,
                         read};
    if (!fore_rt_agree(u, masks)) {
        if (!u->bytes)
            fore_rt_put_overlapped(t, u, *mask, a);
        fore_rt_unit_by_bytes(u, p);
        return r;
    }
    *mask = masks[0];
    return r | (uint64_t)read << FORE_C_MASK;
}

/* Takes the cell from its owner, or is called by its owner, which has to record the first write; and records
 * the access. A thread that has written needs no first read: an access that is not ordered before the read is
 * not ordered before the write either. By the same token a write stands for the reads before. */
static void record_with(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                        struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    uint64_t w = load(c->w), r = load(c->r), tag = foresee_rt_stamp & TAG;
    bool owned = is_owned(w) || is_owned(r);
    bool keeps = owned && (w & TAG) == tag && (r & TAG) == tag;
    bool exact = u->exact || a->exact || (!w && !r);
    bool shares = exact || !owned || !tag || (!keeps && u->hops >= HOPS);
    if (shares)
        fore_rt_shared_before(t, c, u, a);
    if (mask)
        r = find_bounds(t, u, c->p, w, r, &mask, a);
    u->relevant |= a->exact;
    u->exact = exact;
    bool loses = would_lose(a->kind == FORE_RING_READ ? r : w, mask);
    if (owned && (!keeps || a->exact || loses))
        tell_owner(t, c, u, w, r, a);
    uint64_t bytes = (uint64_t)mask << FORE_C_MASK;
    fore_rt_put_access(t, u, c->p, mask, a);
    if (!owned && fore_rt_shared_ends(t, c, mask, u))
        return;
    if (shares) {
        share(t, c, mask, u, a);
        return;
    }
    u->hops += !keeps;
    store(c->w, tag | bytes | (a->kind == FORE_RING_READ ? FORE_C_FRESH : 0));
    store(c->r, tag | bytes);
}

/* Records an access to exactly what another thread has written, without any other access: the
 * number of the place tells that, so no unit is needed. */
static bool record_handed(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                          const struct fore_rt_part *a)
{
    struct fore_rt_unit u = {0};
    uint64_t bytes = (uint64_t)mask << FORE_C_MASK;
    if ((bytes && bytes != NARROW) || a->exact || !foresee_rt_stamp ||
        a->kind == FORE_RING_RMW || !fore_rt_is_filled(c, bytes) ||
        fore_rt_ids_near(FORE_RT_HANDED_IDS))
        return false;
    record_with(t, c, mask, &u, a);
    __atomic_store_n(c->index, FORE_RT_HANDED | u.place.id, __ATOMIC_RELAXED);
    return true;
}

static void record_cell(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                        const struct fore_rt_part *a)
{
    if (record_handed(t, c, mask, a))
        return;
    struct fore_rt_unit *u = fore_rt_unit_make(c->index, !(load(c->w) & NARROW));
    if (!u) {
        fore_rt_dropped();
        return;
    }
    record_with(t, c, mask, u, a);
    fore_rt_unspin(&u->lock);
}

static struct fore_rt_unit *hold_unit(const char *p, size_t n)
{
    struct cell c = cell_at(p);
    struct fore_rt_unit *u = shares_all(&c, p, n) ? fore_rt_unit(c.index) : NULL;
    if (!u)
        return NULL;
    fore_rt_spin(&u->lock);
    if (shares_all(&c, p, n) && fore_rt_unit(c.index) == u)
        return u;
    fore_rt_unspin(&u->lock);
    return NULL;
}

/* ---- an access that is noted ---- */

static bool is_small(const char *p)
{
    const struct fore_c_variable *v = fore_rt_variable(p);
    return v && v->size <= FORE_RT_VALUED;
}

/* Is p's line as a whole in one large variable, or in none? */
static bool is_apart(const char *p)
{
    const char *line = (const char *)((uintptr_t)p & ~(((uintptr_t)1 << LINE) - 1));
    const char *end = line + (1 << LINE);
    const struct fore_c_variable *v;
    if (end <= foresee_rt_low || line >= foresee_rt_high)
        return true;
    v = fore_rt_variable(p);
    return v && v->address <= line && end <= v->address + v->size;
}

static bool is_touched(const struct cell *c)
{
    return load(c->w) || load(c->r);
}

/* The first thread that accesses a line will likely go on in it: untouched cells after this one
 * get the same owner, which has not accessed them yet. */
static void claim_ahead(const struct cell *c, uint64_t none)
{
    unsigned size = none & NARROW ? 4 : 8;
    const char *end = (const char *)(((uintptr_t)c->p | ((1 << LINE) - 1)) + 1);
    for (const char *p = c->p + size; p < end; p += size) {
        struct cell wide = wide_cell_at(p), narrow = narrow_cell_at(p);
        struct cell second = narrow_cell_at(p + 4), next = size == 8 ? wide : narrow;
        if (is_touched(&wide) || is_touched(&narrow) ||
            (size == 8 && is_touched(&second)))
            return;
        store(next.w, none);
        store(next.r, none);
    }
}

/* Has it an owner that has not accessed it yet, so that no thread has? */
static bool is_idle(const struct cell *c)
{
    uint64_t w = load(c->w), r = load(c->r);
    return is_owned(w) && !is_noted(w) && !(w & FORE_C_FRESH) && tag_of(r) == tag_of(w) &&
           !is_noted(r) && !fore_rt_has_unit(c->index);
}

static bool pass_cell(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                      const struct fore_rt_part *a)
{
    uint64_t w = load(c->w), r = load(c->r), stamp = foresee_rt_stamp;
    uint64_t bytes = (uint64_t)mask << FORE_C_MASK;
    uint64_t site = a->where < FORE_C_SITES ? a->where : FORE_C_SITES;
    uint64_t *mine = a->kind == FORE_RING_READ ? c->r : c->w;
    (void)t;
    if (a->exact || !stamp)
        return false;
    if (!w && !r) {
        if (is_small(a->p))
            return false;
        store(c->w, (stamp & TAG) | bytes);
        store(c->r, (stamp & TAG) | bytes);
        if (is_apart(a->p))
            claim_ahead(c, (stamp & TAG) | (mask ? NARROW : 0));
    } else if (is_idle(c)) {
        store(c->w, (stamp & TAG) | bytes);
        store(c->r, (stamp & TAG) | bytes);
    } else if (tag_of(w) != tag_of(stamp) || tag_of(r) != tag_of(stamp) ||
               load(mine) & FORE_C_FRESH || would_lose(load(mine), mask)) {
        return false;
    }
    store(mine, stamp | bytes | other_bytes(load(mine), mask) | site << FORE_C_SITE);
    return true;
}

static bool pass_or_record(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                           const struct fore_rt_part *a)
{
    if (!pass_cell(t, c, mask, a))
        record_cell(t, c, mask, a);
    return true;
}

/* ---- the 8 bytes: one cell or two ---- */

static void clear_cell(const struct cell *c)
{
    store(c->w, 0);
    store(c->r, 0);
}

static uint64_t halved(uint64_t word)
{
    return word | NARROW;
}

/* The access ends a place of 8 bytes of which something was recorded. */
static void end_wide(struct fore_rt_thread *t, const struct cell *wide,
                     const struct fore_rt_part *a)
{
    struct fore_rt_unit *u =
        fore_rt_has_unit(wide->index) ? fore_rt_unit_make(wide->index, true) : NULL;
    if (!u)
        return;
    if (is_shared(wide))
        fore_rt_shared_before(t, wide, u, a);
    fore_rt_put_overlapped(t, u, 0, a);
    fore_rt_unspin(&u->lock);
}

/* Splits the place: from now on the 8 bytes are two places of 4 bytes or less. */
static void split(const struct cell *wide, const struct cell *low,
                  const struct cell *high)
{
    store(high->w, halved(load(wide->w)));
    store(high->r, halved(load(wide->r)));
    store(low->w, halved(load(wide->w)));
    store(low->r, halved(load(wide->r)));
    clear_cell(wide);
    if (fore_rt_has_unit(low->index))
        fore_rt_places_split(low->p);
    fore_rt_unit_release(low->index, low->p);
    fore_rt_unit_release(high->index, high->p);
}

typedef bool visit(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                   const struct fore_rt_part *a);

/* Can the 8 bytes be one place: are they one, or untouched? */
static bool as_one(const struct cell *wide, const struct cell *low,
                   const struct cell *high)
{
    uint64_t tag = foresee_rt_stamp & TAG;
    if (load(wide->w) || (!load(low->w) && !load(high->w)))
        return true;
    if (!tag || !is_idle(low) || !is_idle(high))
        return false;
    store(wide->w, tag);
    store(wide->r, tag);
    clear_cell(low);
    clear_cell(high);
    return true;
}

/* Calls the function for the part of the access in each cell. */
static bool each(struct fore_rt_thread *t, const struct fore_rt_part *a, visit *f)
{
    struct cell wide = wide_cell_at(a->p), low = narrow_cell_at(wide.p),
                high = narrow_cell_at(wide.p + 4);
    unsigned at = (unsigned)((uintptr_t)a->p & 7), end = at + (unsigned)a->size;
    bool all = true;
    fore_rt_tags_come(wide.p);
    if (a->size == 8 && as_one(&wide, &low, &high))
        return f(t, &wide, 0, a);
    if (load(wide.w)) {
        end_wide(t, &wide, a);
        split(&wide, &low, &high);
    }
    if (at < 4)
        all &= f(t, &low, fore_rt_mask(at, (end < 4 ? end : 4) - at), a);
    if (end > 4) {
        unsigned from = at > 4 ? at - 4 : 0;
        all &= f(t, &high, fore_rt_mask(from, end - 4 - from), a);
    }
    return all;
}

bool fore_rt_shadow_pass(struct fore_rt_thread *t, const struct fore_rt_part *a,
                         uint32_t **held)
{
    lock_stripe(a->p, held);
    return each(t, a, pass_cell);
}

/* ---- an access that is recorded when it is over ---- */

bool fore_rt_shadow_valued(const char *p)
{
    struct cell wide = wide_cell_at(p), high = narrow_cell_at(wide.p + 4);
    const struct fore_rt_unit *u = fore_rt_unit(wide.index),
                              *v = fore_rt_unit(high.index);
    return (u && u->exact) || (v && v->exact) || is_small(p);
}

/* A value that lies in two cells is not recorded as one. */
void fore_rt_shadow_record(struct fore_rt_thread *t, const struct fore_rt_part *a,
                           uint32_t **held)
{
    if (fore_rt_shadow_record_shared(t, a, *held))
        return;
    lock_stripe(a->p, held);
    struct fore_rt_part part = *a;
    struct cell wide = wide_cell_at(a->p), low = narrow_cell_at(wide.p),
                high = narrow_cell_at(wide.p + 4);
    size_t at = (uintptr_t)a->p & 7;
    if (at < 4 && at + a->size > 4 && !(a->size == 8 && as_one(&wide, &low, &high)))
        part.whole = false;
    part.first =
        !is_owned(load(wide.w)) && !is_owned(load(low.w)) && !is_owned(load(high.w));
    each(t, &part, pass_or_record);
}

/* ---- a new life ---- */

/* Frees the units within the range; in large ranges that is not worthwhile. */
static void release_units(char *p, size_t granules, bool much)
{
    uint32_t *first = index_at(p), *second = index_at(p + 4);
    if (much) {
        fore_rt_clear((uintptr_t)first, granules * sizeof *first, true);
        fore_rt_clear((uintptr_t)second, granules * sizeof *second, true);
        fore_rt_places_renew(p, granules * 8);
        return;
    }
    for (size_t i = 0; i < granules; i++)
        if (first[i] | second[i]) {
            fore_rt_unit_release(&first[i], p + i * 8);
            fore_rt_unit_release(&second[i], p + i * 8);
        }
}

/* Memory that was never touched stays so, and takes no room. */
static void clear_words(uint64_t *words, size_t n, bool much)
{
    enum { AT_ONCE = 8 };
    if (much) {
        fore_rt_clear((uintptr_t)words, n * sizeof *words, true);
        return;
    }
    for (size_t i = 0; i < n; i += AT_ONCE) {
        uint64_t any = 0;
        size_t end = n - i < AT_ONCE ? n : i + AT_ONCE;
        for (size_t k = i; k < end; k++)
            any |= words[k];
        if (any)
            memset(&words[i], 0, (end - i) * sizeof *words);
    }
}

/* Half of 8 bytes: the other half goes on, unless both are one place. */
static void reset_half(char *p)
{
    uint32_t *held = fore_rt_shadow_lock(p, 4);
    lock_stripe(p, &held);
    struct cell at = cell_at(p);
    clear_cell(&at);
    fore_rt_unit_release(at.index, at.p);
    fore_rt_unspin(held);
}

void fore_rt_shadow_reset(char *p, size_t n)
{
    if (!n || !shadow.on || !fore_rt_shadowed(p))
        return;
    fore_rt_self()->read.from = fore_rt_self()->read.to = NULL;
    fore_rt_self()->again = NULL;
    if ((uintptr_t)p & 4) {
        size_t rest = 4 - ((uintptr_t)p & 3);
        reset_half(p);
        if (n <= rest)
            return;
        p += rest;
        n -= rest;
    }
    size_t odd = ((uintptr_t)p + n) & 7;
    if (odd && odd <= 4) {
        reset_half(p + n - odd);
        n -= odd < n ? odd : n;
    }
    if (!n)
        return;
    size_t granules = (((uintptr_t)p & 7) + n + 7) / 8;
    p = (char *)((uintptr_t)p & ~(uintptr_t)7);
    bool much = n > MUCH;
    release_units(p, granules, much);
    clear_words(wide_cell_at(p).w, 2 * granules, much);
    clear_words(narrow_cell_at(p).w, 4 * granules, much);
}
