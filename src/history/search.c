/* Decides:  whether some linearization of a history of one object exists.
 * Sound:    yes; every witness can be checked with fore_order_holds.
 * Complete: yes, within the budget.
 * Cost:     O(events) for histories without contention, exponential in the worst case.
 * Source:   [winggong93], with just-in-time linearization and caching after [lowe17].
 *
 * The search walks along the events. Nothing is linearized before some answer needs it:
 * at a response whose operation has not taken effect yet, one of the open operations is
 * chosen to take effect next. A configuration is (event, open operations that took
 * effect, state). Open operations live in numbered slots, reused after their response, so
 * that the set is a few words whatever the length of the history.
 *
 * Six reductions:
 * - an open operation with a known answer that is legal here and leaves the state alone
 *   takes effect at once: from every order that puts it later it can be moved to the
 * front;
 * - nothing takes effect of which the object knows that it cannot help the next answer;
 * - operations that never returned and are alike are taken in order of invocation;
 * - of open operations with the same request and answer, the one that answers first takes
 *   effect first: in every other order the two can change places;
 * - success as soon as every answered operation has taken effect;
 * - a configuration is not entered if one with the same event, answered operations and
 *   state was entered that had used a subset of the never-returned operations: whatever
 *   follows here could follow there. */
#include "history/search.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/sort.h"
#include "history/rows.h"

#include <string.h>

#define NONE UINT32_MAX

/* What a search may hold, if nobody says. */
enum { MAX_BYTES = 512 << 20, LOOK_AT_STATES = 16 };

/* Memory that is kept from one search to the next. */
enum room {
    EVENTS,
    RETURNS,
    SLOT,
    IDLE,
    IN_SLOT,
    ALIKE,
    KIND,
    OPEN,
    CUR,
    KEY,
    FREE_SLOTS,
    ROOMS
};

struct fore_searcher {
    void *at[ROOMS];
    size_t size[ROOMS];
    FORE_VEC(struct search_frame) frames;
    FORE_VEC(uint64_t) masks;
    FORE_VEC(uint32_t) order;
};

struct search_frame {
    uint32_t event; /* the response that is waited for */
    uint32_t next;  /* the candidate to try next; 0 is the operation that responds */
    size_t n_order; /* operations that have taken effect */
    fore_val state;
};

struct lin_search {
    const struct fore_part *part;
    struct fore_limits *limits;
    struct fore_search_outcome *out;
    uint32_t *events; /* operation * 2, + 1 for responses */
    size_t n_events;
    uint32_t *slot;    /* of each operation, NONE for those that never matter */
    uint64_t *idle;    /* operations that changed nothing, by their answer */
    uint32_t *in_slot; /* operation that is open in a slot at `event` */
    uint32_t *alike;   /* pending slot -> earlier slot of a like operation, or NONE */
    uint32_t *kind;    /* of each operation: equal for the same request and answer */
    size_t answered_words, words;
    uint64_t *open; /* slots that are open at `event` */
    uint64_t *cur;  /* open operations that have taken effect */
    uint64_t *key;  /* scratch row */
    size_t event;
    fore_val state;
    struct fore_rows seen; /* configurations that lead nowhere: event + 1, state, mask */
    struct fore_searcher *mem; /* frames, order, and `words` of masks for each frame */
    size_t deepest;
    size_t max_value_bytes; /* of part->values */
};

struct fore_searcher *fore_searcher_new(void)
{
    return fore_calloc(1, sizeof(struct fore_searcher));
}

void fore_searcher_free(struct fore_searcher *m)
{
    for (unsigned i = 0; i < ROOMS; i++)
        fore_free(m->at[i]);
    fore_vec_release(&m->frames);
    fore_vec_release(&m->masks);
    fore_vec_release(&m->order);
    fore_free(m);
}

/* Room for `count` things, not cleared. */
static void *room_for(struct lin_search *s, enum room which, size_t count, size_t size)
{
    struct fore_searcher *m = s->mem;
    size_t bytes = (count + 1) * size;
    if (m->size[which] < bytes) {
        fore_free(m->at[which]);
        m->at[which] = fore_alloc(bytes * 2);
        m->size[which] = bytes * 2;
    }
    return m->at[which];
}

static void *cleared_room(struct lin_search *s, enum room which, size_t count,
                          size_t size)
{
    return memset(room_for(s, which, count, size), 0, (count + 1) * size);
}

void fore_outcome_release(struct fore_search_outcome *o)
{
    fore_vec_release(&o->order);
    fore_vec_release(&o->core);
}

