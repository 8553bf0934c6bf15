#include "ring/fsr.h"

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

static const struct fore_ring_record *slot_at(const struct fore_fsr *f,
                                              struct fore_fsr_place p)
{
    return (const struct fore_ring_record *)(fore_fsr_chunk(f, p.chunk - 1) + 1) + p.slot;
}

static uint64_t load_word(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Records in the chunk that begins at the (chunk - 1)-th place, and all that it spans. */
static uint32_t slots_of(const struct fore_fsr *f, uint32_t chunk)
{
    uint64_t room = f->room - (chunk - 1);
    uint64_t span = fore_fsr_chunk(f, chunk - 1)->span;
    span = f->header->part ? span & 0xff : span;
    span = span > room ? room : span;
    span = span ? span : 1;
    uint64_t slots = span * (f->chunk_size / FORE_RING_RECORD) - 1;
    return slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
}

/* ---- walking a thread's slots ---- */

/* Is there a slot at p that the thread has written? Moves p over the unused end of a chunk.
 * The word is read again after the next chunk was seen: what was written before that chunk
 * was taken is then visible. */
static bool slot_ready(const struct fore_fsr *f, struct fore_fsr_place *p)
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
        if (f->after.at[next - 1]) /* what comes next lies anywhere */
            __builtin_prefetch(fore_fsr_chunk(f, f->after.at[next - 1] - 1));
    }
    return false;
}

static bool is_short(unsigned kind)
{
    return kind == FORE_RING_AGAIN || kind == FORE_RING_SHORT + FORE_RING_SEND_EVENT ||
           kind == FORE_RING_SHORT + FORE_RING_RECV_EVENT;
}

static bool is_definition(unsigned kind)
{
    return kind >= FORE_RING_DEF_OBJECT && kind <= FORE_RING_DEF_TAKEN;
}

/* Units behind the record, 0 for short ones; false if they do not fit into the chunk. */
static bool units_of(const struct fore_fsr *f, struct fore_fsr_place p, uint64_t word,
                     unsigned *units)
{
    *units = is_short(FORE_RING_KIND(word)) ? 0 : FORE_RING_EXTRA(word);
    return p.slot + 1 + *units <= (p.slots ? p.slots : slots_of(f, p.chunk));
}

/* ---- looking ahead: definitions, and what gave up ---- */

static bool goes_on(const struct fore_fsr *f, struct fore_fsr_place p)
{
    struct fore_fsr_place next = {p.chunk, p.slot + 1, 0};
    return slot_ready(f, &next) || next.chunk != p.chunk;
}

/* A slot of short words, which may still change if the thread does not go on after it. */
static struct fore_fsr_mark mark_short(const struct fore_fsr *f, struct fore_fsr_place p)
{
    const struct fore_ring_record *r = slot_at(f, p);
    uint64_t first = load_word(&r->word), second = load_word((const uint64_t *)r);
    uint64_t last = second ? second : first;
    bool again = FORE_RING_KIND(last) == FORE_RING_AGAIN;
    return (struct fore_fsr_mark){p, second ? 2 : 1, again ? FORE_RING_TICKET(last) : 0};
}

/* Stops where something may still change: at a select that is not decided, and at the last
 * short words. */
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

/* Is there nothing to know in advance but who used the object: no definition, and nothing that others must not
 * overtake? */
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

/* An object is looked up when the thread turns to another one. */
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

/* What nobody writes to any more is read in the order in which chunks are found, that of the
 * file: memory likes it. */
static void scan_chunk(struct fore_fsr *f, struct fore_fsr_thread *t, uint32_t chunk)
{
    uint32_t slots = slots_of(f, chunk);
    t->scan = (struct fore_fsr_place){.chunk = chunk};
    do
        if (!f->scan_part) /* else every record is noted */
            skip_plain(f, t);
    while (!t->torn && t->scan.slot < slots && slot_at(f, t->scan)->word &&
           scan_one(f, t));
}

/* ---- whose a chunk is ---- */

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

/* Appends the chunk to its thread; false if nobody has written its thread yet. Chunks that are
 * taken again may be found in another order than the thread's. */
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

