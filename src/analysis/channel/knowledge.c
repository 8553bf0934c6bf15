/* Clocks are the trees of causal/clock.h, which share what they have in common. Entries that run backwards are
 * stored as their complement, so that the same join serves; an entry that is absent is then far away. */
#include "analysis/channel/knowledge.h"

/* ---- clocks --------------------------------------------------------------------------------- */

static uint64_t pack_clock(struct fore_clock c)
{
    return (uint64_t)c.levels << 32 | c.root;
}

static struct fore_clock unpack_clock(uint64_t v)
{
    return (struct fore_clock){(uint32_t)v, (uint32_t)(v >> 32)};
}

static uint32_t entry_of(const struct fore_knowledge *k, uint32_t count)
{
    return k->backward ? UINT32_MAX - count : count;
}

/* Joins what `thread` knows at its `count`-th operation into a clock. */
static void join_known(struct fore_knowledge *k, struct fore_clock *to, uint32_t thread,
                       uint32_t count)
{
    fore_clock_join(&k->clocks, to, k->of_thread[thread]);
    if (k->dim[thread] && (count || k->backward))
        fore_clock_raise(&k->clocks, to, k->dim[thread], entry_of(k, count));
}

static void learn_from(struct fore_knowledge *k, uint32_t thread, struct fore_clock from)
{
    fore_clock_join(&k->clocks, &k->of_thread[thread], from);
}

static void leave_message(struct fore_knowledge *k, uint64_t key, uint32_t thread,
                          uint32_t count)
{
    struct fore_clock c = {0, 0};
    join_known(k, &c, thread, count);
    if (c.root)
        *fore_map_put(&k->messages, key, NULL) = pack_clock(c);
}

static void take_message(struct fore_knowledge *k, uint64_t key, uint32_t thread)
{
    uint64_t v;
    if (!fore_map_take(&k->messages, key, &v))
        return;
    struct fore_clock c = unpack_clock(v);
    learn_from(k, thread, c);
    fore_clock_drop(&k->clocks, &c);
}

/* ---- edges ------------------------------------------------------------------------------------ */

enum knowledge_edge { EDGE_NONE, EDGE_GIVES, EDGE_TAKES, EDGE_REPLACES };

/* Does the operation give knowledge to an object, or take it from there? Locks are left out,
 * because the thread that got a lock first might have been second. */
static enum knowledge_edge edge_of(const struct fore_insn *e, bool last_step)
{
    bool closed = e->flags & FORE_F_CLOSED;
    switch (e->kind) {
    case FORE_EV_CLOSE:
        return closed ? EDGE_TAKES : EDGE_GIVES;
    case FORE_EV_SEND:
    case FORE_EV_RECV:
        return closed ? EDGE_TAKES : EDGE_NONE;
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
    case FORE_EV_RELEASE:
    case FORE_EV_WGADD:
    case FORE_EV_WGDONE:
        return EDGE_GIVES;
    case FORE_EV_CWOKEN:
    case FORE_EV_ACQUIRE:
    case FORE_EV_WGWAIT:
    case FORE_EV_READ:
        return EDGE_TAKES;
    case FORE_EV_BARRIER:
        return last_step ? EDGE_TAKES : EDGE_GIVES;
    case FORE_EV_ONCE:
        return e->flags & FORE_F_BUSY ? EDGE_TAKES : EDGE_GIVES;
    case FORE_EV_WRITE:
    case FORE_EV_RMW:
        return EDGE_REPLACES;
    default:
        return EDGE_NONE;
    }
}

static void through_object(struct fore_knowledge *k, enum knowledge_edge edge,
                           const struct fore_insn *e, uint32_t thread, uint32_t count)
{
    struct fore_clock *o = &k->of_object[e->object];
    bool rmw = e->kind == FORE_EV_RMW;
    bool takes = edge == EDGE_TAKES || rmw, gives = edge != EDGE_TAKES;
    if (k->backward) { /* one that takes leaves its stamp, one that gives learns of all that took */
        if (gives)
            learn_from(k, thread, *o);
        if (edge == EDGE_REPLACES)
            fore_clock_drop(&k->clocks, o);
        if (takes)
            join_known(k, o, thread, count);
        return;
    }
    if (takes)
        learn_from(k, thread, *o);
    if (edge == EDGE_REPLACES)
        fore_clock_drop(&k->clocks, o);
    if (gives)
        join_known(k, o, thread, count);
}

static void meet_and_learn(struct fore_knowledge *k, uint32_t s, uint32_t s_count,
                           uint32_t t, uint32_t t_count)
{
    struct fore_clock both = {0, 0};
    join_known(k, &both, s, s_count);
    join_known(k, &both, t, t_count);
    learn_from(k, s, both);
    learn_from(k, t, both);
    fore_clock_drop(&k->clocks, &both);
}

/* With one sender, the k-th send is the same in every replay, and so is the k-th receive: it
 * comes before the send that needs its room. */
static bool has_fixed_order(const struct fore_knowledge *k, uint32_t chan)
{
    return k->c->chans[chan].threads[FORE_CASE_SEND] == 1;
}

