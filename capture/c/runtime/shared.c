#include "capture/c/runtime/shared.h"
#include "capture/c/runtime/hold.h"

#include <string.h>
#include <sys/mman.h>

enum {
    STREAK = 16, /* after this many accesses in a row a shared place is owned again */
    LONG_STREAK = 255,
    GUARDED_STREAK = 6, /* the same, counted in looks, for a guarded place */
    LONG_GUARDED_STREAK = 48,
    GUARDS = 1 << 20,
    BREAKS = 3, /* after this many other locks it has no guard */
    OFTEN =
        3, /* one in this many guarded accesses (as a power of 2) checks which threads come */
    SELDOM = 9,
    READINGS = 16,
    MOST_READINGS = 255,
};

static struct {
    struct fore_rt_object **guard; /* by number */
    uint32_t guards;
    FORE_RT_APART uint32_t lock; /* of the readers */
    struct fore_rt_thread *readers;
    uint32_t count;
} shared;

bool fore_rt_shared_open(void)
{
    void *table = fore_rt_map(0, GUARDS * sizeof *shared.guard);
    shared.guard = table;
    return table != MAP_FAILED;
}

void fore_rt_shared_forget(void)
{
    shared.guards = shared.lock = shared.count = 0;
    shared.readers = NULL;
}

/* ---- reads that are noted ---- */

/* By the cell's address within its page, since the rest of it differs from run to run. */
static struct fore_rt_seen *seen_of(struct fore_rt_thread *t, const char *p)
{
    enum { BITS = 6 };
    _Static_assert(sizeof t->seen / sizeof *t->seen == 1 << BITS, "see rt.h");
    uint32_t in_page = (uint32_t)(uintptr_t)p & 0xffc;
    return &t->seen[in_page * 0x9e3779b1u >> (32 - BITS)];
}

/* The note in the entry, if its thread, which may still write it, has one for the unit. */
static uint64_t note_of(struct fore_rt_seen *s, const struct fore_rt_unit *u)
{
    bool mine =
        __atomic_load_n(&s->unit, __ATOMIC_ACQUIRE) == u && s->version == u->version;
    uint64_t note = mine ? __atomic_load_n(&s->note, __ATOMIC_ACQUIRE) : 0;
    return __atomic_load_n(&s->unit, __ATOMIC_RELAXED) == u ? note : 0;
}

/* Records the reads of the unit that other threads have noted; call it with the unit's lock. */
static void tell_readers(struct fore_rt_thread *t, const struct cell *c,
                         struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    fore_rt_spin(&shared.lock);
    for (struct fore_rt_thread *x = shared.readers; x; x = x->next_reader) {
        uint64_t note = note_of(seen_of(x, c->p), u);
        if (note)
            fore_rt_tell(t, u, c->p, note, FORE_RING_READ, true, a);
    }
    fore_rt_unspin(&shared.lock);
    u->is_read = false;
}

/* Records the thread's own note, which would be forgotten otherwise; with its unit's lock. */
static void tell_self(struct fore_rt_thread *t, struct fore_rt_seen *s)
{
    struct fore_rt_unit *u = s->unit;
    char *p = (char *)((uintptr_t)s->p & ~(uintptr_t)3);
    struct fore_rt_part a = {.p = p, .where = s->note >> FORE_C_SITE & FORE_C_SITES};
    if (s->version == u->version && u->is_read)
        fore_rt_tell(t, u, p, s->note, FORE_RING_READ, true, &a);
}

/* Is there room for a note of the next unit? Call it with its lock. */
static bool is_free(struct fore_rt_thread *t, struct fore_rt_seen *s,
                    const struct fore_rt_unit *next, unsigned mask)
{
    struct fore_rt_unit *u = s->unit;
    if (!s->note)
        return true;
    if (u == next) {
        if (s->mask != mask) /* otherwise the present access comes after it */
            tell_self(t, s);
    } else if (fore_rt_try(&u->lock)) {
        tell_self(t, s);
        fore_rt_unspin(&u->lock);
    } else {
        return false;
    }
    __atomic_store_n(&s->note, 0, __ATOMIC_RELEASE);
    return true;
}

/* The thread's entry for the unit, which is its own now; NULL if there is no room. */
static struct fore_rt_seen *take_seen_entry(struct fore_rt_thread *t,
                                            const struct cell *c,
                                            const struct fore_rt_part *a,
                                            struct fore_rt_unit *u, unsigned mask,
                                            bool reads)
{
    bool part = (uintptr_t)a->p >> 2 != (uintptr_t)c->p >> 2;
    struct fore_rt_seen *s = seen_of(t, c->p);
    if (!is_free(t, s, u, mask))
        return NULL;
    s->segment = t->segment - !reads;
    s->mask = mask;
    s->p = part ? c->p : a->p;
    s->what = part ? 0 : a->bits | a->order << 4 | (uint32_t)a->size << 8;
    s->guard = 0;
    s->version = u->version;
    __atomic_store_n(&s->unit, u, __ATOMIC_RELEASE);
    return s;
}

