#include "capture/c/runtime/places.h"
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/tags.h"

#include <string.h>
#include <sys/mman.h>

#define UNITS ((uint64_t)FORE_RT_HANDED)
#define LINE 256u                  /* bytes whose places are numbered together */
#define LINE_BASE 0x210000000000ul /* the number of the first, per line */
#define LINES_SIZE ((FORE_C_SHADOWED + 1) / LINE * 4)

enum { HANDED_TICKETS = 2 }; /* the write of one thread, and the access of another */

static struct {
    FORE_RT_APART uint32_t used;
} places;

struct fore_rt_unit *fore_rt_units;

/* ---- units ---- */

bool fore_rt_units_open(void)
{
    void *lines = fore_rt_map(LINE_BASE, LINES_SIZE);
    void *units = fore_rt_map(0, UNITS * sizeof *fore_rt_units);
    fore_rt_units = units;
    return lines == (void *)LINE_BASE && units != MAP_FAILED;
}

void fore_rt_units_forget(void)
{
    madvise((void *)LINE_BASE, LINES_SIZE, MADV_DONTNEED);
    places.used = 0;
}

_Static_assert(sizeof(struct fore_rt_unit) == 32, "two units are a cache line");
_Static_assert(4 * sizeof(struct fore_rt_place) <= 2 * sizeof(struct fore_rt_unit),
               "and have room for four places");

static void forget_places(struct fore_rt_unit *u, bool bytes_too)
{
    struct fore_rt_place *place;
    for (unsigned at = 0; at < 4; at++)
        if ((place = fore_rt_place(u, at)) && (bytes_too || place->size > 1))
            place->size = 0;
}

/* Called with the unit's lock. Versions go on counting, so that no thread takes one for that of the place before. */
static void renew(struct fore_rt_unit *u)
{
    __atomic_store_n(&u->guard, 0u, __ATOMIC_SEQ_CST);
    forget_places(u, true);
    u->version++;
    u->last = u->streak = u->readings = u->hops = u->breaks = 0;
    u->bytes = u->exact = u->relevant = u->is_read = u->place.widened = false;
}

/* Each thread takes several units at once; the first of them maps memory for many more. */
static uint32_t new_unit(struct fore_rt_thread *t)
{
    enum { SOME = 64, MANY = 4096 };
    if (t->units % SOME == 0) {
        t->units = __atomic_fetch_add(&places.used, SOME, __ATOMIC_RELAXED);
        if (t->units >= UNITS)
            return (uint32_t)UNITS;
        if (t->units % MANY == 0)
            fore_rt_populate(&fore_rt_units[t->units], MANY * sizeof *fore_rt_units);
        t->units += !t->units; /* 0 is none */
    }
    fore_rt_units[t->units] = (struct fore_rt_unit){0};
    return t->units++;
}

/* The unit stays with its address, since a thread that recorded there will likely do so again. */
struct fore_rt_unit *fore_rt_unit_make(uint32_t *index, bool wide)
{
    uint32_t i = __atomic_load_n(index, __ATOMIC_RELAXED), old = i & FORE_RT_OLD;
    uint32_t handed = i & FORE_RT_HANDED ? i & FORE_RT_HANDED_IDS : 0;
    bool written = i & FORE_RT_WRITTEN, widened = i & FORE_RT_WIDENED;
    i = handed ? 0 : i & ~FORE_RT_OLD;
    if (!i) {
        i = new_unit(fore_rt_self());
        if (i >= UNITS)
            return NULL;
    }
    struct fore_rt_unit *u = &fore_rt_units[i];
    fore_rt_spin(&u->lock);
    if (old)
        renew(u);
    if (handed) {
        u->place = (struct fore_rt_place){
            .id = handed, .ticket = HANDED_TICKETS + written, .size = wide ? 8 : 4};
        u->place.widened = widened;
        u->hops = 1;
    }
    __atomic_store_n(index, i, __ATOMIC_RELAXED);
    return u;
}

static uint32_t *line_of(const char *p)
{
    return (uint32_t *)LINE_BASE + ((uint64_t)(uintptr_t)p & FORE_C_SHADOWED) / LINE;
}

