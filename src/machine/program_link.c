/* Finds which operation got what from which other one: the partner of a message, the write that
 * a read saw, the signal that woke a wait, and so on. Goes through the events in the order of
 * the trace. */
#include "machine/program_link.h"

#include "base/hash.h"

static uint64_t message_key(const struct fore_program *p, const struct fore_event *e)
{
    uint64_t h = fore_hash_u64((uint64_t)e->object << 32); /* never like a number's */
    if (fore_chan_capacity(p, e->object))
        return fore_hash_mix(h, e->a);
    bool send = e->kind == FORE_EV_SEND;
    h = fore_hash_mix(h, send ? e->thread : e->a);
    return fore_hash_mix(h, send ? e->a : e->b);
}

static void couple_operations(struct fore_program *p, uint32_t a, uint32_t b)
{
    p->ops[a].link = b;
    p->ops[b].link = a;
}

/* Is `e` the receive of this send? */
static bool is_receive_of(const struct fore_builder *b, const struct fore_event *e,
                          uint32_t send)
{
    const struct fore_event *s = fore_insn_event(b->p, send);
    return fore_chan_capacity(b->p, e->object) ? s->a == e->a
                                               : s->thread == e->a && s->a == e->b;
}

static void link_send(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    struct fore_builder_sent *x = &b->sent[e->object];
    uint64_t key = b->early ? message_key(b->p, e) : 0;
    uint64_t *other = b->early ? fore_map_get(&b->open, key) : NULL;
    if (other && b->p->ops[*other].kind == FORE_EV_RECV) {
        couple_operations(b->p, op, (uint32_t)*other);
        fore_map_remove(&b->open, key);
        b->early--;
        return;
    }
    if (x->first == FORE_NO_OP)
        x->first = op;
    else
        b->p->ops[x->last].link = op;
    x->last = op;
}

/* Nearly always messages are received in the order in which they were sent. If not, all go to
 * `open`. */
static void link_receive(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    struct fore_builder_sent *x = &b->sent[e->object];
    uint32_t send = x->first;
    if (send != FORE_NO_OP && is_receive_of(b, e, send)) {
        x->first = b->p->ops[send].link;
        couple_operations(b->p, op, send);
        return;
    }
    bool fresh;
    while (x->first != FORE_NO_OP) {
        send = x->first;
        x->first = b->p->ops[send].link;
        b->p->ops[send].link = FORE_NO_OP;
        uint64_t *at = fore_map_put(
            &b->open, message_key(b->p, fore_insn_event(b->p, send)), &fresh);
        if (fresh)
            *at = send;
    }
    uint64_t key = message_key(b->p, e), *other = fore_map_put(&b->open, key, &fresh);
    if (fresh) {
        *other = op;
        b->early++;
    } else if (b->p->ops[*other].kind == FORE_EV_SEND) {
        couple_operations(b->p, op, (uint32_t)*other);
        fore_map_remove(&b->open, key);
    }
}

static void link_message(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    if (e->flags & FORE_F_CLOSED || !e->object)
        return;
    if (e->kind == FORE_EV_SEND)
        link_send(b, e, op);
    else
        link_receive(b, e, op);
}

/* Messages still under way get no other side. Were there any? */
bool fore_builder_unlink_sent(struct fore_builder *b)
{
    bool any = b->open.n != 0;
    for (uint32_t x = 1; x <= b->p->objects; x++)
        for (uint32_t op = b->sent[x].first, next; op != FORE_NO_OP; op = next) {
            next = b->p->ops[op].link;
            b->p->ops[op].link = FORE_NO_OP;
            any = true;
        }
    return any;
}

static void link_memory(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    if (e->kind != FORE_EV_WRITE && b->writer[e->object])
        b->p->ops[op].link = b->writer[e->object] - 1;
    if (e->kind != FORE_EV_READ)
        b->writer[e->object] = op + 1;
}

/* An attempt that found the lock taken is linked to the latest acquisition. */
static void link_lock(struct fore_builder *b, uint32_t lock, uint32_t op)
{
    uint32_t *last = &b->writer[lock];
    if (!(b->p->ops[op].flags & FORE_F_BUSY))
        *last = op + 1;
    else if (*last)
        b->p->ops[op].link = *last - 1;
}

