/* Writes the ring file: one 16-byte record per operation, patched when a wait ends. */
#ifndef FORE_CSP_RECORD_H
#define FORE_CSP_RECORD_H

#include "csp/proc.h"

#define FORE_RECORD_DONE(kind, flags, ticket)                                            \
    FORE_RING_WORD((kind), FORE_RING_DONE | (flags), 0, (ticket))

/* Opens the file that the environment asks for; false if it asks for none or cannot. */
bool fore_record_start(const char *directory);
void fore_record_end(int status);
void fore_record_steps(uint32_t steps, uint32_t done);
/* Room for `records` in one chunk of p. */
struct fore_ring_record *fore_record_chunk(struct fore_proc *p, size_t records);
uint32_t fore_record_site(foresee_at at);
/* Announces an object and returns its id. `name` may be NULL. */
uint32_t fore_record_object(unsigned kind_and_flags, uint64_t capacity, const char *name,
                            foresee_at at);
/* The string id of a site's text, or 0. */
uint32_t fore_record_text(foresee_at at);

static inline void fore_record_store(struct fore_ring_record *r, uint64_t word)
{
    __atomic_store_n(&r->word, word, __ATOMIC_RELEASE);
}

static inline uint32_t fore_record_where(foresee_at at)
{
    if (!at)
        return 0;
    return FORE_LIKELY(at->id) ? at->id : fore_record_site(at);
}

/* Takes a record with `units` behind it; the caller fills the units, then calls _put. */
static inline struct fore_ring_record *fore_record_take(struct fore_proc *p, size_t units)
{
    struct fore_ring_record *r = p->next_record;
    if (FORE_UNLIKELY((size_t)(p->end_record - r) < units + 1))
        r = fore_record_chunk(p, units + 1);
    p->next_record = r + units + 1;
    return r;
}

static inline void fore_record_put(struct fore_ring_record *r, foresee_at at,
                                   uint32_t object, uint64_t word)
{
    r->where = at ? at->id : 0;
    r->object = object;
    fore_record_store(r, word);
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

/* The wait is over: keeps kind and units, adds what became of it. */
static inline void fore_record_done(struct fore_ring_record *r, unsigned flags,
                                    uint64_t ticket)
{
    uint64_t word = r->word & 0xffffff;
    fore_record_store(r, word | (FORE_RING_DONE | flags) << 8 | ticket << 24);
}

#endif
