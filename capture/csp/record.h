/* Writes the ring file: one 16-byte record per operation, patched when a wait ends. */
#ifndef FORE_CSP_RECORD_H
#define FORE_CSP_RECORD_H

#include "capture/csp/proc.h"

/* Opens the file that the environment asks for; false if it asks for none or it cannot be
 * opened. */
bool fore_record_start(const char *directory);
void fore_record_end(int status, enum fore_ring_state state, enum fore_ring_ended how);
void fore_record_steps(uint32_t steps, uint32_t done);
/* Makes room for `records` in one chunk of p. */
struct fore_ring_record *fore_record_chunk(struct fore_proc *p, size_t records);
uint32_t fore_record_site(foresee_at at);
/* Announces an object and returns its id. `name` may be NULL. */
uint32_t fore_record_object(unsigned kind_and_flags, uint64_t capacity, const char *name,
                            foresee_at at);
/* The string id of a site's text, or 0. */
uint32_t fore_record_text(foresee_at at);

static inline void fore_record_store(uint64_t *at, uint64_t word)
{
    __atomic_store_n(at, word, __ATOMIC_RELEASE);
}

static inline uint32_t fore_record_where(foresee_at at)
{
    if (!at)
        return 0;
    return FORE_LIKELY(at->id) ? at->id : fore_record_site(at);
}

static inline struct fore_ring_record *fore_record_room(struct fore_proc *p, size_t units)
{
    struct fore_ring_record *r = p->next_record;
    if (FORE_UNLIKELY((size_t)(p->end_record - r) < units + 1))
        r = fore_record_chunk(p, units + 1);
    p->next_record = r + units + 1;
    return r;
}

/* Takes a record with `units` behind it; the caller fills the units, then calls _put. */
static inline struct fore_ring_record *fore_record_take(struct fore_proc *p, size_t units)
{
    p->half = NULL;
    p->repeat.again = NULL;
    p->repeat.streak = 0;
    p->repeat.what[0] = p->repeat.what[1] = 0;
    return fore_record_room(p, units);
}

static inline void fore_record_put(struct fore_ring_record *r, foresee_at at,
                                   uint32_t object, uint64_t word)
{
    r->where = at ? at->id : 0;
    r->object = object;
    fore_record_store(&r->word, word);
}

/* A record without units. Announcing the site comes first: it writes records of its own. */
static inline struct fore_ring_record *fore_record(struct fore_proc *p, unsigned kind,
                                                   unsigned flags, foresee_at at,
                                                   uint32_t object, uint64_t ticket)
{
    fore_record_where(at);
    struct fore_ring_record *r = fore_record_take(p, 0);
    fore_record_put(r, at, object, FORE_RING_WORD(kind, flags, 0, ticket));
    return r;
}

/* The same with one unit of two words. */
static inline struct fore_ring_record *
fore_record_with(struct fore_proc *p, unsigned kind, unsigned flags, foresee_at at,
                 uint32_t object, uint64_t ticket, uint64_t a, uint64_t b)
{
    fore_record_where(at);
    struct fore_ring_record *r = fore_record_take(p, 1);
    ((uint64_t *)(r + 1))[0] = a;
    ((uint64_t *)(r + 1))[1] = b;
    fore_record_put(r, at, object, FORE_RING_WORD(kind, flags, 1, ticket));
    return r;
}

/* The wait is over: keeps kind and units, and adds its result. */
static inline void fore_record_done(uint64_t *word, unsigned flags, uint64_t ticket)
{
    fore_record_store(word,
                      (*word & 0xffffff) | (FORE_RING_DONE | flags) << 8 | ticket << 24);
}

/* ---- sends and receives: short, and counted when they repeat ---- */

static inline uint64_t *fore_record_short(struct fore_proc *p, uint64_t word)
{
    uint64_t *to = p->half;
    p->half = NULL;
    if (!to) {
        struct fore_ring_record *r = fore_record_room(p, 0);
        to = &r->word;
        p->half = (uint64_t *)r;
    }
    fore_record_store(to, word);
    return to;
}

static inline uint64_t fore_repeat_ticket(const struct fore_repeat *r)
{
    return r->ticket[r->phase] + (r->what[0] == r->what[1] ? 2 : 1);
}

static inline void fore_repeat_note(struct fore_repeat *r, uint32_t what, uint64_t ticket)
{
    bool same = r->what[r->phase] == what && ticket == fore_repeat_ticket(r);
    r->streak = same ? r->streak + 1 : 0;
    r->what[r->phase] = what;
    r->ticket[r->phase] = ticket;
    r->phase ^= 1;
}

/* One more of the operations that `again` counts has completed. */
static inline void fore_repeat_count(struct fore_repeat *r, uint64_t ticket)
{
    uint64_t done = (uint64_t)FORE_RING_DONE << 8;
    fore_record_store(r->again, (*r->again + FORE_RING_WORD(0, 0, 0, 1)) | done);
    r->ticket[r->phase] = ticket;
    r->phase ^= 1;
}

/* Records a send or a receive, done or about to wait. In that case returns the word to complete. */
static inline uint64_t *fore_record_channel(struct fore_proc *p, unsigned kind,
                                            unsigned flags, foresee_at at,
                                            uint32_t object, uint64_t ticket)
{
    struct fore_repeat *r = &p->repeat;
    uint32_t where = fore_record_where(at), base = where % FORE_RING_BASES;
    uint64_t here = where | (uint64_t)object << 32;
    if (FORE_UNLIKELY(p->bases[base] != here)) {
        p->bases[base] = here;
        return &fore_record(p, kind, flags, at, object, ticket)->word;
    }
    uint32_t what = kind | base << 8;
    if (r->streak >= 2 && r->what[r->phase] == what &&
        (!flags || (flags == FORE_RING_DONE && ticket == fore_repeat_ticket(r)))) {
        if (!r->again)
            r->again = fore_record_short(
                p, FORE_RING_WORD(FORE_RING_AGAIN, FORE_RING_DONE, 0, 0));
        if (flags)
            fore_repeat_count(r, ticket);
        else
            fore_record_store(r->again, *r->again & ~((uint64_t)FORE_RING_DONE << 8));
        return r->again;
    }
    r->again = NULL;
    if (flags)
        fore_repeat_note(r, what, ticket);
    return fore_record_short(p,
                             FORE_RING_WORD(FORE_RING_SHORT + kind, flags, base, ticket));
}

/* Completes p's send or receive. */
static inline void fore_record_commit(struct fore_proc *p, uint64_t *word, unsigned flags,
                                      uint64_t ticket)
{
    struct fore_repeat *r = &p->repeat;
    unsigned kind = FORE_RING_KIND(*word);
    if (kind == FORE_RING_AGAIN) {
        if (!flags && ticket == fore_repeat_ticket(r)) {
            fore_repeat_count(r, ticket);
            return;
        }
        uint32_t what = r->what[r->phase];
        r->again = NULL;
        fore_record_short(p, FORE_RING_WORD(FORE_RING_SHORT + (what & 0xff),
                                            FORE_RING_DONE | flags, what >> 8, ticket));
        fore_record_store(word, *word | (uint64_t)FORE_RING_DONE << 8);
        fore_repeat_note(r, what, ticket);
        return;
    }
    if (kind > FORE_RING_SHORT)
        fore_repeat_note(r, (kind - FORE_RING_SHORT) | FORE_RING_EXTRA(*word) << 8,
                         ticket);
    fore_record_done(word, flags, ticket);
}

#endif