/* An operation that never returned and only looks can always be left out. */
static bool is_constraining(const struct fore_part *p, const struct fore_op *op)
{
    return !fore_op_pending(op) || p->model->ops[op->f].role != FORE_ROLE_LOOK;
}

static void mark_idle(struct lin_search *s)
{
    const struct fore_part *p = s->part;
    bool nil_is_put = false;
    s->idle = cleared_room(s, IDLE, FORE_BITSET_WORDS(p->n), sizeof *s->idle);
    for (size_t i = 0; i < p->n; i++)
        nil_is_put = nil_is_put || (p->model->ops[p->ops[i].f].role == FORE_ROLE_PUT &&
                                    fore_val_is(p->ops[i].arg[0], FORE_NIL));
    for (size_t i = 0; i < p->n; i++)
        if (!fore_op_pending(&p->ops[i]) &&
            fore_op_idle(p->model, &p->ops[i], nil_is_put))
            fore_bit_add(s->idle, i);
}

static void sort_events(struct lin_search *s)
{
    const struct fore_part *p = s->part;
    uint64_t *rets = room_for(s, RETURNS, p->n, sizeof *rets);
    size_t n_rets = 0, r = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (fore_op_pending(&p->ops[i]))
            continue;
        rets[n_rets++] = (uint64_t)p->ops[i].ret << 32 | i;
    }
    fore_sort_u64(rets, n_rets);
    s->events = room_for(s, EVENTS, p->n + n_rets, sizeof *s->events);
    for (size_t i = 0; i < p->n; i++) {
        while (r < n_rets && rets[r] >> 32 < p->ops[i].invoke)
            s->events[s->n_events++] = (uint32_t)rets[r++] << 1 | 1;
        if (is_constraining(p, &p->ops[i]))
            s->events[s->n_events++] = (uint32_t)i << 1;
    }
    while (r < n_rets)
        s->events[s->n_events++] = (uint32_t)rets[r++] << 1 | 1;
}

static bool same_request(const struct fore_op *a, const struct fore_op *b)
{
    return a->f == b->f && fore_val_is(a->arg[0], b->arg[0]) &&
           fore_val_is(a->arg[1], b->arg[1]);
}

/* Pending operations get slots of their own after those of the answered ones; `map` leads
 * from a request to its latest pending slot. */
static void number_pending(struct lin_search *s, size_t answered)
{
    struct fore_map latest = {0};
    FORE_VEC(uint32_t) owner = {0};
    FORE_VEC(uint32_t) alike = {0};
    size_t base = FORE_BITSET_WORDS(answered) * 64;
    for (size_t i = 0; i < s->part->n; i++) {
        const struct fore_op *op = &s->part->ops[i];
        if (!fore_op_pending(op) || !is_constraining(s->part, op))
            continue;
        uint64_t h = fore_hash_mix(fore_hash_mix(op->f, op->arg[0].w), op->arg[1].w);
        bool fresh;
        uint64_t *last = fore_map_put(&latest, h, &fresh);
        bool like = !fresh && same_request(&s->part->ops[owner.at[*last]], op);
        fore_vec_push(&alike, like ? (uint32_t)(base + *last) : NONE);
        *last = owner.n;
        s->slot[i] = (uint32_t)(base + owner.n);
        fore_vec_push(&owner, (uint32_t)i);
    }
    s->answered_words = base / 64;
    s->words = s->answered_words + FORE_BITSET_WORDS(owner.n);
    s->alike = room_for(s, ALIKE, s->words * 64, sizeof *s->alike);
    if (alike.n)
        memcpy(s->alike + base, alike.at, alike.n * sizeof *alike.at);
    fore_vec_release(&owner);
    fore_vec_release(&alike);
    fore_map_release(&latest);
}

/* Operations whose hashes collide count as different: then both are tried. */
static void number_kinds(struct lin_search *s)
{
    struct fore_map first = {0};
    s->kind = room_for(s, KIND, s->part->n, sizeof *s->kind);
    for (uint32_t i = 0; i < s->part->n; i++) {
        const struct fore_op *op = &s->part->ops[i];
        uint64_t h = fore_hash_mix(fore_hash_mix(op->f, op->arg[0].w), op->arg[1].w);
        bool fresh;
        uint64_t *of = fore_map_put(&first, fore_hash_mix(h, op->result.w), &fresh);
        if (fresh)
            *of = i;
        const struct fore_op *other = &s->part->ops[*of];
        bool like = same_request(other, op) && fore_val_is(other->result, op->result);
        s->kind[i] = like ? (uint32_t)*of : i;
    }
    fore_map_release(&first);
}

