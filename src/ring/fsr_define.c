/* Reads what a ring file says beside its operations: what ids stand for, and accesses that other
 * threads recorded. */
#include "ring/fsr.h"
#include "trace/event.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_NUMBER = 1 << 20 }; /* object numbers for which a table has room */

static const struct fore_strbuf no_text = FORE_STRBUF_INIT;

/* ---- definitions ---- */

static void append_units(struct fore_strbuf *to, const void *bytes, unsigned units,
                         uint64_t n)
{
    uint64_t most = (uint64_t)units * FORE_RING_RECORD;
    if (n > most)
        n = most;
    if (to->n + n <= 1u << 20)
        fore_strbuf_add(to, bytes, (size_t)n);
}

/* Ranks the definitions of an object by how well they tell its state before the whole parts:
 * best is the first whole part, and there a thread that does something to the object before one
 * that waits; then the last of the parts before. */
static uint64_t rank_definition(const struct fore_fsr *f,
                                const struct fore_ring_record *r)
{
    uint64_t part = f->scan_part,
             before = f->first_part > part ? f->first_part - part : 0;
    bool waits = FORE_RING_FLAGS(r->word) & FORE_RING_BUSY;
    if (!part)
        return 0;
    return (before ? before + UINT32_MAX : part) << 1 | waits;
}

static void define_object(struct fore_fsr *f, const struct fore_ring_record *r,
                          unsigned units)
{
    bool fresh;
    if (!units)
        return;
    uint64_t *index = fore_map_put(&f->objects, r->object, &fresh);
    uint64_t rank = rank_definition(f, r);
    if (!fresh && f->object_list.at[*index].rank <= rank)
        return;
    const uint64_t *unit = (const uint64_t *)(r + 1);
    struct fore_fsr_object o = {.rank = rank,
                                .kind = (uint32_t)(unit[0] & 0xffff),
                                .flags = (uint32_t)(unit[0] >> 16 & 0xffff),
                                .where = r->where,
                                .capacity = unit[1],
                                .name = FORE_STRBUF_INIT,
                                .used = f->part};
    bool stack = FORE_RING_FLAGS(r->word) & FORE_RING_STACK && units > 1;
    unsigned at = stack ? 2 : 1; /* units that were read */
    if (stack)
        memcpy(o.stack, r + 2, sizeof o.stack);
    if (FORE_RING_FLAGS(r->word) & FORE_RING_INIT && units > at)
        memcpy(o.init, r + ++at, sizeof o.init);
    if (!stack)
        append_units(&o.name, r + 1 + at, units - at, FORE_RING_TICKET(r->word));
    if (!fresh) {
        fore_strbuf_release(&f->object_list.at[*index].name);
        f->object_list.at[*index] = o;
        return;
    }
    *index = f->object_list.n;
    fore_vec_push(&f->object_list, o);
}

static void define_where(struct fore_fsr *f, const struct fore_ring_record *r,
                         unsigned units)
{
    bool fresh;
    if (!units)
        return;
    uint64_t *index = fore_map_put(&f->wheres, r->where, &fresh);
    if (!fresh)
        return;
    const uint64_t *unit = (const uint64_t *)(r + 1);
    *index = f->where_list.n;
    fore_vec_push(&f->where_list,
                  (struct fore_fsr_where){(uint32_t)unit[0], (uint32_t)unit[1], r->object,
                                          (uint32_t)(unit[0] >> 32),
                                          (uint32_t)(unit[1] >> 32),
                                          FORE_RING_FLAGS(r->word) & FORE_RING_STRAIGHT,
                                          FORE_RING_FLAGS(r->word) & FORE_RING_ADDRESS,
                                          (uint32_t)FORE_RING_TICKET(r->word)});
}

static void define_string(struct fore_fsr *f, uint64_t id,
                          const struct fore_ring_record *r, unsigned units)
{
    bool fresh;
    uint64_t *index = fore_map_put(&f->strings, id, &fresh);
    if (fresh) {
        *index = f->string_list.n;
        fore_vec_push(&f->string_list, (struct fore_strbuf)FORE_STRBUF_INIT);
    }
    append_units(&f->string_list.at[*index], r + 1, units, FORE_RING_TICKET(r->word));
}

/* A thread's name is kept as a string whose id is out of the captures' range. */
static uint64_t name_id(uint32_t thread)
{
    return (uint64_t)1 << 32 | thread;
}

