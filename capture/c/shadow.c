#include "c/shadow.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    STRIPES = 1 << 14,
    SPECIAL = 1, /* the tag of no thread */
    FIRST_TAG = 2,
    HALF = 6, /* bounds: 4 bytes */
    WIDE = 7, /* 8 bytes */
    HOPS = 3,
    SMALL = 256, /* variables up to this size are exact */
};
#define TAG (~(uint64_t)0 << FORE_C_TAG)
#define SHARED ((uint64_t)SPECIAL << FORE_C_TAG | 1)
#define COVERED ((uint64_t)SPECIAL << FORE_C_TAG | 2)
#define SHADOW_SIZE ((FORE_C_SHADOWED + 1) << 2)
#define INDEX_BASE 0x200000000000ul /* for each 4 bytes, the number of their unit */
#define INDEX_SIZE (FORE_C_SHADOWED + 1)
#define UNITS ((uint64_t)1 << 31)

/* What is known of the places within 4 bytes, or of the one place of 8. */
struct unit {
    uint32_t id[4], ticket[4]; /* of the place that begins at this byte */
    uint8_t size[4];           /* 0: there is none */
    char type[4];
    uint8_t hops;
    bool bytes;    /* each byte is a place */
    bool exact;    /* every access is recorded */
    uint32_t next; /* of those that are free */
};

static struct {
    bool on;
    struct unit *units;
    uint32_t used, free, freeing;
    uint32_t stripes[STRIPES];
    uint16_t high[64]; /* of the addresses whose shadow is in this part, + 1 */
} shadow;

/* One cell. */
struct cell {
    uint64_t *w, *r;
    uint32_t *index;
    char *p; /* the first byte */
};

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint64_t *word, uint64_t to)
{
    __atomic_store_n(word, to, __ATOMIC_RELAXED);
}

static uint64_t tag_of(uint64_t word)
{
    return word >> FORE_C_TAG;
}

static unsigned bounds_of(uint64_t word)
{
    return word >> FORE_C_BOUNDS & 7;
}

static bool is_owned(uint64_t word)
{
    return tag_of(word) >= FIRST_TAG;
}

/* ---- where things are ---- */

static void *map(uint64_t at, uint64_t size)
{
    return mmap((void *)at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                    (at ? MAP_FIXED_NOREPLACE : 0),
                -1, 0);
}

bool fore_rt_shadow_open(void)
{
    shadow.units = map(0, UNITS * sizeof *shadow.units);
    shadow.on = shadow.units != MAP_FAILED &&
                map(FORE_C_SHADOW, SHADOW_SIZE) == (void *)FORE_C_SHADOW &&
                map(INDEX_BASE, INDEX_SIZE) == (void *)INDEX_BASE;
    return shadow.on;
}

void fore_rt_shadow_forget(void)
{
    if (!shadow.on)
        return;
    madvise((void *)FORE_C_SHADOW, SHADOW_SIZE, MADV_DONTNEED);
    madvise((void *)INDEX_BASE, INDEX_SIZE, MADV_DONTNEED);
    shadow.used = shadow.free = shadow.freeing = 0;
    memset(shadow.stripes, 0, sizeof shadow.stripes);
}