void fore_rt_unit_release(uint32_t *index, const char *p)
{
    uint32_t i = __atomic_load_n(index, __ATOMIC_RELAXED);
    if (!fore_rt_has_unit(index))
        return;
    if (i & FORE_RT_HANDED)
        __atomic_store_n(index, 0u, __ATOMIC_RELAXED);
    else
        __atomic_fetch_or(index, FORE_RT_OLD, __ATOMIC_RELAXED);
    __atomic_store_n(line_of(p), 0u, __ATOMIC_RELAXED);
}

void fore_rt_places_renew(const char *p, size_t n)
{
    uint64_t from = (uint64_t)(uintptr_t)line_of(p);
    fore_rt_clear(from, (uint64_t)(uintptr_t)line_of(p + n - 1) + 4 - from, true);
}

void fore_rt_places_split(const char *p)
{
    __atomic_store_n(line_of(p), 0u, __ATOMIC_RELAXED);
    fore_rt_block_renumber(p);
}

/* Do these bytes overlap a place of the unit without being that place? */
static bool splits(struct fore_rt_unit *u, unsigned mask)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct fore_rt_place *place = fore_rt_place(u, i);
        unsigned own = place ? fore_rt_mask(i, place->size) : 0;
        if (own & mask && own != mask)
            return !u->bytes;
    }
    return false;
}

/* 1, 2 or 4 bytes at a multiple of that. */
static bool is_even(unsigned mask)
{
    return (mask & -mask) == mask || mask == 3 || mask == 12 || mask == 15;
}

unsigned fore_rt_widened(struct fore_rt_unit *u, unsigned mask, unsigned written)
{
    if (u->bytes || u->exact || !mask)
        return mask;
    for (unsigned i = 0; i < 4; i++) {
        const struct fore_rt_place *place = fore_rt_place(u, i);
        unsigned own = place ? fore_rt_mask(i, place->size) : 0;
        if ((own & mask) == mask) {
            if (own != mask)
                u->place.widened = true;
            return own;
        }
    }
    if ((written & mask) != mask || !is_even(written))
        return mask;
    if (written != mask)
        u->place.widened = true;
    return written;
}

bool fore_rt_agree(struct fore_rt_unit *u, const unsigned masks[3])
{
    for (int i = 0; i < 3; i++) {
        unsigned m = masks[i];
        if (m && (splits(u, m) || !is_even(m)))
            return false;
        for (int j = 0; j < i; j++)
            if (m & masks[j] && m != masks[j])
                return false;
    }
    return true;
}

void fore_rt_unit_by_bytes(struct fore_rt_unit *u, const char *p)
{
    if (u->bytes)
        return;
    forget_places(u, false);
    u->version++; /* noted reads have other bounds */
    u->is_read = false;
    u->bytes = true;
    fore_rt_places_split(p);
}

/* ---- numbers ---- */

/* Places in memory of unknown origin are numbered by lines, each of which one record defines. */
static uint32_t number_in_line(struct fore_rt_thread *t, const char *p, uint32_t where)
{
    uint32_t *line = line_of(p), first = __atomic_load_n(line, __ATOMIC_RELAXED);
    if (!first) {
        first = fore_rt_new_ids(LINE);
        __atomic_store_n(line, first, __ATOMIC_RELAXED);
        fore_rt_put(t, fore_rt_take(t, 0), where, first,
                    FORE_RING_WORD(FORE_RING_DEF_PLACES, FORE_RING_DONE, 0, LINE));
    }
    return first + (uint32_t)((uintptr_t)p % LINE);
}

static uint32_t number(struct fore_rt_thread *t, const char *p, uint32_t where)
{
    uint32_t id = fore_rt_block_place(t, p);
    return id ? id : number_in_line(t, p, where);
}

/* Takes two units side by side in one cache line; of those that the thread took last, one may be
 * left over. */
static uint32_t new_pair(struct fore_rt_thread *t)
{
    uint32_t i = new_unit(t);
    if (i % 2)
        i = new_unit(t);
    return i < UNITS && new_unit(t) < UNITS ? i : 0;
}

/* Makes room for one more place; if there is none, forgets another place. */
static struct fore_rt_place *add_place(struct fore_rt_thread *t, struct fore_rt_unit *u,
                                       unsigned at)
{
    if (u->place.size && !u->more && (u->more = new_pair(t)))
        ((struct fore_rt_place *)(void *)&fore_rt_units[u->more])[u->place.at] = u->place;
    if (!u->more)
        return &u->place;
    return (struct fore_rt_place *)(void *)&fore_rt_units[u->more] + at;
}