void fore_rt_reader_begins(struct fore_rt_thread *t)
{
    fore_rt_spin(&shared.lock);
    t->reads = true;
    t->next_reader = shared.readers;
    t->link = &shared.readers;
    if (t->next_reader)
        t->next_reader->link = &t->next_reader;
    shared.readers = t;
    shared.count++;
    fore_rt_unspin(&shared.lock);
}

bool fore_rt_others_record(const struct fore_rt_thread *t)
{
    bool found = false;
    fore_rt_spin(&shared.lock);
    for (const struct fore_rt_thread *x = shared.readers; x && !found; x = x->next_reader)
        found = x != t && __atomic_load_n(&x->inside, __ATOMIC_ACQUIRE);
    fore_rt_unspin(&shared.lock);
    return found;
}

static void tell_all(struct fore_rt_thread *t)
{
    for (size_t i = 0; i < sizeof t->seen / sizeof *t->seen; i++) {
        struct fore_rt_seen *s = &t->seen[i];
        if (!s->note)
            continue;
        fore_rt_spin(&s->unit->lock);
        tell_self(t, s);
        s->note = 0;
        fore_rt_unspin(&s->unit->lock);
    }
}

void fore_rt_reader_ends(struct fore_rt_thread *t)
{
    struct fore_rt_thread *entered = fore_rt_enter();
    bool listed = t->reads;
    t->reads = false;
    if (entered) {
        tell_all(entered);
        fore_rt_leave(entered);
    }
    if (!listed)
        return;
    fore_rt_spin(&shared.lock);
    *t->link = t->next_reader;
    if (t->next_reader)
        t->next_reader->link = t->link;
    shared.count--;
    fore_rt_unspin(&shared.lock);
}

bool fore_rt_shadow_same(const struct fore_rt_thread *t, const char *p, uint32_t what)
{
    const struct fore_rt_seen *s = t->again;
    return s && s->p == p && s->what == what >> 8 && s->segment == t->segment &&
           !s->unit->relevant &&
           __atomic_load_n(&s->unit->version, __ATOMIC_RELAXED) == s->version;
}

bool fore_rt_shadow_repeats(struct fore_rt_thread *t, const char *p, size_t size,
                            uint32_t where)
{
    struct cell c = cell_at(p);
    const struct fore_rt_unit *u = is_shared(&c) ? fore_rt_unit(c.index) : NULL;
    struct fore_rt_seen *s = u ? seen_of(t, p) : NULL;
    unsigned at = (unsigned)((uintptr_t)p & 3), mask = fore_rt_mask(at, (unsigned)size);
    bool wide = is_wide(load(c.w)), again = s && s->segment == t->segment;
    if (!s || s->unit != u ||
        !(wide ? !s->mask : mask && at + size <= 4 && !(mask & ~s->mask)))
        return false;
    if (again && s->guard)
        return true;
    t->again = s;
    if (u->relevant || __atomic_load_n(&u->version, __ATOMIC_RELAXED) != s->version)
        return false;
    if (again)
        return true;
    if (!u->is_read || u->bytes || !t->reads || !foresee_rt_stamp || !where ||
        where >= FORE_C_SITES)
        return false;
    __atomic_store_n(&s->note,
                     foresee_rt_stamp | (uint64_t)s->mask << FORE_C_MASK |
                         (uint64_t)where << FORE_C_SITE,
                     __ATOMIC_RELEASE);
    s->segment = t->segment;
    return true;
}

/* ---- which lock guards a place ---- */

static uint32_t guard_of(struct fore_rt_object *lock)
{
    if (!lock->guard && shared.guards < GUARDS - 1) {
        uint32_t n = __atomic_add_fetch(&shared.guards, 1, __ATOMIC_RELAXED);
        if (n < GUARDS) {
            shared.guard[n] = lock;
            lock->guard = n;
        }
    }
    return lock->guard;
}

/* Records that earlier operations on the lock come before the thread's next one. */
static void put_after(struct fore_rt_thread *t, const struct fore_rt_object *lock)
{
    uint64_t ticket = __atomic_load_n(&lock->ticket, __ATOMIC_ACQUIRE);
    fore_rt_put(t, fore_rt_take(t, 0), 0, lock->id,
                FORE_RING_WORD(FORE_RING_AFTER, FORE_RING_DONE, 0, ticket + 1));
}

/* The unit was written, or may have been while nothing was noted. */
static void was_written(struct fore_rt_unit *u)
{
    __atomic_store_n(&u->version, u->version + 1, __ATOMIC_RELAXED);
    u->readings = 0;
}

