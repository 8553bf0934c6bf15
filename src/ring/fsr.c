#include "ring/fsr_slots.h"

#include <string.h>

/* ---- the file ---- */

enum fore_status fore_fsr_open(struct fore_fsr *f, const char *name, const void *base,
                               size_t size, struct fore_err *e)
{
    *f = (struct fore_fsr){.name = name, .base = base, .size = size, .header = base};
    const struct fore_ring_header *h = base;
    if (size < FORE_RING_HEADER)
        return fore_fail_offset(e, FORE_TORN, name, size,
                                "a ring file begins with a header of %d bytes, this one "
                                "ends in it",
                                (int)FORE_RING_HEADER);
    if (memcmp(h->magic, FORE_RING_MAGIC, sizeof h->magic))
        return fore_fail_offset(e, FORE_SYNTAX, name, 0,
                                "not a ring file: it does not begin with %s",
                                FORE_RING_MAGIC);
    if (h->version != FORE_RING_VERSION)
        return fore_fail_offset(e, FORE_SYNTAX, name, 8,
                                "ring file of version %u, this program reads version %d",
                                h->version, (int)FORE_RING_VERSION);
    if (h->header_size != FORE_RING_HEADER || h->chunk_size < 2 * FORE_RING_RECORD ||
        h->chunk_size > 1u << 24 || h->chunk_size % FORE_RING_RECORD)
        return fore_fail_offset(
            e, FORE_SYNTAX, name, 12,
            "a header of %u and chunks of %u bytes: expected %d and a "
            "multiple of %d",
            h->header_size, h->chunk_size, (int)FORE_RING_HEADER, (int)FORE_RING_RECORD);
    f->chunk_size = h->chunk_size;
    return FORE_OK;
}

void fore_fsr_release(struct fore_fsr *f)
{
    for (size_t i = 0; i < f->object_list.n; i++)
        fore_strbuf_release(&f->object_list.at[i].name);
    for (size_t i = 0; i < f->string_list.n; i++)
        fore_strbuf_release(&f->string_list.at[i]);
    for (size_t i = 0; i < f->unseen.n; i++)
        fore_strbuf_release(&f->unseen.at[i].text);
    fore_vec_release(&f->object_list);
    fore_vec_release(&f->string_list);
    fore_vec_release(&f->unseen);
    fore_vec_release(&f->stack_list);
    fore_map_release(&f->stacks);
    fore_map_release(&f->groups);
    fore_map_release(&f->rests);
    fore_map_release(&f->taken);
    fore_vec_release(&f->taken_list);
    fore_map_release(&f->fed);
    fore_map_release(&f->spent);
    fore_map_release(&f->children);
    fore_vec_release(&f->callers);
    fore_vec_release(&f->where_list);
    fore_vec_release(&f->threads);
    fore_vec_release(&f->after);
    fore_vec_release(&f->number);
    fore_vec_release(&f->unowned);
    fore_vec_release(&f->pasts);
    fore_vec_release(&f->late);
    fore_vec_release(&f->places);
    fore_map_release(&f->early);
    fore_map_release(&f->by_number);
    fore_map_release(&f->holds);
    fore_map_release(&f->users);
    fore_vec_release(&f->small_users);
    fore_map_release(&f->wheres);
    fore_map_release(&f->objects);
    fore_map_release(&f->strings);
    fore_map_release(&f->born);
    fore_map_release(&f->created);
    fore_map_release(&f->tickets);
    fore_map_release(&f->asleep);
    fore_vec_release(&f->firsts);
    fore_vec_release(&f->held);
    fore_vec_release(&f->began_with);
}

const struct fore_ring_chunk *fore_fsr_chunk(const struct fore_fsr *f, uint64_t i)
{
    return (const struct fore_ring_chunk *)(f->base + FORE_RING_HEADER +
                                            i * f->chunk_size);
}

/* ---- looking ahead: definitions, and selects that gave up ---- */

/* A slot of short words, which may still change if the thread does not go on after it. */
static struct fore_fsr_mark mark_short(const struct fore_fsr *f, struct fore_fsr_place p)
{
    const struct fore_ring_record *r = slot_at(f, p);
    uint64_t first = load_word(&r->word), second = load_word((const uint64_t *)r);
    uint64_t last = second ? second : first;
    bool again = FORE_RING_KIND(last) == FORE_RING_AGAIN;
    return (struct fore_fsr_mark){p, second ? 2 : 1, again ? FORE_RING_TICKET(last) : 0};
}

/* Stops where a record may still change: at a select that is not decided, and at the last short
 * words. */
