#include "causal/settle.h"

#include "base/hash.h"

#include <stdlib.h>

/* Held events wait in queues: that of their thread, of each object they use, of the message
 * they carry. One may go when it is the first of all its queues and, if it is half of a
 * communication, its partner may go too. So everything is looked at a bounded number of
 * times, however long it is held. */

enum { MAX_KEYS = 3 };

struct fore_held {
    struct fore_event event;
    uint64_t at;
    uint64_t key[MAX_KEYS];
    uint32_t next[MAX_KEYS]; /* behind this one in the queue of that key */
    uint32_t keys, waits;    /* waits: in how many queues it is not the first */
    uint32_t partner;
    bool half, live;
};

struct fore_settle_barrier {
    uint64_t round;
    uint64_t arrived;
    FORE_VEC(uint32_t) waiting; /* held departures */
};

enum key_space { KEY_THREAD = 1, KEY_OBJECT, KEY_MESSAGE };

static uint64_t key(enum key_space space, uint64_t id)
{
    return (uint64_t)space << 60 | (id & (UINT64_MAX >> 4));
}

/* What must be passed in the observed order. Halves of communications are free of their
 * channel, since their partner is what they wait for. Arrivals at a barrier make its rounds. */
static uint32_t keys_of(const struct fore_tables *t, const struct fore_event *e,
                        uint64_t out[MAX_KEYS])
{
    uint32_t n = 0;
    out[n++] = key(KEY_THREAD, e->thread);
    if (e->kind == FORE_EV_BARRIER) {
        out[n++] = key(KEY_OBJECT, e->object);
        return n;
    }
    if (e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE || fore_is_half(t, e))
        return n;
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
    case FORE_EV_JOIN:
        if (e->a != e->thread)
            out[n++] = key(KEY_THREAD, e->a);
        return n;
    case FORE_EV_ASEND:
    case FORE_EV_ARECV:
        out[n++] = key(KEY_MESSAGE, e->a);
        return n;
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        out[n++] = key(KEY_OBJECT, e->a);
        break;
    default:
        break;
    }
    if (e->object)
        out[n++] = key(KEY_OBJECT, e->object);
    return n;
}

void fore_settle_init(struct fore_settle *s,
                      enum fore_flow (*out)(void *ctx, const struct fore_settled *s),
                      void *ctx)
{
    *s = (struct fore_settle){.out = out, .ctx = ctx};
    fore_vec_ensure(&s->held, 1);
    fore_vec_ensure(&s->barriers, 1);
}

void fore_settle_release(struct fore_settle *s)
{
    for (size_t i = 0; i < s->barriers.n; i++)
        fore_vec_release(&s->barriers.at[i].waiting);
    fore_vec_release(&s->held);
    fore_vec_release(&s->spare);
    fore_vec_release(&s->ready);
    fore_vec_release(&s->cases);
    fore_vec_release(&s->barriers);
    fore_map_release(&s->queues);
    fore_map_release(&s->halves);
    fore_map_release(&s->arrivals);
    fore_map_release(&s->barrier_of);
}

static void emit(struct fore_settle *s, const struct fore_event *e,
                 const struct fore_case *cases, uint64_t at)
{
    if (s->flow == FORE_CONTINUE)
        s->flow = s->out(s->ctx, &(struct fore_settled){e, cases, at});
}

static struct fore_settle_barrier *barrier_of(struct fore_settle *s, uint32_t object)
{
    bool fresh;
    uint64_t *i = fore_map_put(&s->barrier_of, object, &fresh);
    if (fresh) {
        *i = s->barriers.n;
        fore_vec_ensure(&s->barriers, s->barriers.n + 1);
    }
    return &s->barriers.at[*i];
}

/* The thread has come to the barrier; the last one opens it for this round. */
static void arrive(struct fore_settle *s, const struct fore_event *e)
{
    struct fore_settle_barrier *b = barrier_of(s, e->object);
    *fore_map_put(&s->arrivals, e->thread, NULL) = b->round;
    if (++b->arrived < e->a)
        return;
    b->round++;
    b->arrived = 0;
    for (size_t i = 0; i < b->waiting.n; i++)
        fore_vec_push(&s->ready, b->waiting.at[i]);
    fore_vec_clear(&b->waiting);
}

