#include "analysis/channel/reach_state.h"

/* Requires the release that ends the thread's hold, if it has come as far as `need`. */
static void require_release(struct fore_reach *r, uint32_t thread, uint32_t lock,
                            unsigned kind)
{
    const struct fore_program *p = r->c->p;
    for (uint32_t op = r->need.need[thread]; op < p->first[thread + 1]; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        if ((e->kind == kind && e->object == lock) ||
            (e->kind == FORE_EV_CWAIT && e->a == lock)) {
            fore_closure_want(&r->need, op);
            return;
        }
    }
}

static void require_readers(struct fore_reach *r, uint32_t lock)
{
    const struct fore_program *p = r->c->p;
    for (size_t i = 0; i < r->need.touched.n; i++) {
        uint32_t t = r->need.touched.at[i], held = 0;
        for (uint32_t op = p->first[t]; op < r->need.need[t]; op++) {
            const struct fore_event *e = fore_insn_event(p, op);
            if (e->object == lock && e->kind == FORE_EV_RLOCK)
                held++;
            else if (e->object == lock && e->kind == FORE_EV_RUNLOCK)
                held--;
        }
        if (held)
            require_release(r, t, lock, FORE_EV_RUNLOCK);
    }
}

static void repair_lock(struct fore_reach *r, uint32_t lock)
{
    uint32_t owner = lock ? fore_machine_owner(&r->m, lock) : 0;
    if (owner)
        require_release(r, owner, lock, FORE_EV_UNLOCK);
    else if (lock)
        require_readers(r, lock);
}

/* The operation at which a thread is stuck, or FORE_NO_OP. */
static uint32_t stuck_at(const struct fore_reach *r, uint32_t thread)
{
    uint32_t op = fore_machine_next(&r->m, thread);
    if (op == FORE_NO_OP)
        return op;
    bool target =
        fore_reach_buffered(r) && !fore_reach_puts(r) && op == r->x.a && !r->put;
    return op < r->need.need[thread] || target ? op : FORE_NO_OP;
}

/* Could the send have been received before the two meet? */
static bool can_be_early(const struct fore_reach *r, uint32_t op)
{
    uint32_t link = r->c->p->ops[op].link;
    return op != r->x.a && link != FORE_NO_OP && link != r->x.b &&
           !fore_reach_is_early(r, op);
}

/* Makes room for all sends that are still to be done, if one thread alone receives: it does as
 * many receives, in its order. */
static bool make_all_room(struct fore_reach *r, uint32_t chan)
{
    const struct fore_program *p = r->c->p;
    uint32_t one = r->c->chans[chan].party[FORE_CASE_RECV], left = r->users[chan];
    const struct fore_comm_party *y = one ? &r->c->parties.at[one - 1] : NULL;
    if (!y || y->next || r->x.rule == FORE_COMM_ALTERNATIVE || fore_program_selects(p))
        return false;
    uint32_t op = fore_machine_next(&r->m, y->thread);
    for (; left && op <= y->last; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        if (e->kind == FORE_EV_RECV && e->object == chan && !(e->flags & FORE_F_CLOSED) &&
            !--left)
            fore_closure_want(&r->need, op);
    }
    return !left;
}

/* Makes room by the first message in a full buffer that can go. */
static void make_room(struct fore_reach *r, uint32_t chan)
{
    uint32_t n = fore_machine_queued(&r->m, chan), op;
    if (n < fore_chan_capacity(r->c->p, chan) || make_all_room(r, chan))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (can_be_early(r, op = fore_machine_message(&r->m, chan, i))) {
            fore_closure_want(&r->need, r->c->p->ops[op].link);
            return;
        }
}

/* Removes the first message in a buffer that should be empty. */
static void make_empty(struct fore_reach *r, uint32_t chan)
{
    uint32_t head = fore_machine_head(&r->m, chan);
    if (head != FORE_NO_OP && can_be_early(r, head))
        fore_closure_want(&r->need, r->c->p->ops[head].link);
}