/* Unlike a string, which is continued, a name is replaced. */
static void define_thread(struct fore_fsr *f, const struct fore_ring_record *r,
                          unsigned units)
{
    const uint64_t *known = fore_map_get(&f->strings, name_id(r->object));
    if (known)
        f->string_list.at[*known].n = 0;
    define_string(f, name_id(r->object), r, units);
}

#define OFFSET_BITS (((uint64_t)1 << FORE_RING_SIZE) - 1)

static void define_places(struct fore_fsr *f, const struct fore_ring_record *r,
                          unsigned units)
{
    const uint64_t *unit = (const uint64_t *)(r + 1);
    struct fore_fsr_places p = {.first = r->object,
                                .count = (uint32_t)FORE_RING_TICKET(r->word),
                                .where = r->where};
    if (units)
        p.block = (struct fore_fsr_block){.number = (uint32_t)unit[1],
                                          .shape = (uint32_t)(unit[1] >> 32),
                                          .where = r->where,
                                          .size = unit[0] >> FORE_RING_SIZE,
                                          .offset = unit[0] & OFFSET_BITS};
    p.used = f->part;
    f->places_sorted = false;
    fore_vec_push(&f->places, p);
}

static void define_unseen(struct fore_fsr *f, const struct fore_ring_record *r,
                          unsigned units)
{
    struct fore_fsr_unseen u = {.where = r->where,
                                .member = r->object == FORE_RING_UNSEEN_MEMBER,
                                .text = FORE_STRBUF_INIT};
    append_units(&u.text, r + 1, units, FORE_RING_TICKET(r->word));
    fore_vec_push(&f->unseen, u);
}

static void define_stack(struct fore_fsr *f, const struct fore_ring_record *r,
                         unsigned units)
{
    struct fore_fsr_stack s = {{0}};
    size_t n = (size_t)units * sizeof *r;
    *fore_map_put(&f->stacks, r->where, NULL) = f->stack_list.n;
    memcpy(s.where, r + 1, n < sizeof s.where ? n : sizeof s.where);
    fore_vec_push(&f->stack_list, s);
}

static void define_taken(struct fore_fsr *f, const struct fore_ring_record *r,
                         unsigned units)
{
    const uint64_t *unit = (const uint64_t *)(r + 1);
    const uint32_t *at = (const uint32_t *)(r + 2);
    uint64_t n = FORE_RING_TICKET(r->word);
    if (!units || n > (uint64_t)(units - 1) * 4)
        return;
    struct fore_fsr_taken t = {unit[0], (uint32_t)unit[1], (uint32_t)f->callers.n,
                               (uint32_t)n};
    for (uint64_t i = 0; i < n; i++)
        fore_vec_push(&f->callers, at[i]);
    *fore_map_put(&f->taken, r->object, NULL) = f->taken_list.n;
    fore_vec_push(&f->taken_list, t);
}

static void define_rests(struct fore_fsr *f, const struct fore_ring_record *r,
                         unsigned units)
{
    const uint32_t *at = (const uint32_t *)(r + 1);
    uint64_t n = FORE_RING_TICKET(r->word);
    if (n > (uint64_t)units * 4)
        n = (uint64_t)units * 4;
    *fore_map_put(&f->rests, r->object, NULL) = (uint64_t)f->callers.n << 32 | n;
    for (uint64_t i = 0; i < n; i++)
        fore_vec_push(&f->callers, at[i]);
}

const uint32_t *fore_fsr_rests(const struct fore_fsr *f, uint32_t thread, size_t *n)
{
    const uint64_t *at = fore_map_get(&f->rests, thread);
    *n = at ? (uint32_t)*at : 0;
    return *n ? f->callers.at + (*at >> 32) : NULL;
}

const struct fore_strbuf *fore_fsr_child_group(const struct fore_fsr *f, uint32_t process)
{
    const uint64_t *group = fore_map_get(&f->children, process);
    return fore_fsr_string(f, group ? (uint32_t)*group : 0);
}