/* The place of `size` bytes that begins at the unit's byte `at`. */
static struct fore_rt_place *place_at(struct fore_rt_thread *t, struct fore_rt_unit *u,
                                      char *p, unsigned at, unsigned size,
                                      const struct fore_rt_part *a)
{
    struct fore_rt_place *place = fore_rt_place(u, at);
    if (place)
        return place;
    place = add_place(t, u, at);
    *place = (struct fore_rt_place){
        .size = (uint8_t)size, .at = (uint8_t)at, .widened = u->place.widened};
    if (!fore_rt_variable(p + at)) {
        place->id = number(t, p + at, a->where);
        return place;
    }
    const char *before = NULL;
    if (a->first && !t->late)
        before = (const char *)&a->before + ((uintptr_t)p + at) % 8;
    place->id = fore_rt_new_ids(1);
    place->type = fore_rt_define_place(t, place->id, p + at, size, before);
    return place;
}

/* ---- runs: the same access to the next place, in the same record ---- */

/* Does `object` follow the end of the run? `more` further places are in it. */
static bool goes_on(struct fore_rt_run *run, uint32_t object, uint32_t more)
{
    if (more + 1 >= FORE_RING_LONGEST_RUN || fore_rt_streams())
        return false;
    if (!more)
        run->distance = object - run->last;
    if (!run->distance || run->distance > 255 || object != run->last + run->distance)
        return false;
    run->last = object;
    return true;
}

static void tell_one(struct fore_rt_thread *t, uint32_t object, uint32_t ticket,
                     uint64_t word, unsigned kind, unsigned flags)
{
    struct fore_rt_noted noted = fore_rt_noted(word);
    if (noted.thread ==
        t->number) /* what the thread does next comes after its own note: not into an earlier record */
        t->run.record = NULL;
    uint64_t of = noted.thread | (uint64_t)kind << 32;
    uint64_t position = noted.position;
    uint32_t site = word >> FORE_C_SITE & FORE_C_SITES;
    struct fore_rt_run *run = &t->told[kind == FORE_RING_WRITE];
    uint64_t *unit = run->record ? (uint64_t *)(run->record + 1) : NULL;
    if (unit && run->where == site && run->ticket == ticket && run->of == of &&
        FORE_RING_FLAGS(run->record->word) == flags && (uint32_t)unit[1] == position &&
        goes_on(run, object, (uint32_t)(unit[1] >> 32))) {
        unit[0] = of | (uint64_t)run->distance << 40;
        unit[1] += (uint64_t)1 << 32;
        return;
    }
    uint32_t where = fore_rt_called_told(t, (uint32_t)of, site);
    struct fore_ring_record *r = fore_rt_take(t, 1);
    unit = (uint64_t *)(r + 1);
    unit[0] = of;
    unit[1] = position;
    *run = (struct fore_rt_run){r, of, site, ticket, object, 0};
    fore_rt_put(t, r, where, object, FORE_RING_WORD(FORE_RING_PAST, flags, 1, ticket));
}

/* Records an access without value. The second of its kind in a row begins a run. */
static void put_plain(struct fore_rt_thread *t, uint32_t object, uint32_t ticket,
                      unsigned kind, uint32_t where)
{
    struct fore_rt_run *run = &t->run;
    where = fore_rt_with_callers(t, where);
    bool same = run->where == where && run->ticket == ticket && run->of == kind &&
                t->last_event == run->record && run->record;
    if (same && FORE_RING_FLAGS(run->record->word) & FORE_RING_RUN) {
        uint64_t *unit = (uint64_t *)(run->record + 1);
        if (goes_on(run, object, (uint32_t)unit[0])) {
            unit[1] = run->distance;
            unit[0]++;
            return;
        }
    }
    struct fore_ring_record *r = fore_rt_take(t, same);
    if (same)
        memset(r + 1, 0, FORE_RING_RECORD);
    *run = (struct fore_rt_run){r, kind, where, ticket, object, 0};
    fore_rt_put(
        t, r, where, object,
        FORE_RING_WORD(kind, FORE_RING_DONE | (same ? FORE_RING_RUN : 0), same, ticket));
}