static void number_slots(struct lin_search *s)
{
    uint32_t *free_slots = room_for(s, FREE_SLOTS, s->part->n, sizeof *free_slots);
    size_t used = 0, n_free = 0;
    s->slot = room_for(s, SLOT, s->part->n, sizeof *s->slot);
    for (size_t e = 0; e < s->n_events; e++) {
        uint32_t op = s->events[e] >> 1;
        if (fore_op_pending(&s->part->ops[op]))
            continue;
        if (s->events[e] & 1)
            free_slots[n_free++] = s->slot[op];
        else
            s->slot[op] = n_free ? free_slots[--n_free] : (uint32_t)used++;
    }
    number_pending(s, used);
    s->in_slot = room_for(s, IN_SLOT, s->words * 64, sizeof *s->in_slot);
    s->open = cleared_room(s, OPEN, s->words, sizeof *s->open);
    s->cur = cleared_room(s, CUR, s->words, sizeof *s->cur);
    s->seen.width = s->words + 2;
    s->key = room_for(s, KEY, s->seen.width, sizeof *s->key);
}

/* Moving over an event changes who is open; both directions cost the same. */
static void go_forward(struct lin_search *s)
{
    uint32_t e = s->events[s->event++], op = e >> 1;
    if (e & 1) {
        fore_bit_del(s->open, s->slot[op]);
    } else {
        fore_bit_add(s->open, s->slot[op]);
        s->in_slot[s->slot[op]] = op;
    }
}

static void back_to(struct lin_search *s, size_t event)
{
    while (s->event > event) {
        uint32_t e = s->events[--s->event], op = e >> 1;
        if (e & 1) {
            fore_bit_add(s->open, s->slot[op]);
            s->in_slot[s->slot[op]] = op;
        } else {
            fore_bit_del(s->open, s->slot[op]);
        }
    }
}

static bool step_model(struct lin_search *s, uint32_t op, fore_val *next)
{
    return fore_model_step(s->part->model, s->part->values, s->state, &s->part->ops[op],
                           next);
}

static void take_if_idle(struct lin_search *s, uint32_t slot)
{
    fore_val next;
    uint32_t op = s->in_slot[slot];
    if (fore_bit_has(s->idle, op) && step_model(s, op, &next)) {
        s->state = next; /* the same state, perhaps in a simpler form */
        fore_bit_add(s->cur, slot);
        fore_vec_push(&s->mem->order, op);
    }
}

/* Lets idle operations take effect and walks on to the next response that has to be
 * earned. True at the end of the history. */
static bool settle_idle(struct lin_search *s)
{
    for (size_t w = 0; w < s->answered_words; w++)
        for (uint64_t rest = s->open[w] & ~s->cur[w]; rest; rest &= rest - 1)
            take_if_idle(s, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(rest)));
    while (s->event < s->n_events) {
        uint32_t e = s->events[s->event], op = e >> 1, slot = s->slot[op];
        if (e & 1) {
            if (!fore_bit_has(s->cur, slot))
                return false;
            fore_bit_del(s->cur, slot);
            go_forward(s);
        } else {
            go_forward(s);
            if (slot < s->answered_words * 64)
                take_if_idle(s, slot);
        }
    }
    return true;
}

static void make_key(struct lin_search *s, size_t event, fore_val state,
                     const uint64_t *mask)
{
    s->key[0] = event + 1;
    s->key[1] = state.w;
    memcpy(s->key + 2, mask, s->words * sizeof *mask);
}

/* Was the current configuration, or one that can do all that it can, left without success?
 * Configurations on the way here cannot recur: time only goes on. */
static bool is_hopeless(struct lin_search *s)
{
    struct fore_rows *t = &s->seen;
    size_t hashed = 2 + s->answered_words, pending = s->words - s->answered_words;
    if (!t->n)
        return false;
    make_key(s, s->event, s->state, s->cur);
    for (size_t at = fore_rows_slot(t, s->key, hashed);; at = (at + 1) & t->mask) {
        const uint64_t *row = t->rows + at * t->width;
        if (!row[0])
            return false;
        if (memcmp(row, s->key, hashed * sizeof *row) == 0 &&
            fore_bits_subset(row + hashed, s->key + hashed, pending))
            return true;
    }
}

