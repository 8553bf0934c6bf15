#include "causal/settle.h"

#include "base/hash.h"

#include <stdlib.h>

/* Held events wait in queues: that of their thread, and of each object they use. A held event
 * may go when it is the first of all its queues, what it needs has happened and, if it is half
 * of a communication, its partner may go, too. So every event is looked at a bounded number of
 * times, however long it is held. */

enum { MAX_KEYS = 3 };

struct fore_held {
    struct fore_event event;
    uint64_t at;
    uint64_t key[MAX_KEYS];
    uint32_t next[MAX_KEYS]; /* the next event in the queue of that key */
    uint32_t keys, waits;    /* the number of queues in which it is not the first */
    uint32_t partner;
    uint32_t needs_too; /* another that needs the same */
    bool half, live;
    bool early; /* a join that came before the first event of the thread */
};

struct fore_settle_barrier {
    uint64_t round;
    uint64_t arrived;
    FORE_VEC(uint32_t) waiting; /* held departures */
};

struct fore_settle_object {
    uint64_t sent, received; /* of a buffered channel */
    /* Messages are numbered in the order of sending, which is mostly that of receiving: those
     * above `taken`, up to `put`, are on their way; exceptions are in the map. */
    uint64_t put, taken;
    int64_t count;    /* of a wait group */
    uint32_t barrier; /* 0: is none */
    bool closed;
};

enum thread_facts {
    THREAD_CREATED = 1,
    THREAD_SEEN = 2,
    THREAD_ENDED = 4,
    THREAD_PROMISED = 8, /* the event that creates it is held */
};

/* Keys of queues, and names of the facts that events need. */
enum key_space {
    KEY_THREAD = 1,
    KEY_OBJECT,
    KEY_RECEIVES, /* of a buffered channel */
    NEED_CREATED,
    NEED_ENDED,
    NEED_ROOM,
    NEED_MESSAGE,
    NEED_CLOSED,
    NEED_MAIL,
    NEED_DONE,
};

static uint64_t need_key(enum key_space space, uint64_t id)
{
    return (uint64_t)space << 60 | (id & (UINT64_MAX >> 4));
}

static uint64_t message_key(uint32_t chan, uint64_t number)
{
    return need_key(NEED_MESSAGE, fore_hash_mix(chan, number));
}

static uint8_t *thread_facts(struct fore_settle *s, uint64_t thread)
{
    fore_vec_ensure(&s->threads, (size_t)thread + 1);
    return &s->threads.at[thread];
}

static struct fore_settle_object *settle_object_of(struct fore_settle *s, uint32_t id)
{
    fore_vec_ensure(&s->objects, (size_t)id + 1);
    return &s->objects.at[id];
}

/* ---- messages in buffers ---- */

static bool is_in_line(const struct fore_settle_object *o, uint64_t number)
{
    return number > o->taken && number <= o->put;
}

static bool is_on_its_way(struct fore_settle *s, uint32_t chan, uint64_t number)
{
    return is_in_line(settle_object_of(s, chan), number) ||
           fore_map_get(&s->transit, message_key(chan, number));
}

static void send_off(struct fore_settle *s, uint32_t chan, uint64_t number)
{
    struct fore_settle_object *o = settle_object_of(s, chan);
    if (number == o->put + 1)
        o->put++;
    else if (!is_in_line(o, number))
        fore_map_put(&s->transit, message_key(chan, number), NULL);
}

/* Takes a message off its channel; the messages that it overtakes are in the map from then on. */
static void take_off(struct fore_settle *s, uint32_t chan, uint64_t number)
{
    struct fore_settle_object *o = settle_object_of(s, chan);
    if (!is_in_line(o, number)) {
        fore_map_remove(&s->transit, message_key(chan, number));
        return;
    }
    while (++o->taken < number)
        fore_map_put(&s->transit, message_key(chan, o->taken), NULL);
}

static bool is_buffered(const struct fore_tables *t, const struct fore_event *e)
{
    return (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) &&
           !(e->flags & FORE_F_CLOSED) && t->objects.at[e->object].capacity;
}

/* Which queues the event must pass in the observed order. An event that waits for others does
 * not hold them up: halves of communications are not in their channel's queue, nor is a join in
 * that of a thread that has not begun. Arrivals at a barrier make up its rounds. */