/* Requires what was in a buffer when `op` found it full. */
static void make_full(struct fore_reach *r, uint32_t chan, uint32_t op)
{
    const struct fore_program *p = r->c->p;
    uint64_t missing = fore_chan_capacity(p, chan);
    for (uint32_t i = r->c->when[op]; missing && i-- > 0;) {
        uint32_t send = r->c->order[i], link = p->ops[send].link;
        if (!fore_reach_is_put(r, send) || fore_insn_event(p, send)->object != chan)
            continue;
        if (link == FORE_NO_OP || r->c->when[link] > r->c->when[op]) {
            fore_closure_want(&r->need, send);
            missing--;
        }
    }
}

static void repair_default(struct fore_reach *r, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(r->c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan && c[i].kind == FORE_CASE_RECV)
            make_empty(r, c[i].chan);
        else if (c[i].chan && fore_chan_capacity(r->c->p, c[i].chan))
            make_full(r, c[i].chan, op);
}

/* Requires what would let the operation go on: a receive for room in a buffer, a release for a
 * lock. */
static void repair_room(struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    if (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK)
        repair_lock(r, e->object);
    else if (e->kind == FORE_EV_CWOKEN)
        repair_lock(r, (uint32_t)e->a);
    else if (op == r->x.a)
        make_room(r, r->x.chan);
    else if (fore_reach_is_put(r, op) && !fore_reach_deferred(r, op))
        make_room(r, e->object);
    else if (e->kind == FORE_EV_RECV && e->flags & FORE_F_CLOSED)
        make_empty(r, e->object);
    else if (e->kind == FORE_EV_SELECT)
        repair_default(r, op);
}

/* Handles a send that waits for sends that must be in front of it, one of which waits for it: it
 * must be received itself, and come before them. The earliest such send is tried. */
static void repair_order(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    uint32_t best = FORE_NO_OP;
    for (size_t i = 0; i < r->need.touched.n; i++) {
        uint32_t op = stuck_at(r, r->need.touched.at[i]);
        if (op != FORE_NO_OP && fore_reach_is_put(r, op) && can_be_early(r, op) &&
            (best == FORE_NO_OP || r->c->when[op] < r->c->when[best]))
            best = op;
    }
    if (best != FORE_NO_OP)
        fore_closure_want(&r->need, p->ops[best].link);
}

void fore_reach_repair(struct fore_reach *r)
{
    for (size_t k = 0, n = r->need.touched.n; k < n; k++) {
        uint32_t op = stuck_at(r, r->need.touched.at[k]);
        if (op != FORE_NO_OP)
            repair_room(r, op);
    }
    if (fore_reach_buffered(r) && !r->put &&
        stuck_at(r, fore_insn_thread(r->c->p, r->x.a)) == r->x.a)
        repair_room(r, r->x.a);
    if (!r->need.work.n)
        repair_order(r);
}

/* A receive finds a closed channel only when its buffer is empty. */
static void require_empty(struct fore_reach *r)
{
    uint32_t n = fore_machine_queued(&r->m, r->x.chan), head;
    if (r->x.rule == FORE_COMM_RECEIVE && n &&
        (head = fore_machine_head(&r->m, r->x.chan)) != FORE_NO_OP)
        fore_closure_want(&r->need, r->c->p->ops[head].link);
}

/* Requires the receive of an earlier message that is in front of the one to be taken. */
static void require_head(struct fore_reach *r)
{
    uint32_t head = fore_machine_head(&r->m, r->x.chan);
    if (fore_reach_buffered(r) && r->put && head != FORE_NO_OP && head != r->x.a)
        fore_closure_want(&r->need, r->c->p->ops[head].link);
}

void fore_reach_clear_way(struct fore_reach *r)
{
    require_empty(r);
    require_head(r);
}