static void change_guard(struct fore_rt_thread *t, struct fore_rt_unit *u,
                         const struct fore_rt_part *a)
{
    uint32_t old = u->guard, now = 0;
    if (old && !a->exact && fore_rt_holds(t, old))
        return;
    if (old) {
        __atomic_store_n(&u->guard, 0u, __ATOMIC_SEQ_CST);
        put_after(t, shared.guard[old]);
        was_written(u);
        u->breaks++;
    }
    if (t->locks && !a->exact && !u->relevant && !u->is_read && u->breaks < BREAKS)
        now = guard_of(t->lock[t->locks - 1]);
    if (now)
        __atomic_store_n(&u->guard, now, __ATOMIC_RELEASE);
}

void fore_rt_shared_before(struct fore_rt_thread *t, const struct cell *c,
                           struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    if (u->is_read && (a->exact || a->kind != FORE_RING_READ))
        tell_readers(t, c, u, a);
    change_guard(t, u, a);
}

/* After this many reads without a write, reads are noted; each write then looks at all threads. */
static uint32_t many_readings(void)
{
    uint32_t n = __atomic_load_n(&shared.count, __ATOMIC_RELAXED);
    return n < READINGS ? READINGS : n > MOST_READINGS ? MOST_READINGS : n;
}

/* A thread that has read the place need not record that again until a thread has written it. */
void fore_rt_shared_after(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                          struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    if (a->kind != FORE_RING_READ) {
        was_written(u);
        return;
    }
    take_seen_entry(t, c, a, u, mask, true);
    if (u->readings < MOST_READINGS)
        u->readings++;
    u->is_read = u->readings >= many_readings() && !u->guard && !u->relevant;
}

/* A thread that always finds other threads in between checks less often. */
static void look_again(struct fore_rt_thread *t, bool alone)
{
    if (alone)
        t->seldom -= t->seldom > 0;
    else
        t->seldom +=
            t->seldom + 2 <= SELDOM - OFTEN ? 2 : 0; /* half of the time that is chance */
}

/* Everything that the thread did there is recorded: from now on its accesses are noted. */
bool fore_rt_shared_ends(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                         struct fore_rt_unit *u)
{
    static const uint8_t enough[2][2] = {{STREAK, LONG_STREAK},
                                         {GUARDED_STREAK, LONG_GUARDED_STREAK}};
    uint64_t none = (foresee_rt_stamp & TAG) | (uint64_t)mask << FORE_C_MASK;
    if (u->relevant || u->is_read || !foresee_rt_stamp)
        return false;
    bool again = u->last == (uint8_t)t->number;
    if (u->guard)
        look_again(t, again);
    if (!again)
        u->streak = 0;
    u->last = (uint8_t)t->number;
    if (u->streak++ < enough[u->guard != 0][u->exact])
        return false;
    u->streak = 0;
    was_written(u);
    __atomic_store_n(&u->guard, 0u, __ATOMIC_RELAXED);
    store(c->w, none);
    store(c->r, none);
    return true;
}

/* ---- an access under the unit's lock ---- */

/* Is the access to an existing place, or to part of one? Then its bytes are those of the place. */
static inline __attribute__((always_inline)) bool fits(const struct cell *c,
                                                       struct fore_rt_unit *u,
                                                       const struct fore_rt_part *a,
                                                       unsigned *mask)
{
    unsigned at = (unsigned)((uintptr_t)a->p & 3);
    if (!shares_all(c, a->p, a->size))
        return false;
    *mask = fore_rt_mask(at, (unsigned)a->size);
    if (a->kind == FORE_RING_READ && !a->exact)
        *mask = fore_rt_widened(u, *mask, 0);
    const struct fore_rt_place *place =
        fore_rt_place(u, *mask ? (unsigned)__builtin_ctz(*mask) : 0);
    return u->bytes || (place && fore_rt_mask(place->at, place->size) == *mask);
}

enum fore_rt_sharing fore_rt_shadow_sharing(const struct fore_rt_part *a,
                                            const uint32_t *held)
{
    unsigned mask;
    struct cell c = cell_at(a->p);
    struct fore_rt_unit *u = fore_rt_unit(c.index);
    if (!u || held != &u->lock || !fits(&c, u, a, &mask))
        return FORE_RT_UNSHARED;
    return u->exact ? FORE_RT_SHARED_VALUE : FORE_RT_SHARED;
}

/* The thread that owned the place last may have stored the note of a read after another thread took the place, and goes on
 * noting its reads there. */