/* Queues are values of a map: the first and the last slot. */
static void enqueue(struct fore_settle *s, uint32_t slot, uint32_t k)
{
    bool fresh;
    struct fore_held *h = &s->held.at[slot];
    uint64_t *q = fore_map_put(&s->queues, h->key[k], &fresh);
    if (fresh) {
        *q = (uint64_t)slot << 32 | slot;
        return;
    }
    struct fore_held *last = &s->held.at[(uint32_t)*q];
    for (uint32_t i = 0; i < last->keys; i++)
        if (last->key[i] == h->key[k])
            last->next[i] = slot;
    *q = (*q & ~(uint64_t)UINT32_MAX) | slot;
    h->waits++;
}

static void dequeue(struct fore_settle *s, uint32_t slot, uint32_t k)
{
    struct fore_held *h = &s->held.at[slot];
    uint64_t *q = fore_map_get(&s->queues, h->key[k]);
    uint32_t next = h->next[k];
    if (!next) {
        fore_map_remove(&s->queues, h->key[k]);
        return;
    }
    *q = (uint64_t)next << 32 | (uint32_t)*q;
    if (--s->held.at[next].waits == 0)
        fore_vec_push(&s->ready, next);
}

/* May the thread leave the barrier? If not, slot waits for the others, and no longer in the
 * barrier's queue, where they come from. */
static bool departs(struct fore_settle *s, uint32_t slot)
{
    const struct fore_event *e = &s->held.at[slot].event;
    if (!fore_map_get(&s->arrivals, e->thread))
        arrive(s, e);
    struct fore_settle_barrier *b = barrier_of(s, e->object);
    if (*fore_map_get(&s->arrivals, e->thread) < b->round) {
        fore_map_remove(&s->arrivals, e->thread);
        return true;
    }
    fore_vec_push(&b->waiting, slot);
    if (s->held.at[slot].keys == 2)
        dequeue(s, slot, --s->held.at[slot].keys);
    return false;
}

static void let_go(struct fore_settle *s, uint32_t slot)
{
    struct fore_held *h = &s->held.at[slot];
    emit(s, &h->event, s->cases.at, h->at);
    for (uint32_t k = 0; k < h->keys; k++)
        dequeue(s, slot, k);
    h->live = false;
    s->count--;
    fore_vec_push(&s->spare, slot);
    if (h->event.kind == FORE_EV_BARRIER && h->event.flags & FORE_F_PRE)
        arrive(s, &h->event);
}

static void consider(struct fore_settle *s, uint32_t slot)
{
    struct fore_held *h = &s->held.at[slot];
    if (!h->live || h->waits)
        return;
    if (h->half) {
        struct fore_held *p = &s->held.at[h->partner];
        if (!h->partner || p->waits)
            return;
        bool send = h->event.kind == FORE_EV_SEND;
        uint32_t other = h->partner;
        let_go(s, send ? slot : other);
        let_go(s, send ? other : slot);
        return;
    }
    if (h->event.kind == FORE_EV_BARRIER && !(h->event.flags & FORE_F_PRE) &&
        !departs(s, slot))
        return;
    let_go(s, slot);
}

/* In turn, so that those who were waiting for one thing come out one after the other. */
static void drain(struct fore_settle *s)
{
    for (size_t i = 0; i < s->ready.n; i++)
        consider(s, s->ready.at[i]);
    fore_vec_clear(&s->ready);
    if (!s->count)
        fore_vec_clear(&s->cases);
}

