#include "analysis/channel/parts.h"

void fore_reach_require(struct fore_reach *r, uint32_t op)
{
    if (op == FORE_NO_OP) {
        r->failed = true;
        return;
    }
    uint32_t t = fore_insn_thread(r->c->p, op), first = r->c->p->first[t];
    if (op < r->need[t])
        return;
    if (r->need[t] == first)
        fore_vec_push(&r->touched, t);
    r->need[t] = op + 1;
    fore_vec_push(&r->work, t);
}

/* Everything that the thread did before the operation. */
void fore_reach_require_before(struct fore_reach *r, uint32_t op)
{
    uint32_t t = fore_insn_thread(r->c->p, op), gate = r->c->p->gate[t];
    if (op > r->c->p->first[t])
        fore_reach_require(r, op - 1);
    else if (gate != FORE_NO_OP)
        fore_reach_require(r, gate);
}

bool fore_reach_in_cut(const struct fore_reach *r, uint32_t op)
{
    return op != FORE_NO_OP && op < r->need[fore_insn_thread(r->c->p, op)];
}

static void require_close(struct fore_reach *r, uint32_t chan)
{
    const struct fore_comm_chan *ch = &r->c->chans[chan];
    for (uint32_t i = 0; i < ch->closes; i++) {
        uint32_t op = r->c->closes[ch->close + i];
        if (!(fore_insn_event(r->c->p, op)->flags & FORE_F_CLOSED)) {
            fore_reach_require(r, op);
            return;
        }
    }
    r->failed = true;
}

/* Operations that let others go on, or that those that wait must come after. */
static bool lets_go_on(unsigned kind, unsigned flags)
{
    switch (kind) {
    case FORE_EV_RELEASE:
    case FORE_EV_WGADD:
    case FORE_EV_WGDONE:
    case FORE_EV_BARRIER:
        return true;
    case FORE_EV_ONCE:
        return !(flags & FORE_F_BUSY);
    default:
        return false;
    }
}

/* All of these that were observed before `op`, on the same object. A barrier (of that size)
 * also needs those of its own round that left after it: a round leaves when all have come. */
static void require_earlier(struct fore_reach *r, uint32_t op, uint32_t object,
                            uint64_t size)
{
    uint32_t when = r->c->when[op];
    uint32_t *at = &r->seen[object], end = r->object_first[object + 1];
    while (r->object_first[object] + *at < end) {
        uint32_t other = r->by_object[r->object_first[object] + *at];
        if (r->c->when[other] >= when && (!size || *at % size == 0) && other != op)
            break;
        ++*at;
        fore_reach_require(r, other);
    }
}

static void follow(struct fore_reach *r, uint32_t op)
{
    const struct fore_program *p = r->c->p;
    const struct fore_event *e = fore_insn_event(p, op);
    uint32_t link = p->ops[op].link;
    switch (e->kind) {
    case FORE_EV_SEND:
    case FORE_EV_RECV:
        if (e->flags & FORE_F_CLOSED)
            require_close(r, e->object);
        else if (e->kind == FORE_EV_RECV || !fore_chan_capacity(p, e->object))
            fore_reach_require(r, link);
        break;
    case FORE_EV_CLOSE:
        if (e->flags & FORE_F_CLOSED && e->object)
            require_close(r, e->object);
        break;
    case FORE_EV_JOIN:
        if (p->first[e->a + 1] > p->first[e->a])
            fore_reach_require(r, p->first[e->a + 1] - 1);
        break;
    case FORE_EV_ARECV:
        fore_reach_require(r, link);
        break;
    case FORE_EV_CSIGNAL:
        if (link != FORE_NO_OP)
            fore_reach_require_before(r, link);
        break;
    case FORE_EV_CWOKEN: /* without a link: by itself */
    case FORE_EV_FIRE:
    case FORE_EV_READ:
    case FORE_EV_RMW:
        if (link != FORE_NO_OP)
            fore_reach_require(r, link);
        break;
    case FORE_EV_BARRIER:
        require_earlier(r, op, e->object, e->a ? e->a : 1);
        break;
    case FORE_EV_ACQUIRE:
    case FORE_EV_WGWAIT:
    case FORE_EV_WGDONE:
    case FORE_EV_ONCE:
        require_earlier(r, op, e->object, 0);
        break;
    default:
        break;
    }
}

bool fore_reach_buffered(const struct fore_reach *r)
{
    return r->x.rule == FORE_COMM_ALTERNATIVE && fore_chan_capacity(r->c->p, r->x.chan);
}

/* A send into a buffer is done as it was recorded, unless the thread did something else. */
bool fore_reach_puts(const struct fore_reach *r)
{
    return fore_reach_buffered(r) &&
           fore_comm_took(r->c->p, r->x.a, r->x.chan, FORE_CASE_SEND);
}

/* Is the first of the two an operation that is done as it was recorded? */
bool fore_reach_done_first(const struct fore_reach *r)
{
    return fore_reach_puts(r) || r->x.rule == FORE_COMM_SEND ||
           r->x.rule == FORE_COMM_RECEIVE;
}

/* Has what must not have happened as it was recorded not happened? */
static bool still_ahead(const struct fore_reach *r)
{
    if (fore_reach_in_cut(r, r->x.b))
        return false;
    if (fore_reach_puts(r))
        return !fore_reach_in_cut(r, r->c->p->ops[r->x.a].link);
    return fore_reach_done_first(r) || !fore_reach_in_cut(r, r->x.a);
}

bool fore_reach_close_over(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    while (r->work.n && !r->failed) {
        uint32_t t = fore_vec_pop(&r->work);
        if (r->closed_over[t] == p->first[t] && p->gate[t] != FORE_NO_OP)
            fore_reach_require(r, p->gate[t]);
        while (r->closed_over[t] < r->need[t] && !r->failed)
            follow(r, r->closed_over[t]++);
        if (!still_ahead(r))
            r->failed = true;
    }
    return !r->failed;
}

bool fore_reach_is_put(const struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    return e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED) &&
           fore_chan_capacity(r->c->p, e->object);
}

bool fore_reach_is_early(const struct fore_reach *r, uint32_t op)
{
    return fore_reach_in_cut(r, r->c->p->ops[op].link);
}

/* ---- the index ---------------------------------------------------------------------------- */

void fore_reach_index(struct fore_reach *r)
{
    const struct fore_comm *c = r->c;
    size_t objects = (size_t)c->p->objects + 2;
    r->seen = fore_calloc(objects, sizeof *r->seen);
    r->object_first = fore_calloc(objects + 1, sizeof *r->object_first);
    if (c->simple)
        return;
    for (uint32_t i = 0; i < c->steps; i++) {
        const struct fore_insn *e = &c->p->ops[c->order[i]];
        if (lets_go_on(e->kind, e->flags) && c->when[c->order[i]] == i)
            r->object_first[e->object + 2]++;
    }
    for (size_t x = 2; x <= objects; x++)
        r->object_first[x] += r->object_first[x - 1];
    r->by_object =
        fore_calloc((size_t)r->object_first[objects] + 1, sizeof *r->by_object);
    for (uint32_t i = 0; i < c->steps; i++) {
        const struct fore_insn *e = &c->p->ops[c->order[i]];
        if (lets_go_on(e->kind, e->flags) && c->when[c->order[i]] == i)
            r->by_object[r->object_first[e->object + 1]++] = c->order[i];
    }
}