static uint32_t keys_of(struct fore_settle *s, const struct fore_tables *t,
                        const struct fore_event *e, uint64_t out[MAX_KEYS])
{
    uint32_t n = 0;
    bool pre = e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
    out[n++] = need_key(KEY_THREAD, e->thread);
    if (e->kind == FORE_EV_BARRIER) {
        out[n++] = need_key(KEY_OBJECT, e->object);
        return n;
    }
    if (pre || fore_is_half(t, e) || e->flags & FORE_F_CLOSED)
        return n;
    switch (fore_kind_group(e->kind)) {
    case FORE_GROUP_THREAD:
        if (e->kind == FORE_EV_JOIN && e->a != e->thread &&
            *thread_facts(s, e->a) & THREAD_SEEN)
            out[n++] = need_key(KEY_THREAD, e->a);
        return n;
    case FORE_GROUP_ACTOR:
    case FORE_GROUP_OPERATION:
        return n;
    case FORE_GROUP_OUTSIDE:
        if (e->kind != FORE_EV_USE)
            out[n++] = need_key(KEY_OBJECT, e->object);
        return n;
    case FORE_GROUP_CHANNEL:
        out[n++] =
            need_key(e->kind == FORE_EV_RECV ? KEY_RECEIVES : KEY_OBJECT, e->object);
        return n;
    default:
        break;
    }
    if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
        out[n++] = need_key(KEY_OBJECT, e->a);
    if (e->object)
        out[n++] = need_key(KEY_OBJECT, e->object);
    return n;
}

static uint64_t channel_needs(struct fore_settle *s, const struct fore_tables *t,
                              const struct fore_event *e)
{
    struct fore_settle_object *o = settle_object_of(s, e->object);
    if (e->flags & FORE_F_CLOSED)
        return o->closed ? 0 : need_key(NEED_CLOSED, e->object);
    if (!is_buffered(t, e))
        return 0;
    if (e->kind == FORE_EV_SEND)
        return o->sent < o->received + t->objects.at[e->object].capacity
                   ? 0
                   : need_key(NEED_ROOM, e->object);
    return is_on_its_way(s, e->object, e->a) ? 0 : message_key(e->object, e->a);
}

/* The fact that the event needs and that has not happened yet; 0 if there is none. */
static uint64_t first_need(struct fore_settle *s, const struct fore_tables *t,
                           const struct fore_event *e)
{
    uint8_t facts = *thread_facts(s, e->thread);
    if (!(facts & (THREAD_SEEN | THREAD_CREATED)) &&
        (e->kind == FORE_EV_WAIT || facts & THREAD_PROMISED ||
         t->threads.at[e->thread].parent))
        return need_key(NEED_CREATED, e->thread);
    if (e->flags & FORE_F_PRE)
        return 0;
    switch (e->kind) {
    case FORE_EV_JOIN:
        return *thread_facts(s, e->a) & (THREAD_SEEN | THREAD_ENDED)
                   ? 0
                   : need_key(NEED_ENDED, e->a);
    case FORE_EV_SEND:
    case FORE_EV_RECV:
    case FORE_EV_CLOSE:
        return channel_needs(s, t, e);
    case FORE_EV_ARECV:
        return fore_map_get(&s->transit, need_key(NEED_MAIL, e->a))
                   ? 0
                   : need_key(NEED_MAIL, e->a);
    case FORE_EV_WGWAIT:
        return settle_object_of(s, e->object)->count > 0 ? need_key(NEED_DONE, e->object)
                                                         : 0;
    default:
        return 0;
    }
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
    fore_vec_release(&s->objects);
    fore_vec_release(&s->threads);
    fore_map_release(&s->queues);
    fore_map_release(&s->needs);
    fore_map_release(&s->halves);
    fore_map_release(&s->arrivals);
    fore_map_release(&s->transit);
}

/* Called when a fact has happened: the events that need it are tried again. */
static void retry_waiters_for(struct fore_settle *s, uint64_t what)
{
    uint64_t *last = s->needs.n ? fore_map_get(&s->needs, what) : NULL;
    if (!last)
        return;
    uint32_t slot = (uint32_t)*last;
    fore_map_remove(&s->needs, what);
    for (; slot; slot = s->held.at[slot].needs_too)
        fore_vec_push(&s->ready, slot);
}

static void message_facts(struct fore_settle *s, const struct fore_event *e)
{
    struct fore_settle_object *o = settle_object_of(s, e->object);
    if (e->kind == FORE_EV_SEND) {
        o->sent++;
        send_off(s, e->object, e->a);
        if (s->needs.n)
            retry_waiters_for(s, message_key(e->object, e->a));
    } else {
        o->received++;
        take_off(s, e->object, e->a);
        retry_waiters_for(s, need_key(NEED_ROOM, e->object));
    }
}

static void group_facts(struct fore_settle *s, const struct fore_event *e)
{
    struct fore_settle_object *o = settle_object_of(s, e->object);
    o->count += e->kind == FORE_EV_WGDONE ? -1 : (int64_t)e->a;
    if (o->count <= 0)
        retry_waiters_for(s, need_key(NEED_DONE, e->object));
}