static void link_semaphore(struct fore_builder *b, const struct fore_event *e)
{
    enum { MOST_UNITS = 64 }; /* how many parts of one operation are told apart */
    if (e->kind == FORE_EV_RELEASE)
        b->p->puts[e->object] += (uint32_t)(e->a < MOST_UNITS ? e->a : MOST_UNITS);
    int64_t *n = &b->count[e->object], by = (int64_t)e->a;
    *n += e->kind == FORE_EV_RELEASE ? by : -by;
    const struct fore_object *o = &b->t->tables.objects.at[e->object];
    if (o->init.type != FORE_VALUE_INT && -*n > b->p->initial[e->object])
        b->p->initial[e->object] = -*n;
}

/* A thread that runs a once holds a lock until the function has returned: the lock that it gives back
 * right before the event. */
static void link_once(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    const struct fore_insn *ran = &b->p->ops[op], *before = ran - 1;
    if (!(e->flags & FORE_F_BUSY) && op > b->p->first[e->thread] && ran->where &&
        before->kind == FORE_EV_UNLOCK && before->where == ran->where)
        b->p->initial[e->object] = before->object;
}

/* The firings of a timer come one after the other, each with its actions: a tick is sent before
 * the next firing. */
static void link_timer(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    uint32_t *last = &b->writer[e->object];
    if (e->kind == FORE_EV_FIRE && *last) {
        const struct fore_event *before = fore_insn_event(b->p, *last - 1);
        bool fired = before->kind == FORE_EV_FIRE && before->thread != e->thread;
        b->p->ops[op].link = fired ? b->at[before->thread].next - 1 : *last - 1;
    }
    *last = op + 1;
}

/* What goes to one thing and what comes from it keep their order. */
static void link_outside(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    uint32_t *last = &b->writer[b->one_outside ? 0 : e->object];
    b->p->ops[op].link = *last ? *last - 1 : FORE_NO_OP;
    *last = op + 1;
}

static enum fore_status link_creation(struct fore_builder *b, const struct fore_event *e,
                                      uint32_t op, struct fore_err *err)
{
    if (!e->a || e->a > b->p->threads)
        return fore_builder_contradiction(b, e, "there is no such thread", err);
    if (b->p->gate[e->a] != FORE_NO_OP)
        return fore_builder_contradiction(b, e, "the thread was created before", err);
    b->p->gate[e->a] = op;
    return FORE_OK;
}

enum fore_status fore_builder_link(struct fore_builder *b, uint32_t op,
                                   struct fore_err *err)
{
    const struct fore_event *e = fore_insn_event(b->p, op);
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        return link_creation(b, e, op, err);
    case FORE_EV_SEND:
    case FORE_EV_RECV:
        link_message(b, e, op);
        break;
    case FORE_EV_READ:
    case FORE_EV_WRITE:
    case FORE_EV_RMW:
        link_memory(b, e, op);
        break;
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        link_lock(b, e->object, op);
        break;
    case FORE_EV_CWAIT:
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
    case FORE_EV_CWOKEN:
        fore_builder_link_condition(b, e, op);
        if (e->kind == FORE_EV_CWOKEN)
            link_lock(b, (uint32_t)e->a, op);
        break;
    case FORE_EV_ACQUIRE:
    case FORE_EV_RELEASE:
        link_semaphore(b, e);
        break;
    case FORE_EV_ONCE:
        link_once(b, e, op);
        break;
    case FORE_EV_ARM:
    case FORE_EV_FIRE:
        link_timer(b, e, op);
        break;
    case FORE_EV_IN:
    case FORE_EV_OUT:
        link_outside(b, e, op);
        break;
    case FORE_EV_ASEND:
        *fore_map_put(&b->open, fore_hash_mix(1, e->a), NULL) = op;
        break;
    case FORE_EV_ARECV: {
        uint64_t *from = fore_map_get(&b->open, fore_hash_mix(1, e->a));
        b->p->ops[op].link = from ? (uint32_t)*from : FORE_NO_OP;
        break;
    }
    default:
        break;
    }
    return FORE_OK;
}