/* Is the last event a run of accesses, and are there PAST records by the thread in the same
 * chunk? */
static bool is_in_run(const struct fore_rt_thread *t)
{
    const struct fore_ring_record *r = t->run.record;
    return r && t->told[1].record && t->last_event == r &&
           FORE_RING_FLAGS(r->word) & FORE_RING_RUN;
}

/* Is this just the next place of a run that has at least two? */
static bool is_next(const struct fore_rt_run *run, uint32_t id, uint32_t more)
{
    return more && more + 1 < FORE_RING_LONGEST_RUN && id == run->last + run->distance;
}

/* Extends the runs in the thread's records by both accesses, as in an array. */
static bool grow_handed(struct fore_rt_thread *t, uint64_t word, uint32_t id,
                        unsigned kind, uint32_t where)
{
    struct fore_rt_run *told = &t->told[1], *run = &t->run;
    struct fore_rt_noted noted = fore_rt_noted(word);
    if (!is_in_run(t) || run->of != kind || run->where != where ||
        run->ticket != HANDED_TICKETS ||
        told->where != (word >> FORE_C_SITE & FORE_C_SITES) || told->ticket != 1 ||
        told->of != (noted.thread | (uint64_t)FORE_RING_WRITE << 32) ||
        FORE_RING_FLAGS(told->record->word) != FORE_RING_DONE || fore_rt_streams())
        return false;
    uint64_t *past = (uint64_t *)(told->record + 1), *own = (uint64_t *)(run->record + 1);
    if ((uint32_t)past[1] != noted.position ||
        !is_next(told, id, (uint32_t)(past[1] >> 32)) ||
        !is_next(run, id, (uint32_t)own[0]))
        return false;
    past[1] += (uint64_t)1 << 32;
    own[0]++;
    told->last = run->last = id;
    return true;
}

void fore_rt_put_handed(struct fore_rt_thread *t, uint64_t word, uint32_t id, bool part,
                        unsigned kind, uint32_t where)
{
    if (!part && grow_handed(t, word, id, kind, where))
        return;
    fore_rt_may_tell();
    tell_one(t, id, HANDED_TICKETS - 1, word, FORE_RING_WRITE,
             FORE_RING_DONE | (part ? FORE_RING_NEAR : 0));
    put_plain(t, id, HANDED_TICKETS, kind, where);
}

void fore_rt_put_written(struct fore_rt_thread *t, uint32_t id, uint32_t where)
{
    put_plain(t, id, HANDED_TICKETS + 1, FORE_RING_WRITE, where);
}

/* ---- records ---- */

/* At least one bit; the first one and how many there are, if they are in a row. */
static void range_of(unsigned mask, unsigned *at, unsigned *size)
{
    static const uint8_t sizes[16] = {8, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    *at = mask ? (unsigned)__builtin_ctz(mask) : 0;
    *size = sizes[mask & 15];
}

void fore_rt_tell(struct fore_rt_thread *t, struct fore_rt_unit *u, char *p,
                  uint64_t word, unsigned kind, bool early, const struct fore_rt_part *a)
{
    unsigned mask = word >> FORE_C_MASK & 15, at, size;
    bool bytes = u->bytes && mask, several = mask & (mask - 1);
    bool near = several && (bytes || u->place.widened);
    unsigned flags =
        FORE_RING_DONE | (early ? FORE_RING_EARLY : 0) | (near ? FORE_RING_NEAR : 0);
    range_of(mask, &at, &size);
    for (unsigned end = bytes ? 4 : at + 1; at < end; at++) {
        if (bytes && !(mask >> at & 1))
            continue;
        struct fore_rt_place *place = place_at(t, u, p, at, bytes ? 1 : size, a);
        uint32_t next = place->ticket + 1;
        if (!early)
            place->ticket = next;
        tell_one(t, place->id, next, word, kind, flags);
    }
}

char fore_rt_type(const struct fore_rt_unit *u, const struct fore_rt_place *place,
                  const struct fore_rt_part *a)
{
    if (a->bits & FORE_C_NO_VALUE || !a->whole || u->bytes)
        return 'o';
    if (place->type && place->type != 'o')
        return place->type;
    return a->bits & FORE_C_FLOAT ? 'f' : 'i';
}

/* Writes the access with its value in place of a ticket, if the value fits. */
static bool put_brief(struct fore_rt_thread *t, uint32_t object, struct fore_rt_value v,
                      uint32_t where, unsigned kind)
{
    enum { TYPE = 24, VALUE = 27 };
    uint64_t word = FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_BRIEF, 0, 0) |
                    (uint64_t)v.type << TYPE | v.bits << VALUE;
    if ((uint64_t)FORE_RING_BRIEF_VALUE(word) != v.bits)
        return false;
    where = fore_rt_with_callers(t, where);
    fore_rt_put(t, fore_rt_take(t, 0), where, object, word);
    return true;
}

