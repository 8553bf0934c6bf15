/* Reads a thread's operations, one after the other, in whichever form they were written; and
 * what selects that gave up saw. */
#include "base/hash.h"
#include "ring/fsr_slots.h"

#include <string.h>

/* Is the thread's position within the limit? While the program runs, a thread is read only as
 * far as it had come when the threads were last looked at, because selects that gave up before
 * that are then known. `room` gets how often the words there may repeat. */
static bool is_within_limit(const struct fore_fsr *f, const struct fore_fsr_thread *t,
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

/* Has the thread written anything after its head? Then the head is final. */
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

/* Gives the next repetition; false if all were read. */
static bool peek_again(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                       const uint64_t *at, struct fore_fsr_op *op, bool *over)
{
    uint64_t word = load_word(at), room;
    bool more = t->again < FORE_RING_TICKET(word), final = false;
    if (!is_within_limit(f, t, &room))
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

/* Moves behind a record with that many units. */
static void next_record(const struct fore_fsr *f, struct fore_fsr_thread *t,
                        unsigned units)
{
    t->head.slot += 1 + units;
    t->use_read = false;
    t->records += f->header->source == FORE_RING_GO ? 1 + units : 1;
}

/* Reads a short slot. `*over`: nothing is left in this half. */
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

/* Does the record say that a use comes before it? */
static bool has_use(const struct fore_fsr *f, uint64_t word)
{
    return f->header->source == FORE_RING_C && FORE_RING_FLAGS(word) & FORE_RING_USES &&
           FORE_RING_KIND(word) < FORE_RING_AFTER;
}

/* A use is recorded with the thread's next record. An access that was only noted, and that
 * another thread recorded, may lie in between: the value learnt may have decided it. */
static bool is_use_next(struct fore_fsr *f, struct fore_fsr_thread *t)
{
    uint64_t room;
    unsigned units;
    while (!t->second && slot_ready(f, &t->head) && is_within_limit(f, t, &room)) {
        uint64_t word = load_word(&slot_at(f, t->head)->word);
        unsigned kind = FORE_RING_KIND(word);
        if (is_short(kind) || !units_of(f, t->head, word, &units) || !is_definition(kind))
            return kind == FORE_RING_USE || (has_use(f, word) && !t->use_read);
        next_record(f, t, units);
    }
    return false;
}

/* Gives the thread's next past, if it comes before the thread's head. */
static bool peek_past(struct fore_fsr *f, struct fore_fsr_thread *t,
                      struct fore_fsr_op *op)
{
    uint64_t room;
    if (t->past >= t->past_end || t->records < f->pasts.at[t->past].position ||
        is_use_next(f, t))
        return false;
    *op = fore_fsr_past_op(&f->pasts.at[t->past], f->pasts.at[t->past].read);
    op->unsure = f->live && (!slot_ready(f, &t->head) || !is_within_limit(f, t, &room));
    return true;
}

/* Reads a complete file's record that stands for itself, as most do. */
static bool peek_plain(const struct fore_fsr *f, const struct fore_fsr_thread *t,
                       struct fore_fsr_op *op)
{
    const struct fore_fsr_place *p = &t->head;
    if (f->live || t->second || t->past < t->past_end || p->slot >= p->slots)
        return false;
    const struct fore_ring_record *r = slot_at(f, *p);
    unsigned kind = FORE_RING_KIND(r->word), units = FORE_RING_EXTRA(r->word);
    if (!kind || kind > FORE_RING_FIRE || p->slot + 1 + units > p->slots ||
        has_use(f, r->word))
        return false;
    *op = fore_fsr_op(r, r->word, units);
    return true;
}

/* A Go program records the value of a write to a specification's variable only when its
 * goroutine goes on: until then the write does not count as there. */
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
        if ((!t->second && !slot_ready(f, &t->head)) || !is_within_limit(f, t, &room))
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
        if (has_use(f, word))
            op->flags &= ~(unsigned)FORE_RING_USES;
        if (has_use(f, word) && !t->use_read) {
            *op = (struct fore_fsr_op){.kind = FORE_RING_USE, .flags = FORE_RING_DONE};
            return true;
        }
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
    if (op->kind == FORE_RING_USE && kind != FORE_RING_USE) {
        t->use_read = true;
        return;
    }
    if (!t->second && !is_short(kind)) {
        if (kind == FORE_RING_SEND_EVENT || kind == FORE_RING_RECV_EVENT)
            fore_fsr_note_base(t, op->where, op->object);
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
    fore_fsr_note_short(t, (kind - FORE_RING_SHORT) | base << 8, op->ticket);
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

/* ---- selects in which nothing was ready ---- */

uint64_t fore_fsr_hold_key(enum fore_fsr_hold what, uint32_t chan, uint64_t n)
{
    return fore_hash_mix(fore_hash_mix(what, chan), n);
}

static bool gave_up(const struct fore_fsr_op *op)
{
    return op->flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT) && op->ticket;
}

/* A select of one case counts the other side's operations, plus one. */
static void see_one(const struct fore_fsr_op *op, fore_fsr_visit *visit, void *arg)
{
    uint64_t counters[2] = {op->ticket - 1, op->ticket - 1};
    if (op->object)
        visit(arg, op->object, op->kind == FORE_RING_SEND_EVENT, counters);
}

static void see_all(const struct fore_fsr_op *op, fore_fsr_visit *visit, void *arg)
{
    uint64_t n = op->ticket;
    const struct fore_ring_case *c = (const struct fore_ring_case *)op->units;
    if (n > op->unit_count || (n + 1) / 2 + n > op->unit_count)
        return;
    const uint64_t *counters = op->units + (n + 1) / 2 * 2;
    for (uint64_t i = 0; i < n; i++)
        if (c[i].chan && (c[i].kind & 0xff) <= FORE_RING_CASE_SEND)
            visit(arg, c[i].chan, (c[i].kind & 0xff) == FORE_RING_CASE_SEND,
                  counters + 2 * i);
}

void fore_fsr_counters(const struct fore_fsr_op *op, fore_fsr_visit *visit, void *arg)
{
    if (!gave_up(op))
        return;
    if (op->kind == FORE_RING_PRE)
        see_all(op, visit, arg);
    else if (op->kind == FORE_RING_SEND_EVENT || op->kind == FORE_RING_RECV_EVENT)
        see_one(op, visit, arg);
}

static void hold_counters(void *arg, uint32_t chan, bool sends,
                          const uint64_t counters[2])
{
    struct fore_fsr *f = arg;
    uint64_t key =
        fore_fsr_hold_key(sends ? FORE_HOLD_RECV : FORE_HOLD_SEND, chan, counters[sends]);
    ++*fore_map_put(&f->holds, key, NULL);
    ++*fore_map_put(&f->holds, fore_fsr_hold_key(FORE_HOLD_CLOSE, chan, 0), NULL);
}

/* Go's writer uses one record for all rounds of a polling loop, and may still change it. */
void fore_fsr_hold_back(struct fore_fsr *f, const struct fore_ring_record *r,
                        uint64_t word, unsigned units)
{
    struct fore_fsr_op op = fore_fsr_op(r, word, units);
    fore_fsr_take_early(&op);
    if (op.before && (!f->live || f->streams))
        ++*fore_map_put(&f->holds,
                        fore_fsr_hold_key(FORE_HOLD_TICKET, op.object, op.before), NULL);
    if (op.kind == FORE_RING_PRE || !f->live)
        fore_fsr_counters(&op, hold_counters, f);
}
