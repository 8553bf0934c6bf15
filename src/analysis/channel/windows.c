/* A pass keeps, of each clock, only the entries of the threads of interest, with the trees of
 * causal/clock.h, which share what clocks have in common. Entries that run backwards are stored
 * as their complement, so that the same join serves; an entry that is absent is then far away. */
#include "analysis/channel/windows.h"

#include "base/search.h"
#include "causal/clock.h"

#include <pthread.h>

struct round {
    const struct fore_comm *c;
    const struct fore_program *p;
    struct fore_windows *w;
    const uint32_t *dim; /* thread -> its entry in clocks, 0: has none */
    struct fore_clocks clocks;
    struct fore_clock *of_thread, *of_object;
    struct fore_map messages;  /* operation, or room_key -> clock */
    uint32_t *sent, *received; /* through each buffer, so far (or still to come) */
    bool backward;
    bool few; /* entries: a clock is one leaf */
};

/* ---- clocks --------------------------------------------------------------------------------- */

static uint64_t pack(struct fore_clock c)
{
    return (uint64_t)c.levels << 32 | c.root;
}

static struct fore_clock unpack(uint64_t v)
{
    return (struct fore_clock){(uint32_t)v, (uint32_t)(v >> 32)};
}

static uint32_t entry(const struct round *r, uint32_t count)
{
    return r->backward ? UINT32_MAX - count : count;
}

/* What `thread` knows at its `count`-th operation, into a clock. */
static void join_known(struct round *r, struct fore_clock *to, uint32_t thread,
                       uint32_t count)
{
    fore_clock_join(&r->clocks, to, r->of_thread[thread]);
    if (r->dim[thread] && (count || r->backward))
        fore_clock_raise(&r->clocks, to, r->dim[thread], entry(r, count));
}

static void learn_from(struct round *r, uint32_t thread, struct fore_clock from)
{
    fore_clock_join(&r->clocks, &r->of_thread[thread], from);
}

static void leave_message(struct round *r, uint64_t key, uint32_t thread, uint32_t count)
{
    struct fore_clock c = {0, 0};
    join_known(r, &c, thread, count);
    if (c.root)
        *fore_map_put(&r->messages, key, NULL) = pack(c);
}

static void take_message(struct round *r, uint64_t key, uint32_t thread)
{
    uint64_t v;
    if (!fore_map_take(&r->messages, key, &v))
        return;
    struct fore_clock c = unpack(v);
    learn_from(r, thread, c);
    fore_clock_drop(&r->clocks, &c);
}

/* ---- edges ------------------------------------------------------------------------------------ */

enum window_edge { EDGE_NONE, EDGE_GIVES, EDGE_TAKES, EDGE_REPLACES };

/* What goes through an object from the operations that give to those that take. Locks are left out:
 * the thread that got one first might have been second. */
static enum window_edge edge_of(const struct fore_insn *e, bool last_step)
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

static void through_object(struct round *r, enum window_edge edge,
                           const struct fore_insn *e, uint32_t thread, uint32_t count)
{
    struct fore_clock *o = &r->of_object[e->object];
    bool rmw = e->kind == FORE_EV_RMW;
    bool takes = edge == EDGE_TAKES || rmw, gives = edge != EDGE_TAKES;
    if (r->backward) { /* one that takes leaves its stamp, one that gives learns of all that took */
        if (gives)
            learn_from(r, thread, *o);
        if (edge == EDGE_REPLACES)
            fore_clock_drop(&r->clocks, o);
        if (takes)
            join_known(r, o, thread, count);
        return;
    }
    if (takes)
        learn_from(r, thread, *o);
    if (edge == EDGE_REPLACES)
        fore_clock_drop(&r->clocks, o);
    if (gives)
        join_known(r, o, thread, count);
}

static void meet_in_window(struct round *r, uint32_t s, uint32_t s_count, uint32_t t,
                           uint32_t t_count)
{
    struct fore_clock both = {0, 0};
    join_known(r, &both, s, s_count);
    join_known(r, &both, t, t_count);
    learn_from(r, s, both);
    learn_from(r, t, both);
    fore_clock_drop(&r->clocks, &both);
}

