/* Reads a ring file whose oldest part was used again (`part` in capture/ring/ring.h): finds
 * which of its chunks count, and the state when the first whole part began. */
#include "ring/fsr.h"
#include "trace/event.h"

#include <stdlib.h>

/* A chunk, to be sorted. */
struct part_chunk {
    uint32_t thread, number, index, part;
    bool left; /* its thread is done with it */
};

struct part_chunks {
    FORE_VEC(struct part_chunk) v;
};

bool fore_fsr_is_cut(const struct fore_fsr *f)
{
    return f->header->source == FORE_RING_GO && f->header->part > FORE_RING_KEPT_PARTS &&
           f->header->again && !f->live;
}

static int by_thread_and_number(const void *a, const void *b)
{
    const struct part_chunk *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void list_chunks(struct fore_fsr *f, struct part_chunks *out)
{
    uint64_t taken = f->header->next_chunk, step;
    taken = taken > f->header->chunks ? f->header->chunks : taken;
    f->torn = taken > f->room;
    taken = taken > f->room ? f->room : taken;
    for (f->seen = 0; f->seen < taken; f->seen += step) {
        const struct fore_ring_chunk *c = fore_fsr_chunk(f, f->seen);
        step = c->thread && c->span & 0xff ? c->span & 0xff : 1;
        if (c->thread)
            fore_vec_push(&out->v,
                          (struct part_chunk){c->thread, c->number, (uint32_t)f->seen,
                                              c->span >> 8, c->after != 0});
    }
    f->seen = taken;
    fore_vec_ensure(&f->after, taken);
    fore_vec_ensure(&f->number, taken);
    if (out->v.n)
        qsort(out->v.at, out->v.n, sizeof *out->v.at, by_thread_and_number);
}

/* Of a thread that has written nothing since the first whole part began, only the operation in
 * which it waits is left. */
static void skip_to_wait(struct fore_fsr *f, uint32_t thread)
{
    struct fore_fsr_op op;
    while (fore_fsr_peek(f, thread, &op) && op.flags & FORE_RING_DONE) {
        fore_fsr_advance(f, thread, &op);
        (void)fore_fsr_skip_again(f, thread);
    }
}

/* Takes the chunks at[0..n) of one thread. */
static void take_thread(struct fore_fsr *f, const struct part_chunk *at, size_t n)
{
    bool keeper = at->thread == FORE_RING_KEEPER, kept = false;
    size_t first = n;
    for (size_t i = 0; i < n; i++) {
        bool whole = keeper || at[i].part >= f->first_part;
        kept = kept || whole;
        if ((whole || !at[i].left) && first == n)
            first = i;
    }
    while (kept && !keeper && first < n && at[first].part < f->first_part)
        first++;
    if (first == n)
        return;
    struct fore_fsr_thread *t = fore_fsr_thread_of(f, at->thread);
    uint32_t index = (uint32_t)(t - f->threads.at);
    fore_vec_clear(&f->held);
    for (size_t i = first; i < n; i++) {
        if (!kept && at[i].left)
            continue;
        f->scan_part = keeper ? f->first_part : at[i].part;
        fore_fsr_append_chunk(f, &f->threads.at[index], at[i].index);
    }
    f->scan_part = 0;
    if (!kept)
        skip_to_wait(f, index);
}

void fore_fsr_find_parts(struct fore_fsr *f)
{
    struct part_chunks all = {0};
    size_t next = 0;
    f->first_part = f->header->part - (FORE_RING_KEPT_PARTS - 1);
    list_chunks(f, &all);
    for (size_t i = 0; i < all.v.n; i = next) {
        while (next < all.v.n && all.v.at[next].thread == all.v.at[i].thread)
            next++;
        take_thread(f, all.v.at + i, next - i);
    }
    fore_vec_release(&all.v);
}

/* ---- the state in the beginning ---- */

const struct fore_fsr_first *fore_fsr_first(const struct fore_fsr *f, uint32_t object)
{
    const uint64_t *at = fore_map_get(&f->tickets, object);
    return at ? &f->firsts.at[*at] : NULL;
}

const struct fore_ring_record *fore_fsr_born(const struct fore_fsr *f, uint32_t thread)
{
    const uint64_t *at = fore_map_get(&f->born, thread);
    return at && !fore_map_get(&f->created, thread)
               ? (const struct fore_ring_record *)(f->base + *at)
               : NULL;
}

static void note_first(struct fore_fsr *f, struct fore_fsr_first first)
{
    bool fresh;
    if (!first.object || !first.ticket)
        return;
    uint64_t *at = fore_map_put(&f->tickets, first.object, &fresh);
    if (fresh) {
        *at = f->firsts.n;
        fore_vec_push(&f->firsts, first);
    } else if (first.ticket < f->firsts.at[*at].ticket) {
        f->firsts.at[*at] = first;
    }
}

/* Read locks have no recorded owner: a thread that gives one back without having taken it held
 * it in the beginning. */
static void note_shared(struct fore_fsr *f, uint32_t thread,
                        const struct fore_ring_record *r, unsigned kind)
{
    struct fore_fsr_held h = {thread, r->object, r->where, 0, true};
    if (kind != FORE_RING_RUNLOCK) {
        fore_vec_push(&f->held, h);
        return;
    }
    for (size_t i = f->held.n; i-- > 0;)
        if (f->held.at[i].lock == h.lock) {
            f->held.at[i] = f->held.at[--f->held.n];
            return;
        }
    h.where = 0;
    fore_vec_push(&f->began_with, h);
}

/* A thread that is woken without having begun to wait was waiting in the beginning. */
static void note_sleeper(struct fore_fsr *f, uint32_t thread,
                         const struct fore_ring_record *r, unsigned kind, unsigned units)
{
    const uint64_t *unit = (const uint64_t *)(r + 1);
    uint64_t *began = fore_map_put(&f->asleep, thread, NULL);
    if (kind == FORE_RING_CWAIT)
        ++*began;
    else if (*began)
        --*began;
    else if (units)
        fore_vec_push(&f->began_with, (struct fore_fsr_held){thread, (uint32_t)unit[0],
                                                             r->where, r->object, false});
}

void fore_fsr_note_record(struct fore_fsr *f, uint32_t thread,
                          const struct fore_ring_record *r, unsigned units)
{
    unsigned kind = FORE_RING_KIND(r->word), flags = FORE_RING_FLAGS(r->word);
    const uint64_t *unit = (const uint64_t *)(r + 1);
    bool condition = kind == FORE_RING_CWAIT || kind == FORE_RING_CWOKEN;
    if (kind == FORE_RING_CWOKEN && !(flags & FORE_RING_DONE))
        note_sleeper(f, thread, r, kind, units);
    if (f->scan_part < f->first_part || !(flags & FORE_RING_DONE) ||
        kind >= FORE_RING_AFTER)
        return;
    struct fore_fsr_first first = {.object = r->object,
                                   .thread = thread,
                                   .where = r->where,
                                   .kind = kind,
                                   .busy = flags & FORE_RING_BUSY,
                                   .ticket = FORE_RING_TICKET(r->word)};
    if (kind == FORE_RING_SIGNAL && units)
        fore_map_put(&f->created, (uint32_t)unit[0], NULL);
    if (kind >= FORE_RING_LOCK)
        note_first(f, first);
    if (condition)
        note_sleeper(f, thread, r, kind, units);
    if (condition && units) {
        first.object = (uint32_t)unit[0];
        first.ticket = unit[1];
        note_first(f, first);
    }
    if (kind == FORE_RING_RUNLOCK ||
        ((kind == FORE_RING_RLOCK || kind == FORE_RING_TRYRLOCK) &&
         !(flags & FORE_RING_BUSY)))
        note_shared(f, thread, r, kind);
}