/* Two addresses that are far apart may have the same shadow: then only the first has one. */
bool fore_rt_shadowed(const void *p)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    uint16_t *high = &shadow.high[a >> 36 & 63], mine = (uint16_t)((a >> 42) + 1);
    uint16_t seen = __atomic_load_n(high, __ATOMIC_RELAXED);
    if (!shadow.on)
        return false;
    if (seen == 0 && __atomic_compare_exchange_n(high, &seen, mine, false,
                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return true;
    return seen == mine;
}

static uint32_t *stripe_of(const void *p)
{
    uint64_t granule = (uint64_t)(uintptr_t)p >> 3;
    return &shadow.stripes[granule * 0x9e3779b97f4a7c15u >> 50];
}

void fore_rt_shadow_lock(const void *p)
{
    fore_rt_spin(stripe_of(p));
}

void fore_rt_shadow_unlock(const void *p)
{
    fore_rt_unspin(stripe_of(p));
}

static uint64_t offset_of(const void *p)
{
    return (uint64_t)(uintptr_t)p & FORE_C_SHADOWED & ~(uint64_t)3;
}

static struct cell cell_at(const char *p)
{
    uint64_t *w = (uint64_t *)(FORE_C_SHADOW + (offset_of(p) << 2));
    return (struct cell){w, w + 1, (uint32_t *)(INDEX_BASE + offset_of(p)),
                         (char *)((uintptr_t)p & ~(uintptr_t)3)};
}

/* ---- units ---- */

static struct unit *unit_of(const struct cell *c)
{
    uint32_t i = __atomic_load_n(c->index, __ATOMIC_RELAXED);
    return i ? &shadow.units[i] : NULL;
}

static uint32_t take_free(void)
{
    uint32_t i;
    if (!__atomic_load_n(&shadow.free, __ATOMIC_RELAXED))
        return 0;
    fore_rt_spin(&shadow.freeing);
    i = shadow.free;
    if (i)
        shadow.free = shadow.units[i].next;
    fore_rt_unspin(&shadow.freeing);
    return i;
}

static struct unit *unit_make(const struct cell *c)
{
    struct unit *u = unit_of(c);
    if (u)
        return u;
    uint32_t i = take_free();
    if (!i)
        i = __atomic_add_fetch(&shadow.used, 1, __ATOMIC_RELAXED);
    if (i >= UNITS)
        return NULL;
    shadow.units[i] = (struct unit){0};
    __atomic_store_n(c->index, i, __ATOMIC_RELAXED);
    return &shadow.units[i];
}

static void unit_release(uint32_t *index)
{
    uint32_t i = *index;
    if (!i)
        return;
    *index = 0;
    fore_rt_spin(&shadow.freeing);
    shadow.units[i].next = shadow.free;
    shadow.free = i;
    fore_rt_unspin(&shadow.freeing);
}

/* ---- places ---- */

/* Another place of the unit has some of these bytes. */
static bool overlaps(const struct unit *u, unsigned at, unsigned size)
{
    for (unsigned i = 0; i < 4; i++)
        if (u->size[i] && i < at + size && at < i + u->size[i] &&
            (i != at || u->size[i] != size))
            return true;
    return false;
}

/* The place of these bytes of the cell; they are known not to overlap another one. */
static uint32_t place_at(struct fore_rt_thread *t, const struct cell *c, struct unit *u,
                         unsigned at, unsigned size, const struct fore_rt_part *a)
{
    if (!u->size[at]) {
        const char *before = NULL;
        if (!is_owned(load(c->w)) && !is_owned(load(c->r)))
            before = (const char *)&a->before + ((uintptr_t)c->p + at) % 8;
        u->id[at] = fore_rt_new_id();
        u->ticket[at] = 0;
        u->size[at] = (uint8_t)size;
        u->type[at] =
            fore_rt_define_place(t, u->id[at], c->p + at, size, a->where, before);
    }
    return u->id[at];
}

static void range_of(unsigned bounds, unsigned *at, unsigned *size)
{
    *at = bounds < 4 ? bounds : bounds < HALF ? (bounds - 4) * 2 : 0;
    *size = bounds < 4 ? 1 : bounds < HALF ? 2 : bounds == HALF ? 4 : 8;
}

static unsigned bounds_for(unsigned at, unsigned size)
{
    return size == 8 ? WIDE : size == 4 ? HALF : size == 2 ? 4 + at / 2 : at;
}

/* ---- telling ---- */

static void tell_one(struct fore_rt_thread *t, uint32_t object, uint32_t *ticket,
                     uint64_t word, unsigned kind)
{
    struct fore_ring_record *r = fore_rt_take(t, 1);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = (tag_of(word) - FIRST_TAG + 1) | (uint64_t)kind << 32;
    unit[1] = word & (((uint64_t)1 << FORE_C_SITE) - 1);
    uint32_t site = word >> FORE_C_SITE & FORE_C_SITES;
    fore_rt_put(t, r, site == FORE_C_SITES ? 0 : site, object,
                FORE_RING_WORD(FORE_RING_PAST, FORE_RING_DONE, 1, ++*ticket));
}

/* Accesses that overlap have other bounds: what was known of the places is forgotten. */
static void by_bytes(struct unit *u)
{
    if (u->bytes)
        return;
    memset(u->size, 0, sizeof u->size);
    u->bytes = true;
}

static void tell(struct fore_rt_thread *t, const struct cell *c, struct unit *u,
                 uint64_t word, unsigned kind, const struct fore_rt_part *a)
{
    unsigned at, size;
    if (!is_owned(word) || !(word >> FORE_C_SITE & FORE_C_SITES))
        return; /* there was none */
    range_of(bounds_of(word), &at, &size);
    for (unsigned i = 0, n = u->bytes ? size : 1; i < n; i++) {
        uint32_t id = place_at(t, c, u, at + i, u->bytes ? 1 : size, a);
        tell_one(t, id, &u->ticket[at + i], word, kind);
    }
}

/* Does the word's access overlap these bytes, or a place, with other bounds? */
static bool clashes(const struct unit *u, uint64_t word, unsigned at, unsigned size)
{
    unsigned own, own_size;
    if (!is_owned(word) || !(word >> FORE_C_SITE & FORE_C_SITES))
        return false;
    range_of(bounds_of(word), &own, &own_size);
    return ((own != at || own_size != size) && own < at + size && at < own + own_size) ||
           overlaps(u, own, own_size);
}

/* The owner's last accesses, in their order. */
static void tell_owner(struct fore_rt_thread *t, const struct cell *c, struct unit *u,
                       const struct fore_rt_part *a)
{
    uint64_t w = load(c->w), r = load(c->r), mask = ((uint64_t)1 << FORE_C_SITE) - 1;
    if ((w & mask) < (r & mask)) {
        tell(t, c, u, w, FORE_RING_WRITE, a);
        tell(t, c, u, r, FORE_RING_READ, a);
    } else {
        tell(t, c, u, r, FORE_RING_READ, a);
        tell(t, c, u, w, FORE_RING_WRITE, a);
    }
}

/* ---- recording ---- */

static char type_of(const struct unit *u, unsigned at, const struct fore_rt_part *a)
{
    if (a->bits & FORE_C_NO_VALUE || !a->whole || u->bytes)
        return 'o';
    if (u->type[at] && u->type[at] != 'o')
        return u->type[at];
    return a->bits & FORE_C_FLOAT ? 'f' : 'i';
}

static void put_access(struct fore_rt_thread *t, uint32_t object, uint32_t *ticket,
                       char type, const struct fore_rt_part *a)
{
    enum { TYPE_A = 6, TYPE_B = 9, ORDER = 12 };
    struct fore_rt_value v = fore_rt_value(type, a->p, a->size), old = {0};
    unsigned kind = a->kind;
    if (kind == FORE_RING_RMW) {
        old =
            fore_rt_value(type, (const char *)&a->before + (uintptr_t)a->p % 8, a->size);
        if (a->bits & FORE_C_COMPARED && old.bits == v.bits) /* not exchanged */
            kind = FORE_RING_READ;
    }
    bool two = kind == FORE_RING_RMW;
    struct fore_ring_record *r = fore_rt_take(t, two ? 2 : 1);
    uint64_t *unit = (uint64_t *)(r + 1);
    uint64_t flags = (uint64_t)a->order << ORDER | v.type << TYPE_A;
    unit[0] = two ? old.bits : v.bits;
    unit[1] = two ? v.bits : flags;
    if (two) {
        unit[2] = flags | v.type << TYPE_B;
        unit[3] = 0;
    }
    fore_rt_put(
        t, r, a->where, object,
        FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_TYPES, two ? 2 : 1, ++*ticket));
    if (a->order)
        t->segment++;
}