/* With one sender, the k-th send is the same in every replay, and so is the k-th receive: it
 * comes before the send that needs its room. */
static bool has_fixed_order(const struct round *r, uint32_t chan)
{
    return r->c->chans[chan].threads[FORE_CASE_SEND] == 1;
}

static uint64_t room_key(uint32_t chan, uint64_t number)
{
    return UINT64_C(1) << 63 | (uint64_t)chan << 32 | (uint32_t)number;
}

static void through_buffer(struct round *r, uint32_t op, const struct fore_insn *e,
                           uint32_t thread, uint32_t count)
{
    bool send = e->kind == FORE_EV_SEND;
    uint32_t *number = send ? &r->sent[e->object] : &r->received[e->object];
    uint64_t capacity = fore_chan_capacity(r->p, e->object);
    uint32_t message = send ? op : r->p->ops[op].link;
    if (r->backward)
        --*number;
    uint32_t k = *number;
    if (has_fixed_order(r, e->object) && (!send || k >= capacity)) {
        uint64_t key = room_key(e->object, send ? k - capacity : k);
        if (send != r->backward)
            take_message(r, key, thread);
        else
            leave_message(r, key, thread, count);
    }
    if (send == r->backward)
        take_message(r, message, thread);
    else if (!send || r->p->ops[op].link != FORE_NO_OP)
        leave_message(r, message, thread, count);
    if (!r->backward)
        ++*number;
}

/* The operation comes after the `count`-th one of `other`: a join, a timer that fires. */
static void come_after(struct round *r, uint32_t other, uint32_t other_count,
                       uint32_t thread, uint32_t count)
{
    if (r->backward)
        join_known(r, &r->of_thread[other], thread, count);
    else
        join_known(r, &r->of_thread[thread], other, other_count);
}

static void apply_operation(struct round *r, uint32_t op, bool last_step)
{
    const struct fore_program *p = r->p;
    const struct fore_insn *e = &p->ops[op];
    uint32_t thread = e->thread, count = op - p->first[thread] + 1;
    enum window_edge edge = edge_of(e, last_step);
    if (edge != EDGE_NONE) {
        through_object(r, edge, e, thread, count);
    } else if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) {
        uint32_t link = p->ops[op].link;
        if (fore_chan_capacity(p, e->object)) {
            through_buffer(r, op, e, thread, count);
        } else {
            uint32_t other = fore_insn_thread(p, link);
            meet_in_window(r, thread, count, other, link - p->first[other] + 1);
        }
    } else if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN) {
        uint32_t child = (uint32_t)fore_insn_event(p, op)->a;
        if (r->backward)
            join_known(r, &r->of_thread[thread], child, 0);
        else
            join_known(r, &r->of_thread[child], thread, count);
    } else if (e->kind == FORE_EV_JOIN) {
        uint32_t child = (uint32_t)fore_insn_event(p, op)->a;
        come_after(r, child, p->first[child + 1] - p->first[child], thread, count);
    } else if (e->kind == FORE_EV_FIRE && p->ops[op].link != FORE_NO_OP) {
        uint32_t link = p->ops[op].link, other = fore_insn_thread(p, link);
        come_after(r, other, link - p->first[other] + 1, thread, count);
    } else if (e->kind == FORE_EV_ASEND && !r->backward) {
        leave_message(r, op, thread, count);
    } else if (e->kind == FORE_EV_ARECV && p->ops[op].link != FORE_NO_OP &&
               !r->backward) {
        take_message(r, p->ops[op].link, thread);
    } else if (e->kind == FORE_EV_ARECV && p->ops[op].link != FORE_NO_OP) {
        leave_message(r, p->ops[op].link, thread, count);
    } else if (e->kind == FORE_EV_ASEND) {
        take_message(r, op, thread);
    }
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void keep_one(struct round *r, uint32_t op, uint32_t chan, struct fore_window *w)
{
    uint32_t thread = fore_insn_thread(r->p, op), index = op - r->p->first[thread];
    const uint32_t *party = r->w->threads.at + r->w->party[chan];
    struct fore_clock now = r->of_thread[thread];
    const uint32_t *few = r->few ? r->clocks.node[now.root] - 1 : NULL;
    for (uint32_t i = 0; i < r->w->parties[chan]; i++) {
        uint32_t j = party[i];
        uint32_t v = few ? few[r->dim[j]] : fore_clock_get(&r->clocks, now, r->dim[j]);
        if (!r->backward)
            w[i].from = j == thread ? index : v;
        else
            w[i].to = j == thread ? index + 1 : UINT32_MAX - v;
    }
}

