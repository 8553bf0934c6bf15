/* Handles locks, and messages through buffers, whose turn has come, which are most operations of
 * most programs. In a complete file they are taken right from its records, one after the other. */
#include "ring/fsr_slots.h"
#include "ring/merge.h"
#include "ring/merge_may.h"
#include "trace/event.h"

/* The content of a record that is done and has no units. */
struct plain_record {
    unsigned kind;
    uint32_t where, object;
    uint64_t ticket;
};

/* Field by field in place: a copy would have to wait for what was just written. */
static inline struct fore_event *put_event(struct fore_event *to, uint32_t thread,
                                           unsigned kind, unsigned flags, uint32_t object,
                                           uint32_t where, uint64_t a)
{
    to->thread = thread;
    to->kind = (uint16_t)kind;
    to->flags = (uint16_t)flags;
    to->object = object;
    to->where = where;
    to->a = a;
    to->b = 0;
    return to + 1;
}

static inline struct fore_event *room_for_two(struct fore_merge *m)
{
    fore_vec_reserve(&m->events, m->events.n + 2);
    return m->events.at + m->events.n;
}

static inline void end_events_at(struct fore_merge *m, const struct fore_event *end)
{
    size_t n = (size_t)(end - m->events.at);
    m->pushed += n - m->events.n;
    m->events.n = n;
    if (n >= FORE_MERGE_BATCH)
        fore_merge_flush(m);
}

static inline bool is_lock(unsigned kind)
{
    return kind == FORE_RING_LOCK || kind == FORE_RING_UNLOCK ||
           kind == FORE_RING_RLOCK || kind == FORE_RING_RUNLOCK;
}

static inline bool take_lock_record(struct fore_merge *m, uint32_t id,
                                    const struct plain_record *x)
{
    struct fore_merge_object *c = fore_merge_object(m, x->object, FORE_OBJ_LOCK);
    bool takes = x->kind == FORE_RING_LOCK || x->kind == FORE_RING_RLOCK;
    if (c->silent || !c->id || x->ticket != c->ticket + 1)
        return false;
    struct fore_merge_where where = fore_merge_where_of(m, x->where);
    struct fore_event *e = room_for_two(m);
    if (takes)
        e = put_event(e, id, x->kind, where.flags | FORE_F_PRE, c->id, where.id, 0);
    e = put_event(e, id, x->kind, where.flags, c->id, where.id, 0);
    c->holders += takes ? 1 : -(c->holders > 0);
    c->ticket = x->ticket;
    fore_merge_counter_came(m, c, FORE_UNTIL_TICKET, x->object, x->ticket);
    end_events_at(m, e);
    return true;
}

static inline bool take_message_record(struct fore_merge *m, uint32_t id,
                                       const struct plain_record *x)
{
    struct fore_merge_object *c = fore_merge_object(m, x->object, FORE_OBJ_CHAN);
    bool sends = x->kind == FORE_RING_SEND_EVENT;
    if (c->silent || !c->id || !c->capacity || m->file.holds.n)
        return false;
    if (sends ? x->ticket != c->sends + 1 || x->ticket > c->recvs + c->capacity
              : x->ticket != c->recvs + 1 || x->ticket > c->sends)
        return false;
    struct fore_merge_where where = fore_merge_where_of(m, x->where);
    struct fore_event *e = room_for_two(m);
    e = put_event(e, id, FORE_EV_PRE, where.flags | (sends ? FORE_F_SEND : 0), c->id,
                  where.id, 0);
    e = put_event(e, id, x->kind, where.flags, c->id, where.id, x->ticket);
    enum fore_until what = sends ? FORE_UNTIL_SENDS : FORE_UNTIL_RECVS;
    *(sends ? &c->sends : &c->recvs) = x->ticket;
    fore_merge_counter_came(m, c, what, x->object, x->ticket);
    end_events_at(m, e);
    return true;
}

static inline bool take_plain_record(struct fore_merge *m, uint32_t id,
                                     const struct plain_record *x)
{
    if (!x->object)
        return false;
    if (is_lock(x->kind))
        return take_lock_record(m, id, x);
    return (x->kind == FORE_RING_SEND_EVENT || x->kind == FORE_RING_RECV_EVENT) &&
           take_message_record(m, id, x);
}

bool fore_merge_take_turn(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op)
{
    struct plain_record x = {op->kind, op->where, op->object, op->ticket};
    return op->flags == FORE_RING_DONE && !op->unit_count && !op->past && !m->voids.n &&
           take_plain_record(m, m->threads.at[thread].id, &x);
}

/* ---- from the records ---- */

/* The record's word without its kind and its ticket: it is done, and has no units. */
static inline bool is_done(uint64_t word)
{
    return (word >> 8 & 0xffff) == FORE_RING_DONE;
}

/* Takes whole records, up to the first that is of another kind or whose turn has not come. */
static const struct fore_ring_record *
take_whole_records(struct fore_merge *m, uint32_t id, struct fore_fsr_thread *t,
                   const struct fore_ring_record *r, const struct fore_ring_record *end)
{
    for (; r < end && !m->stopped; r++) {
        uint64_t word = r->word;
        struct plain_record x = {FORE_RING_KIND(word), r->where, r->object,
                                 FORE_RING_TICKET(word)};
        __builtin_prefetch(r + 16);
        if (!is_done(word) || !take_plain_record(m, id, &x))
            break;
        if (!is_lock(x.kind))
            fore_fsr_note_base(t, x.where, x.object);
    }
    return r;
}

/* Takes the half of a slot at the head: a short word of a message, which is done. */
static bool take_short_record(struct fore_merge *m, uint32_t id,
                              struct fore_fsr_thread *t, const struct fore_ring_record *r)
{
    uint64_t word = t->second ? *(const uint64_t *)r : r->word;
    unsigned kind = FORE_RING_KIND(word), which = FORE_RING_EXTRA(word);
    if (kind == FORE_RING_AGAIN || !is_short(kind) ||
        FORE_RING_FLAGS(word) != FORE_RING_DONE)
        return false;
    uint64_t base = t->bases[which % FORE_RING_BASES];
    struct plain_record x = {kind - FORE_RING_SHORT, (uint32_t)base,
                             (uint32_t)(base >> 32), FORE_RING_TICKET(word)};
    if (!take_plain_record(m, id, &x))
        return false;
    fore_fsr_note_short(t, x.kind | which << 8, x.ticket);
    return true;
}

void fore_merge_take_turns(struct fore_merge *m, uint32_t thread)
{
    struct fore_fsr_thread *t = &m->file.threads.at[thread];
    uint32_t id = m->threads.at[thread].id;
    if (m->file.live || m->voids.n || m->threads.at[thread].known || t->run)
        return;
    while (!m->stopped && t->past >= t->past_end && t->head.slot < t->head.slots) {
        const struct fore_ring_record *r = slot_at(&m->file, t->head), *from = r;
        if (!t->second && !is_short(FORE_RING_KIND(r->word))) {
            r = take_whole_records(m, id, t, r, r + (t->head.slots - t->head.slot));
            t->head.slot += (uint32_t)(r - from);
            t->records += (uint32_t)(r - from);
            if (r == from)
                return;
        } else if (!take_short_record(m, id, t, r)) {
            return;
        }
    }
}