static struct fore_rt_seen *seen_of(struct fore_rt_thread *t, const char *p)
{
    uint64_t h = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15u;
    return &t->seen[h >> 58];
}

static void put_all(struct fore_rt_thread *t, const struct cell *c, struct unit *u,
                    unsigned at, unsigned size, const struct fore_rt_part *a)
{
    for (unsigned i = 0, n = u->bytes ? size : 1; i < n; i++) {
        uint32_t id = place_at(t, c, u, at + i, u->bytes ? 1 : size, a);
        put_access(t, id, &u->ticket[at + i], type_of(u, at, a), a);
    }
    if (a->kind == FORE_RING_READ && !u->bytes && !u->exact)
        *seen_of(t, a->p) = (struct fore_rt_seen){c->p + at, t->segment, u->ticket[at]};
}

/* The owner itself has accessed the cell by overlapping parts. */
static bool clashes_each_other(uint64_t w, uint64_t r)
{
    unsigned at, size;
    static const struct unit none;
    range_of(bounds_of(r), &at, &size);
    return is_owned(r) && r >> FORE_C_SITE & FORE_C_SITES && clashes(&none, w, at, size);
}

/* With the lock of its stripe: takes the cell from its owner, or is its owner who has to
 * record the first access of this kind; and records it. */