static void find_partner(struct fore_settle *s, uint32_t slot)
{
    struct fore_held *h = &s->held.at[slot];
    bool send = h->event.kind == FORE_EV_SEND, fresh;
    uint64_t sender = send ? h->event.thread : h->event.a;
    uint64_t k = send ? h->event.a : h->event.b;
    uint64_t id = fore_hash_mix(sender << 32 | h->event.object, k);
    uint64_t *half = fore_map_put(&s->halves, id, &fresh);
    struct fore_held *other = fresh ? NULL : &s->held.at[*half];
    if (other && fore_is_pair(send ? &h->event : &other->event,
                              send ? &other->event : &h->event)) {
        h->partner = (uint32_t)*half;
        other->partner = slot;
        fore_map_remove(&s->halves, id);
    } else if (fresh) {
        *half = slot;
    }
}

static void hold(struct fore_settle *s, const struct fore_batch *b,
                 const struct fore_event *e, const uint64_t *keys, uint32_t n)
{
    uint32_t slot = s->spare.n ? fore_vec_pop(&s->spare) : (uint32_t)s->held.n;
    fore_vec_ensure(&s->held, (size_t)slot + 1);
    struct fore_held *h = &s->held.at[slot];
    *h = (struct fore_held){.event = *e, .at = s->at, .keys = n, .live = true};
    if (e->flags & FORE_F_CASES) {
        h->event.a = s->cases.n;
        size_t cases = (size_t)e->b;
        memcpy(fore_vec_extend(&s->cases, cases), b->cases + e->a,
               cases * sizeof *b->cases);
    }
    s->count++;
    for (uint32_t k = 0; k < n; k++) {
        h->key[k] = keys[k];
        enqueue(s, slot, k);
    }
    h->half = fore_is_half(b->tables, e);
    if (h->half)
        find_partner(s, slot);
    fore_vec_push(&s->ready, slot);
    drain(s);
}

/* One event, with whatever it lets go. */
static void take(struct fore_settle *s, const struct fore_batch *b,
                 const struct fore_event *e)
{
    uint64_t keys[MAX_KEYS];
    uint32_t n = keys_of(b->tables, e, keys);
    bool free_to_go =
        !fore_is_half(b->tables, e) && (e->kind != FORE_EV_BARRIER || !e->a);
    for (uint32_t k = 0; k < n && free_to_go; k++)
        free_to_go = !fore_map_get(&s->queues, keys[k]);
    if (free_to_go)
        emit(s, e, b->cases, s->at);
    else
        hold(s, b, e, keys, n);
}

enum fore_flow fore_settle_push(struct fore_settle *s, const struct fore_batch *b)
{
    for (size_t i = 0; i < b->n && s->flow == FORE_CONTINUE; i++, s->at++) {
        const struct fore_event *e = &b->events[i], *f = e + 1;
        bool half = fore_is_half(b->tables, e);
        if (!s->count && !half && e->kind != FORE_EV_BARRIER) {
            emit(s, e, b->cases, s->at);
        } else if (!s->count && half && i + 1 < b->n &&
                   (fore_is_pair(e, f) || fore_is_pair(f, e))) {
            bool send = e->kind == FORE_EV_SEND;
            emit(s, send ? e : f, b->cases, s->at + !send);
            emit(s, send ? f : e, b->cases, s->at + send);
            i++, s->at++;
        } else {
            take(s, b, e);
        }
    }
    return s->flow;
}

struct position {
    uint64_t at;
    uint32_t slot;
};

static int by_position(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The earliest of those held is the first of all its queues: only a partner or a barrier can
 * hold it, and neither will come any more. */
enum fore_flow fore_settle_end(struct fore_settle *s)
{
    FORE_VEC(struct position) left = {0};
    for (uint32_t i = 1; i < s->held.n; i++)
        if (s->held.at[i].live)
            fore_vec_push(&left, (struct position){s->held.at[i].at, i});
    if (left.n)
        qsort(left.at, left.n, sizeof *left.at, by_position);
    for (size_t i = 0; i < left.n; i++) {
        struct fore_held *h = &s->held.at[left.at[i].slot];
        if (!h->live)
            continue;
        if (h->partner)
            s->held.at[h->partner].partner = 0;
        let_go(s, left.at[i].slot);
        drain(s);
    }
    fore_vec_release(&left);
    return s->flow;
}