/* Looks again at chunks that had no thread; what a long one spans is no chunk of its own. */
static void look_again(struct fore_fsr *f)
{
    size_t left = 0;
    uint64_t begin = 0, end = 0; /* of the last one that was found */
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

/* A header is written before what follows it, so a chunk that has something in it while one
 * before it had no header yet may be within that one. */
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

/* Is it behind everything that looks at the thread's records? */
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

/* ---- operations ---- */

/* While the program runs, a thread is read only as far as it had come when the threads were
 * last looked at: threads that gave up before that are then known. `room` is how often the words
 * there may repeat. */
static bool within(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                   uint64_t *room)
{
    const struct fore_fsr_mark *l = &t->limit;
    *room = UINT64_MAX;
    if (!f->live)
        return true;
    if (t->head.chunk != l->at.chunk)
        return l->at.chunk &&
               f->number.at[t->head.chunk - 1] < f->number.at[l->at.chunk - 1];
    if (t->head.slot != l->at.slot)
        return t->head.slot < l->at.slot;
    if (t->second + 1u == l->halves)
        *room = l->again;
    return t->second < l->halves;
}

/* Does the thread go on after its head? Then the head is final. */
static bool something_after(const struct fore_fsr *f, const struct fore_fsr_thread *t)
{
    const struct fore_ring_record *r = slot_at(f, t->head);
    if (!t->second && load_word((const uint64_t *)r))
        return true;
    return goes_on(f, t->head);
}

static void from_base(const struct fore_fsr_thread *t, uint32_t what,
                      struct fore_fsr_op *op)
{
    uint64_t base = t->bases[(what >> 8) % FORE_RING_BASES];
    op->kind = what & 0xff;
    op->where = (uint32_t)base;
    op->object = (uint32_t)(base >> 32);
}

static uint64_t again_ticket(const struct fore_fsr_thread *t)
{
    return t->tickets[t->phase] + (t->what[0] == t->what[1] ? 2 : 1);
}

/* The next repetition; false if all were read. */
static bool peek_again(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                       const uint64_t *at, struct fore_fsr_op *op, bool *over)
{
    uint64_t word = load_word(at), room;
    bool more = t->again < FORE_RING_TICKET(word), final = false;
    if (!within(f, t, &room))
        return false;
    if (!more) { /* unless it grew before the thread went on */
        final = something_after(f, t);
        word = load_word(at);
        more = t->again < FORE_RING_TICKET(word);
    }
    if (more && t->again >= room)
        return false;
    if (!more && FORE_RING_FLAGS(word) & FORE_RING_DONE) {
        *over = final;
        return false;
    }
    if (!t->what[0] || !t->what[1]) { /* there is nothing to repeat */
        *over = true;
        return false;
    }
    from_base(t, t->what[t->phase], op);
    op->flags = more ? FORE_RING_DONE : 0;
    op->ticket = more ? again_ticket(t) : 0;
    return true;
}

static void next_half(struct fore_fsr_thread *t)
{
    t->again = 0;
    if (!t->second) {
        t->second = true;
    } else {
        t->second = false;
        t->head.slot++;
        t->records++;
    }
}

/* Behind a record with so many units. */
static void next_record(const struct fore_fsr *f, struct fore_fsr_thread *t,
                        unsigned units)
{
    t->head.slot += 1 + units;
    t->records += f->header->source == FORE_RING_GO ? 1 + units : 1;
}

/* A short slot. `*over`: nothing is left in this half. */
static bool peek_short(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                       struct fore_fsr_op *op, bool *over)
{
    const struct fore_ring_record *r = slot_at(f, t->head);
    const uint64_t *at = t->second ? (const uint64_t *)r : &r->word;
    uint64_t word = load_word(at);
    if (!word) {
        bool final = !f->live || something_after(f, t);
        *over = final && !load_word(at);
        return false;
    }
    unsigned kind = FORE_RING_KIND(word);
    if (kind == FORE_RING_AGAIN)
        return peek_again(f, t, at, op, over);
    if (!is_short(kind)) {
        *over = true;
        return false;
    }
    from_base(t, (kind - FORE_RING_SHORT) | FORE_RING_EXTRA(word) << 8, op);
    op->flags = FORE_RING_FLAGS(word);
    op->ticket = FORE_RING_TICKET(word);
    return true;
}

static bool is_run(uint64_t word)
{
    unsigned kind = FORE_RING_KIND(word);
    return (kind == FORE_RING_READ || kind == FORE_RING_WRITE) &&
           FORE_RING_FLAGS(word) & FORE_RING_RUN && FORE_RING_EXTRA(word);
}

static bool is_brief(uint64_t word)
{
    unsigned kind = FORE_RING_KIND(word);
    return (kind == FORE_RING_READ || kind == FORE_RING_WRITE) &&
           FORE_RING_FLAGS(word) & FORE_RING_BRIEF;
}

/* A use is recorded with what the thread records next. An access that was only noted, and that another
 * thread told, may lie between: what was learnt may have decided it. */
static bool is_use_next(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    uint64_t room;
    unsigned units;
    while (!t->second && slot_ready(f, &t->head) && within(f, t, &room)) {
        uint64_t word = load_word(&slot_at(f, t->head)->word);
        unsigned kind = FORE_RING_KIND(word);
        if (is_short(kind) || !units_of(f, t->head, word, &units) || !is_definition(kind))
            return kind == FORE_RING_USE;
        next_record(f, t, units);
    }
    return false;
}

/* The next of what others told of the thread, if it comes before the thread's head. */
static bool peek_past(struct fore_fsr *f, struct fore_fsr_thread *t,
                      struct fore_fsr_op *op)
{
    uint64_t room;
    if (t->past >= t->past_end || t->records < f->pasts.at[t->past].position ||
        is_use_next(f, t))
        return false;
    *op = fore_fsr_past_op(&f->pasts.at[t->past], f->pasts.at[t->past].read);
    op->unsure = f->live && (!slot_ready(f, &t->head) || !within(f, t, &room));
    return true;
}

/* Of a file that nobody writes to any more, a record that is what it says: most are. */
static bool peek_plain(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                       struct fore_fsr_op *op)
{
    const struct fore_fsr_place *p = &t->head;
    if (f->live || t->second || t->past < t->past_end || p->slot >= p->slots)
        return false;
    const struct fore_ring_record *r = slot_at(f, *p);
    unsigned kind = FORE_RING_KIND(r->word), units = FORE_RING_EXTRA(r->word);
    if (!kind || kind > FORE_RING_FIRE || p->slot + 1 + units > p->slots)
        return false;
    *op = fore_fsr_op(r, r->word, units);
    return true;
}

/* What a Go program writes to a variable of a specification it tells when its goroutine goes on: until then the
 * write is not there yet. */
static bool lacks_value(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                        uint64_t word, unsigned units)
{
    struct fore_fsr_place last = {t->head.chunk, t->head.slot + units, 0};
    return f->live && f->header->source == FORE_RING_GO && units &&
           FORE_RING_KIND(word) == FORE_RING_WRITE && !goes_on(f, last);
}

bool fore_fsr_peek(struct fore_fsr *f, uint32_t thread, struct fore_fsr_op *op)
{
    struct fore_fsr_thread *t = &f->threads.at[thread];
    uint64_t room;
    if (peek_plain(f, t, op))
        return true;
    *op = (struct fore_fsr_op){0};
    for (;;) {
        if (peek_past(f, t, op))
            return true;
        if ((!t->second && !slot_ready(f, &t->head)) || !within(f, t, &room))
            return false;
        const struct fore_ring_record *r = slot_at(f, t->head);
        uint64_t word = load_word(&r->word);
        unsigned units;
        if (!units_of(f, t->head, word, &units)) {
            t->torn = f->torn = true;
            return false;
        }
        if (t->second || is_short(FORE_RING_KIND(word))) {
            bool over = false;
            if (peek_short(f, t, op, &over))
                return true;
            if (!over)
                return false;
            next_half(t);
            continue;
        }
        if (is_definition(FORE_RING_KIND(word))) {
            next_record(f, t, units);
            continue;
        }
        if (lacks_value(f, t, word, units))
            return false;
        *op = fore_fsr_op(r, word, units);
        if (is_run(word))
            op->object += (uint32_t)(t->run * op->units[1]);
        if (is_brief(word)) {
            op->ticket = 0;
            op->brief = word;
        }
        fore_fsr_take_early(op);
        return true;
    }
}

static void note_ticket(struct fore_fsr_thread *t, uint32_t what, uint64_t ticket)
{
    t->what[t->phase] = what;
    t->tickets[t->phase] = ticket;
    t->phase ^= 1;
}

static void advance_past(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    struct fore_fsr_past *p = &f->pasts.at[t->past];
    f->pasts_read++;
    if (p->read++ >= p->more)
        t->past++;
}

void fore_fsr_advance(struct fore_fsr *f, uint32_t thread, const struct fore_fsr_op *op)
{
    struct fore_fsr_thread *t = &f->threads.at[thread];
    if (op->past) {
        advance_past(f, t);
        return;
    }
    const struct fore_ring_record *r = slot_at(f, t->head);
    uint64_t word = t->second ? load_word((const uint64_t *)r) : load_word(&r->word);
    unsigned kind = FORE_RING_KIND(word), base = FORE_RING_EXTRA(word);
    __builtin_prefetch(r + 8);
    if (!t->second && !is_short(kind)) {
        if (kind == FORE_RING_SEND_EVENT || kind == FORE_RING_RECV_EVENT)
            t->bases[op->where % FORE_RING_BASES] = op->where | (uint64_t)op->object
                                                                    << 32;
        if (is_run(word) && t->run++ < fore_fsr_more(r))
            return;
        t->run = 0;
        next_record(f, t, op->unit_count);
        return;
    }
    if (kind == FORE_RING_AGAIN) {
        note_ticket(t, t->what[t->phase], op->ticket);
        t->again++;
        return;
    }
    note_ticket(t, (kind - FORE_RING_SHORT) | base << 8, op->ticket);
    next_half(t);
}

uint64_t fore_fsr_skip_again(struct fore_fsr *f, uint32_t thread)
{
    struct fore_fsr_thread *t = &f->threads.at[thread];
    if (!t->again)
        return 0;
    const struct fore_ring_record *r = slot_at(f, t->head);
    uint64_t word = t->second ? load_word((const uint64_t *)r) : load_word(&r->word);
    uint64_t left = FORE_RING_TICKET(word) - t->again;
    t->again += left;
    return left;
}