static bool scan_one(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    const struct fore_ring_record *r = slot_at(f, t->scan);
    uint64_t word = load_word(&r->word);
    unsigned units, kind = FORE_RING_KIND(word);
    t->seen = (struct fore_fsr_mark){t->scan, 0, 0};
    if (!units_of(f, t->scan, word, &units)) {
        t->torn = f->torn = true;
        return false;
    }
    if (f->whole && (!f->first_part || f->scan_part >= f->first_part))
        fore_fsr_note_user(f, t->number, r, units);
    if (f->scan_part)
        fore_fsr_note_record(f, t->number, r, units);
    if (kind == FORE_RING_PRE && !(FORE_RING_FLAGS(word) & FORE_RING_DONE))
        return false;
    if (is_short(kind)) {
        bool final = goes_on(f, t->scan);
        t->seen = mark_short(f, t->scan);
        if (!final)
            return false;
    }
    if (kind == FORE_RING_PAST && f->live && !f->streams)
        return false; /* it may still grow */
    if (kind == FORE_RING_PAST)
        fore_fsr_add_past(f, r, units);
    else if (is_definition(kind))
        fore_fsr_define(f, r, kind, units);
    else if (!is_short(kind) && (!f->first_part || f->scan_part >= f->first_part))
        fore_fsr_hold_back(f, r, word, units);
    t->scan.slot += 1 + units;
    t->seen = (struct fore_fsr_mark){t->scan, 0, 0};
    return true;
}

static void scan_ring(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    t->limit = t->seen;
    while (!t->torn && slot_ready(f, &t->scan) && scan_one(f, t))
        ;
}

/* Does the record tell nothing in advance except which thread uses the object: no definition,
 * and nothing that others must not overtake? */
static bool is_plain(uint64_t word)
{
    unsigned kind = FORE_RING_KIND(word), flags = FORE_RING_FLAGS(word);
    if (kind == FORE_RING_SEND_EVENT || kind == FORE_RING_RECV_EVENT)
        return !(flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT));
    if (kind == FORE_RING_READ)
        return !(flags & FORE_RING_EARLY);
    return (kind >= FORE_RING_LOCK && kind <= FORE_RING_RUNLOCK) ||
           kind == FORE_RING_WRITE || kind == FORE_RING_RMW || is_short(kind);
}

/* The object is looked up only when the thread turns to another one. */
static void skip_plain(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    const struct fore_ring_record *r = slot_at(f, t->scan);
    uint32_t left = slots_of(f, t->scan.chunk) - t->scan.slot, length;
    for (; left && is_plain(r->word); left -= length, r += length) {
        bool brief = is_short(FORE_RING_KIND(r->word));
        length = brief ? 1 : 1 + FORE_RING_EXTRA(r->word);
        if (length > left)
            return;
        bool again = r->object == t->used[r->word & 1] &&
                     FORE_RING_FLAGS(r->word) & FORE_RING_DONE;
        if (!again && !brief) {
            fore_fsr_note_user(f, t->number, r, length - 1);
            t->used[r->word & 1] = r->object;
        }
        t->scan.slot += length;
    }
}

/* A complete file is read in the order in which chunks are found, which is that of the file and
 * good for the cache. */
static void scan_chunk(struct fore_fsr *f, struct fore_fsr_thread *t, uint32_t chunk)
{
    uint32_t slots = slots_of(f, chunk);
    t->scan = (struct fore_fsr_place){.chunk = chunk};
    do
        if (!f->scan_part) /* otherwise every record is noted */
            skip_plain(f, t);
    while (!t->torn && t->scan.slot < slots && slot_at(f, t->scan)->word &&
           scan_one(f, t));
}

/* ---- which thread a chunk belongs to ---- */

static uint64_t number_key(uint32_t thread, uint32_t number)
{
    return (uint64_t)thread << 32 | number;
}

void fore_fsr_append_chunk(struct fore_fsr *f, struct fore_fsr_thread *t, uint32_t i)
{
    f->after.at[i] = 0;
    f->number.at[i] = t->chunks++;
    f->found++;
    if (t->last_chunk)
        f->after.at[t->last_chunk - 1] = i + 1;
    else
        t->head.chunk = t->scan.chunk = t->first_chunk = i + 1;
    t->last_chunk = i + 1;
    if (f->whole)
        scan_chunk(f, t, i + 1);
}

struct fore_fsr_thread *fore_fsr_thread_of(struct fore_fsr *f, uint32_t number)
{
    bool fresh;
    uint64_t *index = fore_map_put(&f->by_number, number, &fresh);
    if (fresh) {
        *index = f->threads.n;
        fore_vec_push(&f->threads, (struct fore_fsr_thread){.number = number});
    }
    return &f->threads.at[*index];
}

/* Appends the chunk to its thread; false if its thread is not written yet. Chunks that are used
 * again may be found in another order than the thread's. */
