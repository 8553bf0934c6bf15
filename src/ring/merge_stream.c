/* Reads pasts while the program runs: when to look, which pasts come too late, and what is
 * forgotten. */
#include "base/hash.h"
#include "ring/merge.h"

/* ---- looking ---- */

/* The room is divided into 32nds. At a quarter the writers are told. One share later, when all
 * have noticed, and then after each further share, the reader looks at new records and passes on
 * those of the last look. The writers wait at FORE_RING_STREAM_ROOM shares; shortly before that,
 * every poll looks. */
bool fore_merge_streams(struct fore_merge *m, size_t size)
{
    enum { TELLS = 8, BEGINS = 9, HURRIES = FORE_RING_STREAM_ROOM - 1 };
    struct fore_ring_header *h = (struct fore_ring_header *)(uintptr_t)m->file.header;
    uint64_t share = h->limit / 32 + 1;
    uint64_t chunks = __atomic_load_n(&h->next_chunk, __ATOMIC_ACQUIRE);
    if (!h->limit || h->source != FORE_RING_C ||
        !__atomic_load_n(&h->has_past, __ATOMIC_ACQUIRE))
        return false;
    if (!m->file.streams) {
        if (chunks > TELLS * share)
            __atomic_store_n(&h->streams, 1u, __ATOMIC_RELEASE);
        if (chunks <= BEGINS * share)
            return false;
        m->file.streams = m->drained = true;
    }
    if (!m->drained)
        return false;
    fore_fsr_find(&m->file, size);
    bool hurries = m->file.found - h->given_back > HURRIES * share;
    if (m->file.found - m->looked < share && !hurries)
        return false;
    m->looked = m->file.found;
    return true;
}

/* ---- accesses that come too late ---- */

static uint64_t void_key(uint32_t object, uint64_t ticket)
{
    return fore_hash_mix(object, ticket);
}

bool fore_merge_is_void(struct fore_merge *m, uint32_t object, uint64_t ticket)
{
    return fore_map_remove(&m->voids, void_key(object, ticket));
}

static void leave_ticket(struct fore_merge *m, const struct fore_fsr_op *op)
{
    struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_PLACE);
    if (!op->ticket)
        return;
    if (c->lost_count || c->ticket + 1 == op->ticket) {
        c->lost_count = false;
        fore_merge_count_ticket(m, op->object, FORE_OBJ_PLACE, op->ticket);
    } else if (c->ticket < op->ticket)
        fore_map_put(&m->voids, void_key(op->object, op->ticket), NULL);
}

/* Every blocked thread is looked at again, because an event may now come before what it is
 * blocked at. */
void fore_merge_take_late(struct fore_merge *m)
{
    for (size_t i = 0; i < m->file.late.n; i++) {
        const struct fore_fsr_past *p = &m->file.late.at[i];
        for (uint64_t k = p->read; k <= p->more; k++, m->late++) {
            struct fore_fsr_op op = fore_fsr_past_op(p, k);
            leave_ticket(m, &op);
        }
    }
    fore_vec_clear(&m->file.late);
    for (size_t i = 0; i < m->threads.n; i++)
        m->threads.at[i].known = false;
    fore_merge_wake_all(m);
}

/* ---- another part of the run ---- */

/* Was it met since the last time, or is it waited for? An object that is no place has a state of
 * its own. */
static bool is_kept(const struct fore_merge_object *o)
{
    return o->id || o->kind != FORE_OBJ_PLACE || o->touched || o->atomic;
}

static void keep_object(struct fore_merge *m, size_t at, const struct fore_map *moved)
{
    struct fore_merge_object *o = &m->objects.at[at];
    const uint64_t *id = o->id ? fore_map_get(moved, o->id) : NULL;
    o->id = id ? (uint32_t)*id : 0;
    *fore_map_put(&m->object_index, o->from, NULL) = at;
    if (o->from < FORE_MERGE_SMALL)
        m->small.at[o->from] = (uint32_t)at + 1;
    if (o->touched)
        fore_vec_push(&m->touched, (uint32_t)at);
    if (o->id) {
        uint64_t name = m->tables->objects.at[o->id].name;
        *fore_map_put(&m->taken, (uint64_t)o->kind << 32 | name, NULL) = 1;
    }
}

void fore_merge_renew(struct fore_merge *m, const struct fore_map *moved)
{
    size_t kept = 0;
    fore_map_release(&m->object_index);
    fore_map_release(&m->where_ids);
    fore_map_release(&m->taken);
    fore_map_release(&m->made);
    fore_map_release(&m->blocks);
    memset(m->recent, 0, sizeof m->recent);
    memset(m->small.at, 0, m->small.n * sizeof *m->small.at);
    fore_vec_clear(&m->touched);
    m->unseen = 0;
    for (size_t i = 0; i < m->objects.n; i++) {
        const struct fore_merge_object *o = &m->objects.at[i];
        m->forgotten = o->from > m->forgotten ? o->from : m->forgotten;
        if (!is_kept(o))
            continue;
        m->objects.at[kept] = *o;
        keep_object(m, kept++, moved);
    }
    m->objects.n = kept;
    fore_fsr_forget(&m->file);
}