/* Announces the facts that the event establishes. */
static void note_facts(struct fore_settle *s, const struct fore_event *e)
{
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        *thread_facts(s, e->a) |= THREAD_CREATED;
        retry_waiters_for(s, need_key(NEED_CREATED, e->a));
        break;
    case FORE_EV_END:
    case FORE_EV_EXIT:
    case FORE_EV_PANIC:
        *thread_facts(s, e->thread) |= THREAD_ENDED;
        retry_waiters_for(s, need_key(NEED_ENDED, e->thread));
        break;
    case FORE_EV_CLOSE:
        settle_object_of(s, e->object)->closed = true;
        retry_waiters_for(s, need_key(NEED_CLOSED, e->object));
        break;
    case FORE_EV_ASEND:
        fore_map_put(&s->transit, need_key(NEED_MAIL, e->a), NULL);
        retry_waiters_for(s, need_key(NEED_MAIL, e->a));
        break;
    case FORE_EV_ARECV:
        fore_map_remove(&s->transit, need_key(NEED_MAIL, e->a));
        break;
    case FORE_EV_WGADD:
    case FORE_EV_WGDONE:
        group_facts(s, e);
        break;
    default:
        break;
    }
}

static void emit_settled(struct fore_settle *s, const struct fore_tables *t,
                         const struct fore_event *e, const struct fore_case *cases,
                         uint64_t at)
{
    *thread_facts(s, e->thread) |= THREAD_SEEN;
    if (s->flow == FORE_CONTINUE)
        s->flow = s->out(s->ctx, &(struct fore_settled){e, cases, at});
    if (fore_kind_group(e->kind) == FORE_GROUP_MEMORY)
        return;
    if (is_buffered(t, e))
        message_facts(s, e);
    else
        note_facts(s, e);
}

static struct fore_settle_barrier *barrier_of(struct fore_settle *s, uint32_t id)
{
    struct fore_settle_object *o = settle_object_of(s, id);
    if (!o->barrier) {
        o->barrier = (uint32_t)s->barriers.n;
        fore_vec_ensure(&s->barriers, s->barriers.n + 1);
    }
    return &s->barriers.at[o->barrier];
}

/* The thread has arrived at the barrier; the last arrival opens it for this round. */
static void arrive_at_barrier(struct fore_settle *s, const struct fore_event *e)
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

/* A queue is a value of a map: its first and its last slot. */
static void enqueue_waiter(struct fore_settle *s, uint32_t slot, uint32_t k)
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

static void dequeue_waiter(struct fore_settle *s, uint32_t slot, uint32_t k)
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

/* May the thread leave the barrier? If not, the slot waits for the other arrivals, and leaves
 * the barrier's queue, through which they come. */
static bool may_leave_barrier(struct fore_settle *s, uint32_t slot)
{
    const struct fore_event *e = &s->held.at[slot].event;
    if (!fore_map_get(&s->arrivals, e->thread))
        arrive_at_barrier(s, e);
    struct fore_settle_barrier *b = barrier_of(s, e->object);
    if (*fore_map_get(&s->arrivals, e->thread) < b->round) {
        fore_map_remove(&s->arrivals, e->thread);
        return true;
    }
    fore_vec_push(&b->waiting, slot);
    if (s->held.at[slot].keys == 2)
        dequeue_waiter(s, slot, --s->held.at[slot].keys);
    return false;
}

static void let_go(struct fore_settle *s, uint32_t slot)
{
    struct fore_held *h = &s->held.at[slot];
    emit_settled(s, s->tables, &h->event, s->cases.at, h->at);
    for (uint32_t k = 0; k < h->keys; k++)
        dequeue_waiter(s, slot, k);
    h->live = false;
    s->count--;
    fore_vec_push(&s->spare, slot);
    if (h->event.kind == FORE_EV_BARRIER && h->event.flags & FORE_F_PRE)
        arrive_at_barrier(s, &h->event);
}

/* The event waits until the fact that it needs has happened. A wait for a group leaves the
 * group's queue, since the events that count the group down come through it. */
static void put_off(struct fore_settle *s, uint32_t slot, uint64_t need)
{
    struct fore_held *h = &s->held.at[slot];
    uint64_t *last = fore_map_put(&s->needs, need, NULL);
    if (*last != slot)
        h->needs_too = (uint32_t)*last;
    *last = slot;
    if (h->event.kind == FORE_EV_WGWAIT && h->keys == 2)
        dequeue_waiter(s, slot, --h->keys);
}

static void let_wait_or_queue(struct fore_settle *s, uint32_t slot)
{
    struct fore_held *h = &s->held.at[slot];
    if (!h->live || h->waits)
        return;
    uint64_t need = first_need(s, s->tables, &h->event);
    if (h->early && !(*thread_facts(s, h->event.a) & THREAD_ENDED))
        need = need_key(NEED_ENDED, h->event.a);
    if (need) {
        put_off(s, slot, need);
        return;
    }
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
        !may_leave_barrier(s, slot))
        return;
    let_go(s, slot);
}