static void record_cell(struct fore_rt_thread *t, const struct cell *c, unsigned at,
                        unsigned size, const struct fore_rt_part *a)
{
    uint64_t w = load(c->w), r = load(c->r), tag = foresee_rt_stamp & TAG;
    uint64_t bounds = (uint64_t)bounds_for(at, size) << FORE_C_BOUNDS;
    struct unit *u = unit_make(c);
    if (!u) {
        fore_rt_dropped();
        return;
    }
    bool owned = is_owned(w) || is_owned(r);
    bool keeps = owned && (w & TAG) == tag && (r & TAG) == tag;
    if (size < 8 && (overlaps(u, at, size) || clashes(u, w, at, size) ||
                     clashes(u, r, at, size) || clashes_each_other(w, r)))
        by_bytes(u);
    if (owned && (!keeps || a->exact))
        tell_owner(t, c, u, a);
    u->exact |= a->exact || (!w && !r);
    put_all(t, c, u, at, size, a);
    if (a->exact || !owned || !tag || (!keeps && u->hops >= HOPS)) {
        store(c->w, SHARED | (size == 8 ? bounds : 0));
        return;
    }
    if (!keeps) {
        u->hops++;
        store(c->w, tag | FORE_C_FRESH | bounds);
        store(c->r, tag | FORE_C_FRESH | bounds);
    }
    store(a->kind == FORE_RING_READ ? c->r : c->w, tag | bounds);
}

/* ---- noting ---- */

static bool is_small(const char *p)
{
    const struct fore_c_variable *v = fore_rt_variable(p);
    return v && v->size <= SMALL;
}

static bool pass_cell(struct fore_rt_thread *t, const struct cell *c, unsigned at,
                      unsigned size, const struct fore_rt_part *a)
{
    uint64_t w = load(c->w), r = load(c->r), stamp = foresee_rt_stamp;
    uint64_t bounds = (uint64_t)bounds_for(at, size) << FORE_C_BOUNDS;
    uint64_t site = a->where < FORE_C_SITES ? a->where : FORE_C_SITES;
    uint64_t *mine = a->kind == FORE_RING_READ ? c->r : c->w;
    (void)t;
    if (a->exact || !stamp)
        return false;
    if (!w && !r) {
        if (is_small(a->p))
            return false;
        store(c->w, (stamp & TAG) | bounds);
        store(c->r, (stamp & TAG) | bounds);
    } else if (tag_of(w) != tag_of(stamp) || tag_of(r) != tag_of(stamp) ||
               load(mine) & FORE_C_FRESH) {
        return false;
    }
    store(mine, stamp | bounds | site << FORE_C_SITE);
    return true;
}

/* ---- the 8 bytes: one cell or two ---- */

static bool is_wide(uint64_t w)
{
    return w && w != COVERED && bounds_of(w) == WIDE;
}

static uint64_t halved(uint64_t word)
{
    return (word & ~((uint64_t)WIDE << FORE_C_BOUNDS)) |
           (is_owned(word) ? (uint64_t)HALF << FORE_C_BOUNDS : 0);
}

/* From now on two places of 4 bytes or less. */
static void split(const struct cell *low, const struct cell *high)
{
    store(high->w, halved(load(low->w)));
    store(high->r, halved(load(low->r)));
    store(low->w, halved(load(low->w)));
    store(low->r, halved(load(low->r)));
    unit_release(low->index);
    unit_release(high->index);
}

typedef bool visit(struct fore_rt_thread *t, const struct cell *c, unsigned at,
                   unsigned size, const struct fore_rt_part *a);