void fore_fsr_define(struct fore_fsr *f, const struct fore_ring_record *r, unsigned kind,
                     unsigned units)
{
    switch (kind) {
    case FORE_RING_DEF_OBJECT:
        define_object(f, r, units);
        break;
    case FORE_RING_DEF_WHERE:
        define_where(f, r, units);
        break;
    case FORE_RING_DEF_STRING:
        define_string(f, r->object, r, units);
        break;
    case FORE_RING_DEF_UNSEEN:
        define_unseen(f, r, units);
        break;
    case FORE_RING_DEF_GROUP:
        *fore_map_put(&f->groups, r->object, NULL) = FORE_RING_TICKET(r->word);
        break;
    case FORE_RING_DEF_RESTS:
        define_rests(f, r, units);
        break;
    case FORE_RING_DEF_TAKEN:
        define_taken(f, r, units);
        break;
    case FORE_RING_DEF_CHILD:
        *fore_map_put(&f->children, r->object, NULL) = FORE_RING_TICKET(r->word);
        break;
    case FORE_RING_DEF_FED:
        fore_map_put(&f->fed, r->object, NULL);
        break;
    case FORE_RING_DEF_SPENT:
        fore_map_put(&f->spent, r->object, NULL);
        break;
    case FORE_RING_DEF_BORN:
        if (units >= 2)
            *fore_map_put(&f->born, r->object, NULL) =
                (uint64_t)((const char *)r - f->base);
        break;
    case FORE_RING_DEF_PLACES:
        define_places(f, r, units);
        break;
    case FORE_RING_DEF_STACK:
        define_stack(f, r, units);
        break;
    default:
        define_thread(f, r, units);
    }
}