/* Forward: what the operation's pre knows. Backward: which operations know its post. */
static void keep_knowledge(struct round *r, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(r->p, op, &one, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = r->w->slot[r->c->offer[op] + i];
        if (slot != FORE_NO_OFFER)
            keep_one(r, op, c[i].chan, r->w->list.at + slot);
    }
    const struct fore_insn *e = &r->p->ops[op];
    if (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED) &&
        !fore_chan_capacity(r->p, e->object) && r->p->ops[op].link != FORE_NO_OP &&
        r->p->ops[r->p->ops[op].link].kind == FORE_EV_RECV)
        keep_knowledge(r, r->p->ops[op].link);
}

static void round_init(struct round *r, struct fore_windows *w, const uint32_t *dim)
{
    const struct fore_program *p = w->c->p;
    size_t threads = (size_t)p->threads + 1, objects = (size_t)p->objects + 1;
    *r = (struct round){.c = w->c, .p = p, .w = w, .dim = dim};
    r->of_thread = fore_calloc(threads, sizeof *r->of_thread);
    r->of_object = fore_calloc(objects, sizeof *r->of_object);
    r->sent = fore_calloc(objects, sizeof *r->sent);
    r->received = fore_calloc(objects, sizeof *r->received);
    fore_clocks_init(&r->clocks);
}

static void round_release(struct round *r)
{
    fore_clocks_release(&r->clocks);
    fore_map_release(&r->messages);
    fore_free(r->of_thread);
    fore_free(r->of_object);
    fore_free(r->sent);
    fore_free(r->received);
}

static void pass_forward(struct round *r)
{
    const struct fore_comm *c = r->c;
    for (uint32_t i = 0; i < c->steps; i++) {
        keep_knowledge(r, c->order[i]);
        apply_operation(r, c->order[i], c->when[c->order[i]] == i);
    }
    for (uint32_t t = 1; t <= r->p->threads; t++)
        for (uint32_t op = r->p->first[t]; op < r->p->first[t + 1]; op++)
            if (!fore_insn_ended(r->p, op) && fore_insn_offers(r->p, op))
                keep_knowledge(r, op);
}

/* All that went through buffers: from here the numbers go down. */
static void count_messages(struct round *r)
{
    for (uint32_t i = 0; i < r->c->steps; i++) {
        const struct fore_insn *e = &r->p->ops[r->c->order[i]];
        if (e->flags & FORE_F_CLOSED)
            continue;
        r->sent[e->object] += e->kind == FORE_EV_SEND;
        r->received[e->object] += e->kind == FORE_EV_RECV;
    }
}

/* A rendezvous joins first and is kept then: its post is that of both. */
static void pass_backward(struct round *r)
{
    const struct fore_comm *c = r->c;
    r->backward = true;
    count_messages(r);
    for (uint32_t t = 1; t <= r->p->threads; t++)
        for (uint32_t op = r->p->first[t]; op < r->p->first[t + 1]; op++)
            if (!fore_insn_ended(r->p, op) && fore_insn_offers(r->p, op))
                keep_knowledge(r, op);
    for (uint32_t i = c->steps; i-- > 0;) {
        apply_operation(r, c->order[i], c->when[c->order[i]] == i);
        keep_knowledge(r, c->order[i]);
    }
}

/* ---- life --------------------------------------------------------------------------------- */

void fore_windows_init(struct fore_windows *w, const struct fore_comm *c)
{
    *w = (struct fore_windows){.c = c};
    w->party = fore_calloc((size_t)c->p->objects + 1, sizeof *w->party);
    w->parties = fore_calloc((size_t)c->p->objects + 1, sizeof *w->parties);
    w->slot = fore_alloc(((size_t)c->offer[c->p->op_count] + 1) * sizeof *w->slot);
    fore_windows_clear(w);
}