/* The parts of the access that are of one width each. False if one of them was. */
static bool each(struct fore_rt_thread *t, const struct fore_rt_part *a, visit *f)
{
    struct cell low = cell_at((const char *)((uintptr_t)a->p & ~(uintptr_t)7)),
                high = cell_at(low.p + 4);
    bool all = true;
    unsigned at = (unsigned)((uintptr_t)a->p & 7);
    if (a->size == 8 && !load(low.w) && !load(high.w)) {
        all = f(t, &low, 0, 8, a);
        if (load(low.w))
            store(high.w, COVERED);
        return all;
    }
    if (is_wide(load(low.w))) {
        if (a->size == 8)
            return f(t, &low, 0, 8, a);
        split(&low, &high);
    } else if (load(high.w) == COVERED) {
        store(high.w, 0);
    }
    for (unsigned end = at + (unsigned)a->size, n; at < end; at += n) {
        const struct cell *c = at < 4 ? &low : &high;
        unsigned left = (at < 4 ? 4 : 8) - at, in = at & 3;
        n = end - at < left ? end - at : left;
        n = n == 3 || (n == 2 && in == 1) ? 1 : n; /* as places are bounded */
        struct fore_rt_part part = *a;
        part.whole = a->whole && n == a->size;
        all &= f(t, c, in, n, &part);
    }
    return all;
}

bool fore_rt_shadow_pass(struct fore_rt_thread *t, const struct fore_rt_part *a)
{
    return each(t, a, pass_cell);
}

static bool pass_or_record(struct fore_rt_thread *t, const struct cell *c, unsigned at,
                           unsigned size, const struct fore_rt_part *a)
{
    if (!pass_cell(t, c, at, size, a))
        record_cell(t, c, at, size, a);
    return true;
}

void fore_rt_shadow_record(struct fore_rt_thread *t, const struct fore_rt_part *a)
{
    each(t, a, pass_or_record);
}

bool fore_rt_shadow_repeats(struct fore_rt_thread *t, const char *p, size_t size)
{
    struct cell c = cell_at(p);
    const struct fore_rt_seen *seen = seen_of(t, p);
    if (seen->p != p || seen->segment != t->segment ||
        load(c.w) != (SHARED | (size == 8 ? (uint64_t)WIDE << FORE_C_BOUNDS : 0)))
        return false;
    const struct unit *u = unit_of(&c);
    unsigned at = (unsigned)((uintptr_t)p & 3);
    return u && u->size[at] == size &&
           __atomic_load_n(&u->ticket[at], __ATOMIC_ACQUIRE) == seen->ticket;
}

/* ---- a new life ---- */

static void clear(uint64_t from, uint64_t n)
{
    enum { LARGE = 1 << 16, PAGE = 4096 };
    if (n >= LARGE) {
        uint64_t first = (from + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        uint64_t last = (from + n) & ~(uint64_t)(PAGE - 1);
        madvise((void *)first, last - first, MADV_DONTNEED);
        memset((void *)last, 0, from + n - last);
        n = first - from;
    }
    memset((void *)from, 0, n);
}

/* Units within the range are free again; in large ones that is not worth a look. */
static void release_units(const char *p, size_t n)
{
    enum { MOST = 1 << 24 };
    if (n > MOST)
        return;
    uint64_t *at = (uint64_t *)(INDEX_BASE + (offset_of(p) & ~(uint64_t)7));
    uint64_t *end = (uint64_t *)(INDEX_BASE + (offset_of(p + n - 1) | 7) + 1);
    for (; at < end; at++)
        if (*at) {
            unit_release((uint32_t *)at);
            unit_release((uint32_t *)at + 1);
        }
}

/* Half of 8 bytes: the other half goes on, unless both are one place. */
static void reset_half(char *p)
{
    struct cell low = cell_at((const char *)((uintptr_t)p & ~(uintptr_t)7));
    struct cell at = is_wide(load(low.w)) ? low : cell_at(p);
    fore_rt_shadow_lock(p);
    store(at.w, 0);
    store(at.r, 0);
    unit_release(at.index);
    fore_rt_shadow_unlock(p);
}

void fore_rt_shadow_reset(char *p, size_t n)
{
    if (!n || !shadow.on || !fore_rt_shadowed(p))
        return;
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
    release_units(p, n);
    uint64_t from = offset_of(p) & ~(uint64_t)7, to = offset_of(p + n - 1) | 7;
    clear(FORE_C_SHADOW + (from << 2), (to + 1 - from) << 2);
}

void fore_rt_shadow_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (!shadow.on || pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &size))
        fore_rt_shadow_reset(low, size);
    pthread_attr_destroy(&attributes);
}