static uint64_t room_key(uint32_t chan, uint64_t number)
{
    return UINT64_C(1) << 63 | (uint64_t)chan << 32 | (uint32_t)number;
}

static void through_buffer(struct fore_knowledge *k, uint32_t op,
                           const struct fore_insn *e, uint32_t thread, uint32_t count)
{
    bool send = e->kind == FORE_EV_SEND;
    uint32_t *number = send ? &k->sent[e->object] : &k->received[e->object];
    uint64_t capacity = fore_chan_capacity(k->p, e->object);
    uint32_t message = send ? op : k->p->ops[op].link;
    if (k->backward)
        --*number;
    uint32_t n = *number;
    if (has_fixed_order(k, e->object) && (!send || n >= capacity)) {
        uint64_t key = room_key(e->object, send ? n - capacity : n);
        if (send != k->backward)
            take_message(k, key, thread);
        else
            leave_message(k, key, thread, count);
    }
    if (send == k->backward)
        take_message(k, message, thread);
    else if (!send || k->p->ops[op].link != FORE_NO_OP)
        leave_message(k, message, thread, count);
    if (!k->backward)
        ++*number;
}

/* Makes the operation come after the `count`-th one of `other`: a join, a timer that fires. */
static void come_after(struct fore_knowledge *k, uint32_t other, uint32_t other_count,
                       uint32_t thread, uint32_t count)
{
    if (k->backward)
        join_known(k, &k->of_thread[other], thread, count);
    else
        join_known(k, &k->of_thread[thread], other, other_count);
}

static void apply_operation(struct fore_knowledge *k, uint32_t op, bool last_step)
{
    const struct fore_program *p = k->p;
    const struct fore_insn *e = &p->ops[op];
    uint32_t thread = e->thread, count = op - p->first[thread] + 1;
    enum knowledge_edge edge = edge_of(e, last_step);
    if (edge != EDGE_NONE) {
        through_object(k, edge, e, thread, count);
    } else if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) {
        uint32_t link = p->ops[op].link;
        if (fore_chan_capacity(p, e->object)) {
            through_buffer(k, op, e, thread, count);
        } else {
            uint32_t other = fore_insn_thread(p, link);
            meet_and_learn(k, thread, count, other, link - p->first[other] + 1);
        }
    } else if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN) {
        uint32_t child = (uint32_t)fore_insn_event(p, op)->a;
        if (k->backward)
            join_known(k, &k->of_thread[thread], child, 0);
        else
            join_known(k, &k->of_thread[child], thread, count);
    } else if (e->kind == FORE_EV_JOIN) {
        uint32_t child = (uint32_t)fore_insn_event(p, op)->a;
        come_after(k, child, p->first[child + 1] - p->first[child], thread, count);
    } else if (e->kind == FORE_EV_FIRE && p->ops[op].link != FORE_NO_OP) {
        uint32_t link = p->ops[op].link, other = fore_insn_thread(p, link);
        come_after(k, other, link - p->first[other] + 1, thread, count);
    } else if (e->kind == FORE_EV_ASEND && !k->backward) {
        leave_message(k, op, thread, count);
    } else if (e->kind == FORE_EV_ARECV && p->ops[op].link != FORE_NO_OP &&
               !k->backward) {
        take_message(k, p->ops[op].link, thread);
    } else if (e->kind == FORE_EV_ARECV && p->ops[op].link != FORE_NO_OP) {
        leave_message(k, p->ops[op].link, thread, count);
    } else if (e->kind == FORE_EV_ASEND) {
        take_message(k, op, thread);
    }
}

void fore_knowledge_step(struct fore_knowledge *k, uint32_t i)
{
    uint32_t op = k->c->order[i];
    apply_operation(k, op, k->c->when[op] == i);
}

/* ---- life --------------------------------------------------------------------------------- */

/* Counts the messages that went through buffers before this step: the numbers go on from here. */
static void count_messages(struct fore_knowledge *k, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++) {
        const struct fore_insn *e = &k->p->ops[k->c->order[i]];
        if (e->flags & FORE_F_CLOSED)
            continue;
        k->sent[e->object] += e->kind == FORE_EV_SEND;
        k->received[e->object] += e->kind == FORE_EV_RECV;
    }
}

void fore_knowledge_init(struct fore_knowledge *k, const struct fore_comm *c,
                         const uint32_t *dim, bool backward, uint32_t step)
{
    size_t threads = (size_t)c->p->threads + 1, objects = (size_t)c->p->objects + 1;
    *k = (struct fore_knowledge){.c = c, .p = c->p, .dim = dim, .backward = backward};
    k->of_thread = fore_calloc(threads, sizeof *k->of_thread);
    k->of_object = fore_calloc(objects, sizeof *k->of_object);
    k->sent = fore_calloc(objects, sizeof *k->sent);
    k->received = fore_calloc(objects, sizeof *k->received);
    fore_clocks_init(&k->clocks);
    count_messages(k, step);
}

void fore_knowledge_release(struct fore_knowledge *k)
{
    fore_clocks_release(&k->clocks);
    fore_map_release(&k->messages);
    fore_free(k->of_thread);
    fore_free(k->of_object);
    fore_free(k->sent);
    fore_free(k->received);
}