static int by_first(const void *a, const void *b)
{
    const struct fore_fsr_places *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static struct fore_fsr_places *places_of(struct fore_fsr *f, uint32_t id)
{
    size_t low = 0, high = f->places.n;
    if (!f->places_sorted && high)
        qsort(f->places.at, high, sizeof *f->places.at, by_first);
    f->places_sorted = true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->places.at[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    struct fore_fsr_places *found = low ? &f->places.at[low - 1] : NULL;
    return found && id - found->first < found->count ? found : NULL;
}

/* One of many places becomes an object when it is first asked for. An object that was defined by
 * itself but has no name may lie in a block. */
const struct fore_fsr_object *fore_fsr_object(struct fore_fsr *f, uint32_t id)
{
    const uint64_t *i = fore_map_get(&f->objects, id);
    if (i)
        f->object_list.at[*i].used = f->part;
    if (i && f->object_list.at[*i].name.n)
        return &f->object_list.at[*i];
    struct fore_fsr_places *p = places_of(f, id);
    if (!p)
        return i ? &f->object_list.at[*i] : NULL;
    p->used = f->part;
    if (!i) {
        struct fore_fsr_object o = {.kind = FORE_RING_OBJ_PLACE,
                                    .where = p->where,
                                    .name = FORE_STRBUF_INIT,
                                    .used = f->part};
        uint64_t *index = fore_map_put(&f->objects, id, NULL);
        *index = f->object_list.n;
        i = index;
        fore_vec_push(&f->object_list, o);
    }
    struct fore_fsr_object *o = &f->object_list.at[*i];
    o->block = p->block;
    /* an offset before the beginning of a block (where Go's allocator keeps a word) is negative */
    o->block.offset = (o->block.offset + id - p->first) & OFFSET_BITS;
    return o;
}

/* ---- forgetting ---- */

static bool is_old(const struct fore_fsr *f, uint32_t used)
{
    return used + 1 < f->part;
}

static void forget_places(struct fore_fsr *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->places.n; i++)
        if (!is_old(f, f->places.at[i].used))
            f->places.at[kept++] = f->places.at[i];
    f->places.n = kept;
}

/* The ids are the keys of a map, so the map is made anew. */
static void forget_objects(struct fore_fsr *f)
{
    struct fore_map old = f->objects;
    FORE_VEC(uint32_t) to = {0};
    size_t kept = 0;
    f->objects = (struct fore_map){0};
    fore_vec_ensure(&to, f->object_list.n);
    for (size_t i = 0; i < f->object_list.n; i++) {
        const struct fore_fsr_object *o = &f->object_list.at[i];
        bool place = o->kind == FORE_RING_OBJ_PLACE && !o->name.n;
        to.at[i] = place && is_old(f, o->used) ? 0 : (uint32_t)kept + 1;
        if (to.at[i])
            f->object_list.at[kept++] = *o;
        else
            fore_strbuf_release(&f->object_list.at[i].name);
    }
    f->object_list.n = kept;
    uint64_t id, index;
    for (size_t i = 0; fore_map_next(&old, &i, &id, &index);)
        if (to.at[index])
            *fore_map_put(&f->objects, id, NULL) = to.at[index] - 1;
    fore_vec_release(&to);
    fore_map_release(&old);
}

void fore_fsr_forget(struct fore_fsr *f)
{
    f->part++;
    forget_places(f);
    forget_objects(f);
}

const struct fore_fsr_stack *fore_fsr_stack(const struct fore_fsr *f, uint32_t number)
{
    const uint64_t *i = fore_map_get(&f->stacks, number);
    return i ? &f->stack_list.at[*i] : NULL;
}

const struct fore_fsr_where *fore_fsr_where(const struct fore_fsr *f, uint32_t id)
{
    const uint64_t *i = fore_map_get(&f->wheres, id);
    return i ? &f->where_list.at[*i] : NULL;
}

static const struct fore_strbuf *string_at(const struct fore_fsr *f, uint64_t id)
{
    const uint64_t *i = fore_map_get(&f->strings, id);
    return i ? &f->string_list.at[*i] : &no_text;
}

const struct fore_strbuf *fore_fsr_string(const struct fore_fsr *f, uint32_t id)
{
    return string_at(f, id);
}

const struct fore_strbuf *fore_fsr_thread_name(const struct fore_fsr *f, uint32_t thread)
{
    return string_at(f, name_id(thread));
}

const struct fore_strbuf *fore_fsr_thread_group(const struct fore_fsr *f, uint32_t thread)
{
    const uint64_t *string = fore_map_get(&f->groups, thread);
    return string ? string_at(f, *string) : &no_text;
}

/* ---- accesses that other threads recorded ---- */

void fore_fsr_add_past(struct fore_fsr *f, const struct fore_ring_record *r,
                       unsigned units)
{
    const uint64_t *unit = (const uint64_t *)(r + 1);
    if (!units)
        return;
    unsigned kind = unit[0] >> 32 & 0xff;
    fore_vec_push(&f->pasts, (struct fore_fsr_past){
                                 .thread = (uint32_t)unit[0],
                                 .position = (uint32_t)unit[1],
                                 .ticket = FORE_RING_TICKET(r->word),
                                 .where = r->where,
                                 .object = r->object,
                                 .more = (uint32_t)fore_fsr_more(r),
                                 .kind = kind == FORE_RING_WRITE || kind == FORE_RING_RMW
                                             ? (uint8_t)kind
                                             : FORE_RING_READ,
                                 .distance = (uint8_t)(unit[0] >> 40),
                                 .early = FORE_RING_FLAGS(r->word) & FORE_RING_EARLY,
                                 .near = FORE_RING_FLAGS(r->word) & FORE_RING_NEAR,
                                 .number = f->pasts_found++});
}

static int by_position(const void *a, const void *b)
{
    const struct fore_fsr_past *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    if (x->ticket != y->ticket)
        return x->ticket < y->ticket ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Early accesses hold back the accesses that came after them. */
static void count_told(struct fore_fsr *f, struct fore_fsr_past *p)
{
    uint64_t n = 1 + (uint64_t)p->more;
    p->counted = true;
    f->pasts_told += n;
    for (uint64_t i = 0; p->early && i < n; i++) {
        struct fore_fsr_op op = fore_fsr_past_op(p, i);
        uint64_t key = fore_fsr_hold_key(FORE_HOLD_TICKET, op.object, op.before);
        ++*fore_map_put(&f->holds, key, NULL);
    }
}

/* Has its thread gone on past its position? */
static bool is_late(const struct fore_fsr *f, const struct fore_fsr_past *p)
{
    const uint64_t *index = fore_map_get(&f->by_number, p->thread);
    return f->streams && !p->counted && index &&
           f->threads.at[*index].records > p->position;
}

/* The place with its callers may have been defined after the PAST record. */
static uint32_t line_of_past(const struct fore_fsr *f, const struct fore_fsr_past *p)
{
    const struct fore_fsr_stack *s = fore_fsr_stack(f, p->where);
    const struct fore_fsr_where *w = fore_fsr_where(f, p->where);
    return s ? s->where[0] : w && w->site ? w->site : p->where;
}

/* Drops the pasts that were read, and those that come too late. */
static void sift_pasts(struct fore_fsr *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->pasts.n; i++) {
        struct fore_fsr_past *p = &f->pasts.at[i];
        if (p->read > p->more)
            continue;
        if (is_late(f, p)) {
            fore_vec_push(&f->late, *p);
            continue;
        }
        if (!p->counted)
            count_told(f, p);
        p->line = line_of_past(f, p);
        f->pasts.at[kept++] = *p;
    }
    f->pasts.n = kept;
}

void fore_fsr_sort_pasts(struct fore_fsr *f)
{
    size_t next = 0;
    sift_pasts(f);
    for (size_t i = 0; i < f->threads.n; i++)
        f->threads.at[i].past = f->threads.at[i].past_end = 0;
    if (f->pasts.n)
        qsort(f->pasts.at, f->pasts.n, sizeof *f->pasts.at, by_position);
    for (size_t i = 0; i < f->pasts.n; i = next) {
        uint32_t number = f->pasts.at[i].thread;
        while (next < f->pasts.n && f->pasts.at[next].thread == number)
            next++;
        const uint64_t *index = fore_map_get(&f->by_number, number);
        if (!index)
            continue;
        f->threads.at[*index].past = i;
        f->threads.at[*index].past_end = next;
    }
}

uint64_t fore_fsr_more(const struct fore_ring_record *r)
{
    const uint64_t *unit = (const uint64_t *)(r + 1);
    bool past = FORE_RING_KIND(r->word) == FORE_RING_PAST;
    uint64_t more = past ? unit[1] >> 32 : __atomic_load_n(unit, __ATOMIC_RELAXED);
    return more < FORE_RING_LONGEST_RUN ? more : FORE_RING_LONGEST_RUN;
}

struct fore_fsr_op fore_fsr_past_op(const struct fore_fsr_past *p, uint64_t run)
{
    return (struct fore_fsr_op){.kind = p->kind,
                                .flags = FORE_RING_DONE,
                                .where = p->where,
                                .object = p->object + (uint32_t)(run * p->distance),
                                .ticket = p->early ? 0 : p->ticket,
                                .past = true,
                                .near = p->near,
                                .before = p->early ? p->ticket : 0};
}

/* ---- who uses what ---- */

static void used_by(struct fore_fsr *f, uint32_t object, uint32_t thread)
{
    if (object < SMALL_NUMBER) {
        fore_vec_ensure(&f->small_users, (size_t)object + 1);
        uint32_t *user = &f->small_users.at[object];
        *user = *user && *user != thread ? FORE_FSR_SHARED : thread;
        return;
    }
    uint64_t *user = fore_map_put(&f->users, object, NULL);
    *user = *user && *user != thread ? FORE_FSR_SHARED : thread;
}

/* A thread that still waits for the object counts as many threads, and so does a select, or a
 * wait that gives a lock back. */
void fore_fsr_note_user(struct fore_fsr *f, uint32_t thread,
                        const struct fore_ring_record *r, unsigned units)
{
    unsigned kind = FORE_RING_KIND(r->word);
    bool done = FORE_RING_FLAGS(r->word) & FORE_RING_DONE;
    const uint64_t *unit = (const uint64_t *)(r + 1);
    const struct fore_ring_case *cases = (const struct fore_ring_case *)unit;
    if (kind == FORE_RING_PRE)
        for (unsigned i = 0; i < units * 2; i++)
            used_by(f, cases[i].chan, FORE_FSR_SHARED);
    if ((kind == FORE_RING_CWAIT || kind == FORE_RING_CWOKEN) && units)
        used_by(f, (uint32_t)unit[0], FORE_FSR_SHARED);
    bool waits = kind == FORE_RING_SEND_EVENT || kind == FORE_RING_RECV_EVENT ||
                 (kind < FORE_KINDS && fore_kind_blocks(kind));
    if (kind >= FORE_RING_SEND_EVENT && kind <= FORE_RING_RMW)
        used_by(f, r->object, waits && !done ? FORE_FSR_SHARED : thread);
}

bool fore_fsr_is_private(const struct fore_fsr *f, uint32_t object)
{
    const uint64_t *user = fore_map_get(&f->users, object);
    if (object < f->small_users.n)
        return f->small_users.at[object] && f->small_users.at[object] != FORE_FSR_SHARED;
    return user && *user != FORE_FSR_SHARED;
}