/* First in, first out: events that waited for the same fact come out in their order. */
static void drain_ready(struct fore_settle *s)
{
    for (size_t i = 0; i < s->ready.n; i++)
        let_wait_or_queue(s, s->ready.at[i]);
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

static void hold_back_event(struct fore_settle *s, const struct fore_batch *b,
                            const struct fore_event *e, const uint64_t *keys, uint32_t n)
{
    uint32_t slot = s->spare.n ? fore_vec_pop(&s->spare) : (uint32_t)s->held.n;
    fore_vec_ensure(&s->held, (size_t)slot + 1);
    struct fore_held *h = &s->held.at[slot];
    *h = (struct fore_held){.event = *e, .at = s->at, .keys = n, .live = true};
    if (e->flags & FORE_F_CASES) {
        h->event.a = s->cases.n;
        size_t cases = (size_t)e->b;
        if (cases)
            memcpy(fore_vec_extend(&s->cases, cases), b->cases + e->a,
                   cases * sizeof *b->cases);
    }
    s->count++;
    for (uint32_t k = 0; k < n; k++) {
        h->key[k] = keys[k];
        enqueue_waiter(s, slot, k);
    }
    if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
        *thread_facts(s, e->a) |= THREAD_PROMISED;
    h->early = e->kind == FORE_EV_JOIN && !(e->flags & FORE_F_PRE) &&
               !(*thread_facts(s, e->a) & (THREAD_SEEN | THREAD_ENDED));
    h->half = fore_is_half(b->tables, e);
    if (h->half)
        find_partner(s, slot);
    fore_vec_push(&s->ready, slot);
    drain_ready(s);
}

/* Passes one event on, with the events that it lets go. */
static void settle_event(struct fore_settle *s, const struct fore_batch *b,
                         const struct fore_event *e)
{
    uint64_t keys[MAX_KEYS];
    uint32_t n = keys_of(s, b->tables, e, keys);
    bool may_go = !fore_is_half(b->tables, e) && (e->kind != FORE_EV_BARRIER || !e->a);
    for (uint32_t k = 0; s->count && k < n && may_go; k++)
        may_go = !fore_map_get(&s->queues, keys[k]);
    if (!may_go || first_need(s, b->tables, e)) {
        hold_back_event(s, b, e, keys, n);
    } else {
        emit_settled(s, b->tables, e, b->cases, s->at);
        drain_ready(s);
    }
}

/* Passes on two halves that stand side by side, if no event is held and their threads exist. */
static bool side_by_side(struct fore_settle *s, const struct fore_batch *b, size_t i)
{
    const struct fore_event *e = &b->events[i], *f = e + 1;
    return !s->count && i + 1 < b->n && (fore_is_pair(e, f) || fore_is_pair(f, e)) &&
           !first_need(s, b->tables, e) && !first_need(s, b->tables, f);
}

/* Does an event of this kind need nothing except that its thread has begun, and does no other
 * event need it? */
static bool is_simple(unsigned kind)
{
#define K(name) UINT64_C(1) << FORE_EV_##name
    static const uint64_t others =
        K(SIGNAL) | K(SPAWN) | K(END) | K(EXIT) | K(PANIC) | K(JOIN) | K(SEND) | K(RECV) |
        K(CLOSE) | K(ASEND) | K(ARECV) | K(WGADD) | K(WGDONE) | K(WGWAIT) | K(BARRIER);
#undef K
    return !(others >> kind & 1);
}

enum fore_flow fore_settle_push(struct fore_settle *s, const struct fore_batch *b)
{
    s->tables = b->tables;
    for (size_t i = 0; i < b->n && s->flow == FORE_CONTINUE; i++, s->at++) {
        const struct fore_event *e = &b->events[i];
        if (!s->count && is_simple(e->kind) && e->thread < s->threads.n &&
            s->threads.at[e->thread] & THREAD_SEEN) {
            s->flow = s->out(s->ctx, &(struct fore_settled){e, b->cases, s->at});
        } else if (fore_is_half(b->tables, e) && side_by_side(s, b, i)) {
            bool send = e->kind == FORE_EV_SEND;
            emit_settled(s, b->tables, send ? e : e + 1, b->cases, s->at + !send);
            emit_settled(s, b->tables, send ? e + 1 : e, b->cases, s->at + send);
            i++, s->at++;
        } else {
            settle_event(s, b, e);
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

/* The earliest held event is the first of all its queues: only a partner or a barrier can hold
 * it, and neither will come any more. */
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
        drain_ready(s);
    }
    fore_vec_release(&left);
    return s->flow;
}