static void tell_last_owner(struct fore_rt_thread *t, const struct cell *c,
                            struct fore_rt_unit *u, const struct fore_rt_part *a)
{
    uint64_t r = load(c->r);
    if (!is_owned(r))
        return;
    if (is_noted(r))
        fore_rt_tell(t, u, c->p, r, FORE_RING_READ, true, a);
    store(c->r, SHARED);
}

bool fore_rt_shadow_record_shared(struct fore_rt_thread *t, const struct fore_rt_part *a,
                                  const uint32_t *held)
{
    unsigned mask;
    struct cell c = cell_at(a->p);
    struct fore_rt_unit *u = fore_rt_unit(c.index);
    if (!u || held != &u->lock || !fits(&c, u, a, &mask))
        return false;
    u->relevant |= a->exact;
    u->exact |= a->exact;
    tell_last_owner(t, &c, u, a);
    fore_rt_shared_before(t, &c, u, a);
    fore_rt_put_access(t, u, c.p, mask, a);
    if (!fore_rt_shared_ends(t, &c, mask, u))
        fore_rt_shared_after(t, &c, mask, u, a);
    return true;
}

/* ---- an access that is guarded ---- */

/* The thread's entry for the access in progress. */
static FORE_RT_OWN struct fore_rt_seen *now;

/* Is it time to check whether one thread alone comes? Not after a fixed number of accesses,
 * since a program may count to the same number. */
static bool is_time(struct fore_rt_thread *t)
{
    if (t->looks) { /* it was a moment ago */
        t->looks = false;
        return true;
    }
    t->dice = t->dice * 1664525u + 1013904223u;
    return !(t->dice >> (32 - OFTEN - t->seldom));
}

/* A thread that changes the place without the guard changes the guard first: the copy is right
 * if the guard is still the same. */
static bool is_guarded(struct fore_rt_thread *t, const struct fore_rt_part *a)
{
    unsigned mask;
    struct cell c = cell_at(a->p);
    struct fore_rt_unit *u = is_shared(&c) ? fore_rt_unit(c.index) : NULL;
    uint32_t guard = u ? __atomic_load_n(&u->guard, __ATOMIC_ACQUIRE) : 0;
    if (!guard || !fore_rt_holds(t, guard) || u->bytes || !fits(&c, u, a, &mask))
        return false;
    const struct fore_rt_place *place =
        fore_rt_place(u, mask ? (unsigned)__builtin_ctz(mask) : 0);
    now = place ? take_seen_entry(t, &c, a, u, mask, false) : NULL;
    if (!now)
        return false;
    now->place = *place;
    now->type = fore_rt_type(u, place, a);
    /* a read may cover less than the place, a write may not */
    if (place->size != a->size)
        now->what = 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&u->guard, __ATOMIC_RELAXED) != guard)
        return false;
    now->guard = guard;
    return true;
}

/* A read after a write of the same section is recorded, too: its value is known only then. */
void fore_rt_shadow_record_guarded(struct fore_rt_thread *t, uint32_t where,
                                   unsigned kind)
{
    fore_rt_put_again(t, now, now->unit->exact, where, kind);
    now->segment = t->segment - (kind != FORE_RING_READ);
}

enum fore_rt_sharing fore_rt_shadow_guarded(struct fore_rt_thread *t,
                                            const struct fore_rt_part *a)
{
    if (!t->locks || is_time(t) || !is_guarded(t, a))
        return FORE_RT_UNSHARED;
    if (now->unit->exact && a->kind != FORE_RING_READ)
        return FORE_RT_SHARED_VALUE;
    fore_rt_shadow_record_guarded(t, a->where, a->kind);
    return FORE_RT_SHARED;
}

/* The usual case of a guarded access, in one piece. */
enum fore_rt_sharing fore_rt_shadow_again(struct fore_rt_thread *t, const char *p,
                                          const struct fore_c_site *site, uint32_t what)
{
    struct fore_rt_seen *s = seen_of(t, p);
    const struct fore_rt_unit *u = s->unit;
    unsigned kind = what & 0xff;
    if (s->p != p || s->what != what >> 8 || !s->guard ||
        fore_rt_unit(index_at(p)) != u ||
        __atomic_load_n(&u->guard, __ATOMIC_ACQUIRE) != s->guard ||
        u->version != s->version || !fore_rt_holds(t, s->guard))
        return FORE_RT_UNSHARED;
    if (kind == FORE_RING_READ && s->segment == t->segment)
        return FORE_RT_SHARED;
    uint32_t where = fore_rt_where_known(site);
    if (!where || (t->looks = is_time(t)) || !fore_rt_enter())
        return FORE_RT_UNSHARED;
    now = s;
    if (u->exact && kind != FORE_RING_READ)
        return FORE_RT_SHARED_VALUE;
    fore_rt_shadow_record_guarded(t, where, kind);
    fore_rt_leave(t);
    return FORE_RT_SHARED;
}