static bool own_chunk(struct fore_fsr *f, uint32_t i)
{
    const struct fore_ring_chunk *c = fore_fsr_chunk(f, i);
    uint32_t number = __atomic_load_n(&c->thread, __ATOMIC_ACQUIRE);
    if (!number)
        return false;
    struct fore_fsr_thread *t = fore_fsr_thread_of(f, number);
    uint64_t *next;
    if (f->header->limit && c->number != t->chunks) {
        *fore_map_put(&f->early, number_key(number, c->number), NULL) = i;
        return true;
    }
    fore_fsr_append_chunk(f, t, i);
    while (f->early.n &&
           (next = fore_map_get(&f->early, number_key(number, t->chunks)))) {
        uint32_t chunk = (uint32_t)*next;
        fore_map_remove(&f->early, number_key(number, t->chunks));
        fore_fsr_append_chunk(f, t, chunk);
    }
    uint64_t end = (uint64_t)i + (f->header->part ? c->span & 0xff : c->span);
    if (end > f->inner)
        f->inner = end;
    return true;
}

/* Looks again at chunks that had no thread; chunks that a long one spans do not count by
 * themselves. */
static void look_again(struct fore_fsr *f)
{
    size_t left = 0;
    uint64_t begin = 0, end = 0; /* begin of the last one found */
    for (size_t i = 0; i < f->unowned.n; i++) {
        uint32_t chunk = f->unowned.at[i];
        if (chunk > begin && chunk < end)
            continue;
        if (own_chunk(f, chunk)) {
            begin = chunk;
            end = begin + (slots_of(f, chunk + 1) + 1) * FORE_RING_RECORD / f->chunk_size;
        } else {
            f->unowned.at[left++] = chunk;
        }
    }
    f->unowned.n = left;
}

/* A header is written before the rest of its chunk. So a chunk that has content while an earlier
 * one has no header yet may lie within the earlier one. */
static void find_chunk(struct fore_fsr *f, uint32_t i)
{
    if (i >= f->inner && f->unowned.n &&
        __atomic_load_n(&fore_fsr_chunk(f, i)->thread, __ATOMIC_ACQUIRE))
        look_again(f);
    if (i >= f->inner && !own_chunk(f, i))
        fore_vec_push(&f->unowned, i);
}

static void find_chunks(struct fore_fsr *f)
{
    look_again(f);
    uint64_t room = f->room;
    uint64_t taken = load_word(&f->header->next_chunk);
    if (taken > f->header->chunks)
        taken = f->header->chunks;
    f->torn = taken > room;
    if (taken > room)
        taken = room;
    if (taken > UINT32_MAX - 1)
        taken = UINT32_MAX - 1;
    for (; f->seen < taken; f->seen++) {
        fore_vec_push(&f->after, 0);
        fore_vec_push(&f->number, 0);
        find_chunk(f, (uint32_t)f->seen);
    }
}

void fore_fsr_find(struct fore_fsr *f, size_t size)
{
    f->size = size;
    f->room = (size - FORE_RING_HEADER) / f->chunk_size;
    f->whole = !f->live && !f->seen;
    if (fore_fsr_is_cut(f) && f->whole)
        fore_fsr_find_parts(f);
    else
        find_chunks(f);
}

void fore_fsr_refresh(struct fore_fsr *f, size_t size)
{
    fore_fsr_find(f, size);
    for (size_t i = 0; i < f->threads.n; i++) {
        if (!f->threads.at[i].over)
            scan_ring(f, &f->threads.at[i]);
        f->torn |= f->threads.at[i].torn;
    }
    if ((!f->live || f->streams) && f->pasts.n)
        fore_fsr_sort_pasts(f);
}

/* ---- bounded room ---- */

static void give_back(struct fore_fsr *f, uint32_t i)
{
    struct fore_ring_chunk *c = (struct fore_ring_chunk *)(uintptr_t)fore_fsr_chunk(f, i);
    struct fore_ring_header *h = (struct fore_ring_header *)(uintptr_t)f->header;
    memset(c, 0, f->chunk_size);
    uint32_t first = __atomic_load_n(&h->returned, __ATOMIC_RELAXED);
    do
        c->after = first;
    while (!__atomic_compare_exchange_n(&h->returned, &first, i + 1, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    __atomic_fetch_add(&h->given_back, 1, __ATOMIC_RELEASE);
    fore_vec_push(&f->unowned, i);
}

/* Has everything that looks at the thread's records gone past the chunk? */
static bool was_read(const struct fore_fsr_thread *t, uint32_t chunk)
{
    return t->over || (chunk != t->head.chunk && chunk != t->scan.chunk &&
                       chunk != t->seen.at.chunk && chunk != t->limit.at.chunk &&
                       chunk != t->last_chunk);
}

void fore_fsr_give_back(struct fore_fsr *f)
{
    bool told = __atomic_load_n(&f->header->has_past, __ATOMIC_ACQUIRE);
    if (!f->header->limit || (told && !f->streams))
        return;
    for (size_t i = 0; i < f->threads.n; i++) {
        struct fore_fsr_thread *t = &f->threads.at[i];
        while (t->first_chunk && was_read(t, t->first_chunk)) {
            uint32_t chunk = t->first_chunk;
            t->first_chunk = f->after.at[chunk - 1];
            give_back(f, chunk - 1);
        }
        if (t->over)
            t->head.chunk = t->scan.chunk = t->last_chunk = 0;
    }
}