static void put_exact(struct fore_rt_thread *t, uint32_t object, uint32_t ticket,
                      char type, const struct fore_rt_part *a)
{
    enum { TYPE_A = 6, TYPE_B = 9, ORDER = 12 };
    struct fore_rt_value v = fore_rt_value(type, a->p, a->size), old = {0};
    unsigned kind = a->kind;
    if (!ticket && kind != FORE_RING_RMW && !a->order &&
        put_brief(t, object, v, a->where, kind))
        return;
    if (kind == FORE_RING_RMW) {
        const char *before = (const char *)&a->before + (uintptr_t)a->p % 8;
        old = fore_rt_value(type, before, a->size);
        /* A compare-and-exchange failed if the bytes are the same; the shown value of a pointer
         * may be the same in any case. */
        if (a->bits & FORE_C_COMPARED && a->size <= 8 && !memcmp(before, a->p, a->size))
            kind = FORE_RING_READ;
    }
    bool two = kind == FORE_RING_RMW;
    uint32_t where = fore_rt_with_callers(t, a->where);
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
        t, r, where, object,
        FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_TYPES, two ? 2 : 1, ticket));
    if (a->order) {
        t->segment++;
        foresee_rt_since = t->records;
    }
}

static void put_place(struct fore_rt_thread *t, const struct fore_rt_unit *u,
                      const struct fore_rt_place *place, uint32_t ticket,
                      const struct fore_rt_part *a)
{
    if (u->exact)
        put_exact(t, place->id, ticket, fore_rt_type(u, place, a), a);
    else
        put_plain(t, place->id, ticket, a->kind, a->where);
}

void fore_rt_put_again(struct fore_rt_thread *t, const struct fore_rt_seen *s, bool exact,
                       uint32_t where, unsigned kind)
{
    struct fore_rt_part a = {
        .p = s->p, .size = s->place.size, .kind = kind, .where = where};
    if (!exact)
        put_plain(t, s->place.id, 0, kind, where);
    else if (!put_brief(t, s->place.id, fore_rt_value(s->type, s->p, s->place.size),
                        where, kind))
        put_exact(t, s->place.id, 0, s->type, &a);
}

void fore_rt_put_access(struct fore_rt_thread *t, struct fore_rt_unit *u, char *p,
                        unsigned mask, const struct fore_rt_part *a)
{
    unsigned at, size;
    range_of(mask, &at, &size);
    for (unsigned i = 0, n = u->bytes ? size : 1; i < n; i++) {
        struct fore_rt_place *place = place_at(t, u, p, at + i, u->bytes ? 1 : size, a);
        put_place(t, u, place, ++place->ticket, a);
    }
}

/* What is written may be other bytes than those that were read of a place. */
void fore_rt_put_overlapped(struct fore_rt_thread *t, struct fore_rt_unit *u,
                            unsigned mask, const struct fore_rt_part *a)
{
    struct fore_rt_part part = *a;
    part.bits |= FORE_C_NO_VALUE;
    part.whole = false;
    for (unsigned i = 0; i < 4; i++) {
        struct fore_rt_place *place = fore_rt_place(u, i);
        unsigned size = place ? place->size : 0;
        unsigned own = size > 1 && size < 8 ? fore_rt_mask(i, size) : 0;
        bool all = a->kind == FORE_RING_READ || !u->place.widened || !(own & ~mask);
        if (size == 8 || (own & mask && all))
            put_place(t, u, place, ++place->ticket, &part);
    }
}
