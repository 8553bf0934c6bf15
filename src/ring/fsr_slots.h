/* For fsr.c and fsr_op.c: the slots of a thread's chunks, one after the other. */
#ifndef FORE_RING_FSR_SLOTS_H
#define FORE_RING_FSR_SLOTS_H

#include "ring/fsr.h"

static inline const struct fore_ring_record *slot_at(const struct fore_fsr *f,
                                                     struct fore_fsr_place p)
{
    return (const struct fore_ring_record *)(fore_fsr_chunk(f, p.chunk - 1) + 1) + p.slot;
}

static inline uint64_t load_word(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Number of records in the chunk with number `chunk` (from 1), with all the chunks that it
 * spans. */
static inline uint32_t slots_of(const struct fore_fsr *f, uint32_t chunk)
{
    uint64_t room = f->room - (chunk - 1);
    uint64_t span = fore_fsr_chunk(f, chunk - 1)->span;
    span = f->header->part ? span & 0xff : span;
    span = span > room ? room : span;
    span = span ? span : 1;
    uint64_t slots = span * (f->chunk_size / FORE_RING_RECORD) - 1;
    return slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
}

/* Is there a slot at p that the thread has written? Moves p over the unused end of a chunk.
 * The word is read again after the next chunk was seen: what was written before that chunk
 * was taken is then visible. */
static inline bool slot_ready(const struct fore_fsr *f, struct fore_fsr_place *p)
{
    while (p->chunk) {
        uint32_t slots = p->slots ? p->slots : slots_of(f, p->chunk);
        p->slots = f->whole ? slots : 0;
        if (p->slot < slots && load_word(&slot_at(f, *p)->word))
            return true;
        uint32_t next = f->after.at[p->chunk - 1];
        if (!next)
            return false;
        if (p->slot < slots && load_word(&slot_at(f, *p)->word))
            return true;
        *p = (struct fore_fsr_place){.chunk = next};
        if (f->after.at[next - 1]) /* the next chunk may lie anywhere */
            __builtin_prefetch(fore_fsr_chunk(f, f->after.at[next - 1] - 1));
    }
    return false;
}

static inline void next_half(struct fore_fsr_thread *t)
{
    t->again = 0;
    t->head.slot += t->second;
    t->records += t->second;
    t->second = !t->second;
}

/* Repeated words go on from these tickets. */
static inline void note_ticket(struct fore_fsr_thread *t, uint32_t what, uint64_t ticket)
{
    t->what[t->phase] = what;
    t->tickets[t->phase] = ticket;
    t->phase ^= 1;
}

/* Notes that the short word at the head was read. */
static inline void fore_fsr_note_short(struct fore_fsr_thread *t, uint32_t what,
                                       uint64_t ticket)
{
    note_ticket(t, what, ticket);
    next_half(t);
}

/* Notes that short words may mean this place and this channel from now on. */
static inline void fore_fsr_note_base(struct fore_fsr_thread *t, uint32_t where,
                                      uint32_t object)
{
    t->bases[where % FORE_RING_BASES] = where | (uint64_t)object << 32;
}

static inline bool is_short(unsigned kind)
{
    return kind == FORE_RING_AGAIN || kind == FORE_RING_SHORT + FORE_RING_SEND_EVENT ||
           kind == FORE_RING_SHORT + FORE_RING_RECV_EVENT;
}

static inline bool is_definition(unsigned kind)
{
    return kind >= FORE_RING_DEF_OBJECT && kind <= FORE_RING_DEF_SPENT;
}

/* Units behind the record, 0 for short ones; false if they do not fit into the chunk. */
static inline bool units_of(const struct fore_fsr *f, struct fore_fsr_place p,
                            uint64_t word, unsigned *units)
{
    *units = is_short(FORE_RING_KIND(word)) ? 0 : FORE_RING_EXTRA(word);
    return p.slot + 1 + *units <= (p.slots ? p.slots : slots_of(f, p.chunk));
}

static inline bool goes_on(const struct fore_fsr *f, struct fore_fsr_place p)
{
    struct fore_fsr_place next = {p.chunk, p.slot + 1, 0};
    return slot_ready(f, &next) || next.chunk != p.chunk;
}

#endif
