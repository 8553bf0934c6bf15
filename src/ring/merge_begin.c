/* For a file whose first parts are gone (fsr_parts.c): emits the state when the first remaining
 * part began. */
#include "ring/merge.h"
#include "ring/merge_may.h"
#include "trace/event.h"

/* Messages of a channel; a larger number comes from a damaged file. */
enum { MOST_MESSAGES = 1 << 20 };

/* A thread that was created earlier is known by the record that stands for its creation. */
static void tell_thread(struct fore_merge *m, uint32_t number, bool idle)
{
    uint32_t id = fore_merge_thread_id(m, number);
    const struct fore_ring_record *r = fore_fsr_born(&m->file, number);
    if (r && number != 1) { /* no thread creates the first one */
        struct fore_fsr_op op = fore_fsr_op(r, r->word, FORE_RING_EXTRA(r->word));
        fore_merge_describe_thread(m, id, &op);
    }
    m->life.at[id] |= FORE_LIFE_SIGNALLED;
    fore_carry_created(m->carry, id, idle);
}

static void tell_threads(struct fore_merge *m)
{
    struct fore_fsr_op op;
    uint64_t number, at;
    for (uint32_t i = 0; i < m->threads.n; i++) {
        uint32_t own = m->file.threads.at[i].number;
        if (m->threads.at[i].id && !fore_map_get(&m->file.created, own))
            tell_thread(m, own,
                        fore_fsr_born(&m->file, own) && /* else the runtime's own */
                            !fore_fsr_peek(&m->file, i, &op));
    }
    for (size_t i = 0; fore_map_next(&m->file.born, &i, &number, &at);)
        if (!fore_map_get(&m->file.created, number) &&
            !fore_map_get(&m->file.by_number, number))
            tell_thread(m, (uint32_t)number, true);
}

static void tell_hold(struct fore_merge *m, uint32_t thread, uint32_t lock,
                      uint32_t where, bool shared)
{
    if (!fore_map_get(&m->file.by_number, thread))
        return; /* it has ended or wrote nothing, so nothing is known of it */
    uint32_t whole = fore_merge_taken_at(m, lock, 0, thread, where);
    struct fore_carried_hold h = {fore_merge_thread_id(m, thread),
                                  fore_merge_object_id(m, lock, FORE_OBJ_LOCK),
                                  whole ? whole : fore_merge_where_id(m, where), shared};
    struct fore_merge_object *o = fore_merge_object(m, lock, FORE_OBJ_LOCK);
    o->holders++;
    if (!o->silent)
        fore_carry_hold(m->carry, h);
}

/* The first operation on a lock tells which thread held it; without one, its definition does. */
static void tell_lock(struct fore_merge *m, uint32_t lock,
                      const struct fore_fsr_object *def)
{
    const struct fore_fsr_first *first = fore_fsr_first(&m->file, lock);
    uint32_t owner = (uint32_t)def->init[0], where = (uint32_t)def->init[1];
    if (!first && owner)
        tell_hold(m, owner, lock, where, false);
    else if (first && (first->kind == FORE_RING_UNLOCK || first->kind == FORE_RING_CWAIT))
        tell_hold(m, first->thread, lock, owner == first->thread ? where : 0, false);
}

static void tell_channel(struct fore_merge *m, uint32_t chan,
                         const struct fore_fsr_object *def)
{
    struct fore_fsr_object known = *def; /* which may move */
    uint32_t id = fore_merge_object_id(m, chan, FORE_OBJ_CHAN);
    const struct fore_merge_object *o = fore_merge_object(m, chan, FORE_OBJ_CHAN);
    uint64_t count = o->sends > o->recvs ? o->sends - o->recvs : 0;
    if (count > known.capacity || count > MOST_MESSAGES)
        count = 0;
    if (!o->silent && (count || o->closed))
        fore_carry_state(m->carry, (struct fore_carried_state){.object = id,
                                                               .kind = FORE_OBJ_CHAN,
                                                               .first = o->recvs + 1,
                                                               .count = count,
                                                               .closed = o->closed});
}

static void tell_object(struct fore_merge *m, uint32_t id,
                        const struct fore_fsr_object *def)
{
    const struct fore_fsr_first *first = fore_fsr_first(&m->file, id);
    struct fore_carried_state s = {.kind = def->kind, .count = def->init[0]};
    switch (def->kind) {
    case FORE_RING_OBJ_LOCK:
        tell_lock(m, id, def);
        break;
    case FORE_RING_OBJ_CHAN:
        if (def->init[0] || def->init[1])
            tell_channel(m, id, def);
        break;
    case FORE_RING_OBJ_WG:
        s.object = s.count ? fore_merge_object_id(m, id, def->kind) : 0;
        break;
    case FORE_RING_OBJ_TIMER:
        if (first && first->kind == FORE_RING_FIRE)
            s.object = fore_merge_object_id(m, id, FORE_OBJ_TIMER);
        break;
    case FORE_RING_OBJ_ONCE:
        if (first && first->busy)
            fore_carry_once(m->carry, fore_merge_object_id(m, id, FORE_OBJ_ONCE));
        break;
    default:
        break;
    }
    if (s.object)
        fore_carry_state(m->carry, s);
}

void fore_merge_begin(struct fore_merge *m)
{
    uint64_t id, index;
    m->carry = fore_calloc(1, sizeof *m->carry);
    tell_threads(m);
    for (size_t i = 0; fore_map_next(&m->file.objects, &i, &id, &index);) {
        struct fore_fsr_object def = m->file.object_list.at[index];
        tell_object(m, (uint32_t)id, &def);
    }
    for (size_t i = 0; i < m->file.began_with.n; i++) {
        const struct fore_fsr_held *h = &m->file.began_with.at[i];
        if (!h->cond)
            tell_hold(m, h->thread, h->lock, h->where, true);
        else
            fore_carry_sleeper(m->carry, fore_merge_thread_id(m, h->thread),
                               fore_merge_object_id(m, h->cond, FORE_OBJ_COND),
                               fore_merge_object_id(m, h->lock, FORE_OBJ_LOCK),
                               fore_merge_where_id(m, h->where));
    }
    struct fore_batch b = fore_carry_begin(m->carry, m->tables);
    m->pushed += b.n;
    if (b.n && m->sink->events(m->sink, &b) == FORE_STOP)
        m->stopped = true;
}