/* Notes that the configuration of frame `f` leads nowhere. */
static void give_up(struct lin_search *s, const struct search_frame *f,
                    const uint64_t *mask)
{
    struct fore_rows *t = &s->seen;
    size_t hashed = 2 + s->answered_words, pending = s->words - s->answered_words;
    bool full = t->rows && t->n * 2 > t->mask && !fore_rows_may_grow(t);
    if (!full && (!t->rows || t->n * 2 > t->mask))
        fore_rows_grow(t, hashed);
    make_key(s, f->event, f->state, mask);
    for (size_t at = fore_rows_slot(t, s->key, hashed);; at = (at + 1) & t->mask) {
        uint64_t *row = t->rows + at * t->width;
        if (full && !row[0] && t->n >= t->mask / 4 * 3)
            return; /* some rows stay free, so that looking ends */
        if (!row[0] || full) {
            t->n += !row[0];
            memcpy(row, s->key, t->width * sizeof *row);
            return;
        }
        if (memcmp(row, s->key, hashed * sizeof *row) == 0 &&
            fore_bits_subset(s->key + hashed, row + hashed, pending)) {
            memcpy(row + hashed, s->key + hashed, pending * sizeof *row);
            return;
        }
    }
}

static const char *over_limits(struct lin_search *s)
{
    struct fore_limits *l = s->limits;
    if (l->max_configs && s->out->configs > l->max_configs)
        return "configurations";
    if (l->failing && atomic_load_explicit(l->failing, memory_order_relaxed) < l->index)
        return "another part";
    if (s->out->configs % LOOK_AT_STATES == 0 &&
        fore_vals_bytes(s->part->values) > s->max_value_bytes)
        return "memory";
    return fore_spent_text(fore_budget_spent(&l->budget));
}

/* The responding operation looked at a text that this one cannot grow into, and nothing is
 * open that could replace it. */
static bool has_grown_apart(const struct lin_search *s)
{
    const struct fore_part *p = s->part;
    uint32_t responding = s->events[s->event] >> 1;
    if (!p->model->can_grow || !fore_bit_has(s->idle, responding) ||
        p->model->can_grow(p->values, s->state, &p->ops[responding]))
        return false;
    for (size_t w = 0; w < s->words; w++)
        for (uint64_t rest = s->open[w] & ~s->cur[w]; rest; rest &= rest - 1) {
            uint32_t op = s->in_slot[w * 64 + (size_t)__builtin_ctzll(rest)];
            enum fore_role role = p->model->ops[p->ops[op].f].role;
            if (role != FORE_ROLE_APPEND && role != FORE_ROLE_LOOK)
                return false;
        }
    return true;
}

/* Makes the current configuration a frame, unless it is known. True at the end. */
static bool enter_configuration(struct lin_search *s)
{
    if (settle_idle(s))
        return true;
    if (s->event >= s->deepest) {
        s->deepest = s->event;
        s->out->stuck = s->events[s->event] >> 1;
    }
    if (has_grown_apart(s) || is_hopeless(s))
        return false;
    s->out->configs++;
    fore_vec_push(&s->mem->frames, (struct search_frame){(uint32_t)s->event, 0,
                                                         s->mem->order.n, s->state});
    if (s->words)
        memcpy(fore_vec_extend(&s->mem->masks, s->words), s->cur,
               s->words * sizeof *s->cur);
    return false;
}

/* Back to the configuration of the top frame. */
static void restore_state(struct lin_search *s)
{
    const struct search_frame *f = &fore_vec_last(&s->mem->frames);
    back_to(s, f->event);
    s->state = f->state;
    s->mem->order.n = f->n_order;
    if (s->words)
        memcpy(s->cur, s->mem->masks.at + s->mem->masks.n - s->words,
               s->words * sizeof *s->cur);
}

/* Is an operation open that is like this one and answers earlier? */
static bool is_overtaken(const struct lin_search *s, uint32_t slot)
{
    uint32_t op = s->in_slot[slot], kind = s->kind[op], ret = s->part->ops[op].ret;
    for (size_t w = 0; w < s->answered_words; w++)
        for (uint64_t rest = s->open[w] & ~s->cur[w]; rest; rest &= rest - 1) {
            uint32_t other = s->in_slot[w * 64 + (size_t)__builtin_ctzll(rest)];
            if (s->kind[other] == kind && s->part->ops[other].ret < ret)
                return true;
        }
    return false;
}

/* May the operation in this slot take effect now, and does it make sense? */
static bool is_eligible(struct lin_search *s, uint32_t slot, fore_val *next)
{
    bool pending = slot >= s->answered_words * 64;
    uint32_t due = s->events[s->event] >> 1;
    const struct fore_part *p = s->part;
    if (p->model->helps && s->in_slot[slot] != due &&
        !p->model->helps(p->values, s->state, &p->ops[due], &p->ops[s->in_slot[slot]]))
        return false;
    if (pending && s->alike[slot] != NONE && !fore_bit_has(s->cur, s->alike[slot]))
        return false;
    if (!pending && is_overtaken(s, slot))
        return false;
    return step_model(s, s->in_slot[slot], next) &&
           !(pending && fore_val_is(*next, s->state));
}