void fore_windows_release(struct fore_windows *w)
{
    fore_free(w->party);
    fore_free(w->parties);
    fore_free(w->slot);
    fore_vec_release(&w->threads);
    fore_vec_release(&w->list);
}

void fore_windows_clear(struct fore_windows *w)
{
    memset(w->parties, 0, ((size_t)w->c->p->objects + 1) * sizeof *w->parties);
    memset(w->slot, 0xff, ((size_t)w->c->offer[w->c->p->op_count] + 1) * sizeof *w->slot);
    fore_vec_clear(&w->threads);
    fore_vec_clear(&w->list);
}

/* Where the thread is among the channel's parties, or would be: they are sorted. */
static uint32_t place_of(const struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    const uint32_t *at = w->threads.at + w->party[chan];
    uint32_t lo = 0, hi = w->parties[chan];
    FORE_BISECT(lo, hi, mid, at[mid] < thread);
    return lo;
}

uint32_t fore_windows_index(const struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    uint32_t i = place_of(w, chan, thread);
    FORE_BUG_IF(i == w->parties[chan] || w->threads.at[w->party[chan] + i] != thread);
    return i;
}

void fore_windows_party(struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    if (!w->parties[chan])
        w->party[chan] = (uint32_t)w->threads.n;
    uint32_t n = w->parties[chan], i = place_of(w, chan, thread);
    if (i < n && w->threads.at[w->party[chan] + i] == thread)
        return;
    fore_vec_push(&w->threads, thread);
    uint32_t *at = w->threads.at + w->party[chan];
    memmove(at + i + 1, at + i, (n - i) * sizeof *at);
    at[i] = thread;
    w->parties[chan]++;
}

/* The number of the first case of the operation that offers this. */
static uint32_t offer_number(const struct fore_comm *c, uint32_t chan, unsigned kind,
                             uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *cases = fore_insn_cases(c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (cases[i].chan == chan && cases[i].kind == kind)
            return c->offer[op] + (uint32_t)i;
    return FORE_NO_OFFER;
}

void fore_windows_want(struct fore_windows *w, uint32_t chan, unsigned kind)
{
    const struct fore_comm_chan *ch = &w->c->chans[chan];
    for (uint32_t l = 0; l < ch->lanes[kind]; l++) {
        const struct fore_comm_lane *lane = &w->c->lanes.at[ch->lane[kind] + l];
        for (uint32_t i = 0; i < lane->n; i++) {
            uint32_t op = w->c->ops[lane->first + i];
            w->slot[offer_number(w->c, chan, kind, op)] = (uint32_t)w->list.n;
            struct fore_window *at = fore_vec_extend(&w->list, w->parties[chan]);
            for (uint32_t k = 0; k < w->parties[chan]; k++)
                at[k] = (struct fore_window){0, UINT32_MAX};
        }
    }
}

const struct fore_window *fore_windows_of(const struct fore_windows *w, uint32_t chan,
                                          unsigned kind, uint32_t op)
{
    uint32_t number = offer_number(w->c, chan, kind, op);
    if (number == FORE_NO_OFFER || w->slot[number] == FORE_NO_OFFER)
        return NULL;
    return w->list.at + w->slot[number];
}

static void *run_backward(void *arg)
{
    pass_backward(arg);
    return NULL;
}

/* The passes write different halves of the windows, and share nothing else that they change. */
void fore_windows_fill(struct fore_windows *w)
{
    uint32_t *dim = fore_calloc((size_t)w->c->p->threads + 1, sizeof *dim), dims = 0;
    struct round forward, backward;
    pthread_t other;
    for (size_t i = 0; i < w->threads.n; i++)
        if (!dim[w->threads.at[i]])
            dim[w->threads.at[i]] = ++dims;
    round_init(&forward, w, dim);
    round_init(&backward, w, dim);
    forward.few = backward.few = dims <= FORE_CLOCK_FAN;
    bool apart =
        w->c->jobs > 1 && pthread_create(&other, NULL, run_backward, &backward) == 0;
    pass_forward(&forward);
    if (apart)
        pthread_join(other, NULL);
    else
        pass_backward(&backward);
    round_release(&forward);
    round_release(&backward);
    fore_free(dim);
}