/* The next slot to try at the top frame, or NONE. The responding operation comes first.
 */
static uint32_t next_candidate(struct lin_search *s, struct search_frame *f)
{
    uint32_t responding = s->slot[s->events[f->event] >> 1];
    if (f->next == 0) {
        f->next = 1;
        return responding;
    }
    size_t at = f->next - 1, end = s->words * 64;
    for (size_t w = at / 64; w < s->words; w++) {
        uint64_t rest = s->open[w] & ~s->cur[w];
        if (w == at / 64)
            rest &= ~(uint64_t)0 << (at % 64);
        if (w == responding / 64)
            rest &= ~((uint64_t)1 << (responding % 64));
        if (!rest)
            continue;
        uint32_t slot = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(rest));
        f->next = slot + 2;
        return slot;
    }
    f->next = (uint32_t)end + 1;
    return NONE;
}

/* One step of the depth-first search; true at the end of the history. */
static bool advance_search(struct lin_search *s)
{
    struct search_frame *f = &fore_vec_last(&s->mem->frames);
    restore_state(s);
    for (;;) {
        fore_val next;
        uint32_t slot = next_candidate(s, f);
        if (slot == NONE) {
            s->mem->masks.n -= s->words;
            give_up(s, f, s->mem->masks.at + s->mem->masks.n);
            s->mem->frames.n--;
            return false;
        }
        if (!is_eligible(s, slot, &next))
            continue;
        fore_bit_add(s->cur, slot);
        fore_vec_push(&s->mem->order, s->in_slot[slot]);
        s->state = next;
        return enter_configuration(s);
    }
}

static void search_release(struct lin_search *s)
{
    fore_free(s->seen.rows);
}

static void search_init(struct lin_search *s)
{
    FORE_BUG_IF(s->part->n >= UINT32_MAX / 2);
    fore_vec_clear(&s->mem->frames);
    fore_vec_clear(&s->mem->masks);
    fore_vec_clear(&s->mem->order);
    *s->out = (struct fore_search_outcome){.verdict = FORE_LIN_NO,
                                           .stuck = (uint32_t)s->part->n};
    size_t max_bytes = s->limits->max_bytes ? s->limits->max_bytes : MAX_BYTES;
    s->seen.max_bytes = max_bytes / 4;
    s->max_value_bytes = fore_vals_bytes(s->part->values) + max_bytes / 2;
    mark_idle(s);
    sort_events(s);
    number_slots(s);
    number_kinds(s);
}

void fore_searcher_run(struct fore_searcher *m, const struct fore_part *part,
                       struct fore_limits *limits, struct fore_search_outcome *out)
{
    struct lin_search s = {
        .part = part, .limits = limits, .out = out, .state = part->init};
    s.mem = m;
    search_init(&s);
    bool done = enter_configuration(&s);
    while (!done && m->frames.n && !out->bound) {
        done = advance_search(&s);
        out->bound = over_limits(&s);
    }
    if (done) {
        out->verdict = FORE_LIN_YES;
        out->stuck = (uint32_t)part->n;
        out->bound = NULL;
        if (m->order.n)
            memcpy(fore_vec_extend(&out->order, m->order.n), m->order.at,
                   m->order.n * sizeof *m->order.at);
    } else if (out->bound) {
        out->verdict = FORE_LIN_UNKNOWN;
    }
    search_release(&s);
}

void fore_search(const struct fore_part *part, struct fore_limits *limits,
                 struct fore_search_outcome *out)
{
    struct fore_searcher *m = fore_searcher_new();
    fore_searcher_run(m, part, limits, out);
    fore_searcher_free(m);
}

static void add_state(struct fore_states *states, fore_val v)
{
    for (size_t i = 0; i < states->v.n; i++)
        if (fore_val_is(states->v.at[i], v))
            return;
    fore_vec_push(&states->v, v);
}

bool fore_search_states(const struct fore_part *part, struct fore_limits *limits,
                        struct fore_states *states)
{
    struct fore_search_outcome out;
    struct lin_search s = {
        .part = part, .limits = limits, .out = &out, .state = part->init};
    s.mem = fore_searcher_new();
    search_init(&s);
    bool done = enter_configuration(&s);
    for (;;) {
        if (done)
            add_state(states, s.state);
        if (!s.mem->frames.n || out.bound)
            break;
        done = advance_search(&s);
        out.bound = over_limits(&s);
    }
    bool all = !out.bound;
    search_release(&s);
    fore_searcher_free(s.mem);
    fore_outcome_release(&out);
    return all;
}
