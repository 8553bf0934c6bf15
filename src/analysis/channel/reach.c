/* The least set of operations that the meeting needs is closed under: program order, creation,
 * join, communications (a receive needs its send, a rendezvous both sides), and the observed
 * causes of everything else that waits. It is then played in the observed order. What gets stuck
 * asks for more: a full buffer for the receive of its head, a lock for its release, a message
 * that would be in the way for its receive. When nothing more can be asked for, there is no run.
 *
 * In a buffer, sends whose receives are needed come first, then the send that is to be taken,
 * then the rest: any run has them in this order, since it is a queue. */
#include "analysis/channel/reach.h"

#include <stdlib.h>

enum { MOST_REPAIRS = 4096 };

/* ---- what is needed ------------------------------------------------------------------- */

static void require(struct fore_reach *r, uint32_t op)
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
static void require_before(struct fore_reach *r, uint32_t op)
{
    uint32_t t = fore_insn_thread(r->c->p, op), gate = r->c->p->gate[t];
    if (op > r->c->p->first[t])
        require(r, op - 1);
    else if (gate != FORE_NO_OP)
        require(r, gate);
}

static bool in_cut(const struct fore_reach *r, uint32_t op)
{
    return op != FORE_NO_OP && op < r->need[fore_insn_thread(r->c->p, op)];
}

static void require_close(struct fore_reach *r, uint32_t chan)
{
    const struct fore_comm_chan *ch = &r->c->chans[chan];
    for (uint32_t i = 0; i < ch->closes; i++) {
        uint32_t op = r->c->closes[ch->close + i];
        if (!(fore_insn_event(r->c->p, op)->flags & FORE_F_CLOSED)) {
            require(r, op);
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
    case FORE_EV_ARM:
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
        require(r, other);
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
            require(r, link);
        break;
    case FORE_EV_CLOSE:
        if (e->flags & FORE_F_CLOSED && e->object)
            require_close(r, e->object);
        break;
    case FORE_EV_JOIN:
        if (p->first[e->a + 1] > p->first[e->a])
            require(r, p->first[e->a + 1] - 1);
        break;
    case FORE_EV_CWOKEN:
    case FORE_EV_ARECV:
        require(r, link);
        break;
    case FORE_EV_CSIGNAL:
        if (link != FORE_NO_OP)
            require_before(r, link);
        break;
    case FORE_EV_READ:
    case FORE_EV_RMW:
        if (link != FORE_NO_OP)
            require(r, link);
        break;
    case FORE_EV_BARRIER:
        require_earlier(r, op, e->object, e->a ? e->a : 1);
        break;
    case FORE_EV_ACQUIRE:
    case FORE_EV_WGWAIT:
    case FORE_EV_WGDONE:
    case FORE_EV_ONCE:
    case FORE_EV_FIRE:
        require_earlier(r, op, e->object, 0);
        break;
    default:
        break;
    }
}

static bool buffered_meeting(const struct fore_reach *r)
{
    return r->x.rule == FORE_COMM_ALTERNATIVE && fore_chan_capacity(r->c->p, r->x.chan);
}

/* A send into a buffer is done as it was recorded, unless the thread did something else. */
static bool puts_as_recorded(const struct fore_reach *r)
{
    return buffered_meeting(r) &&
           fore_comm_took(r->c->p, r->x.a, r->x.chan, FORE_CASE_SEND);
}

/* Is the first of the two an operation that is done as it was recorded? */
static bool done_first(const struct fore_reach *r)
{
    return puts_as_recorded(r) || r->x.rule == FORE_COMM_SEND ||
           r->x.rule == FORE_COMM_RECEIVE;
}

/* Has what must not have happened as it was recorded not happened? */
static bool still_ahead(const struct fore_reach *r)
{
    if (in_cut(r, r->x.b))
        return false;
    if (puts_as_recorded(r))
        return !in_cut(r, r->c->p->ops[r->x.a].link);
    return done_first(r) || !in_cut(r, r->x.a);
}

static bool close_over(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    while (r->work.n && !r->failed) {
        uint32_t t = fore_vec_pop(&r->work);
        if (r->closed_over[t] == p->first[t] && p->gate[t] != FORE_NO_OP)
            require(r, p->gate[t]);
        while (r->closed_over[t] < r->need[t] && !r->failed)
            follow(r, r->closed_over[t]++);
        if (!still_ahead(r))
            r->failed = true;
    }
    return !r->failed;
}

/* ---- playing it -------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_put(const struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    return e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED) &&
           fore_chan_capacity(r->c->p, e->object);
}

static bool is_early(const struct fore_reach *r, uint32_t op)
{
    return in_cut(r, r->c->p->ops[op].link);
}

static void use(struct fore_reach *r, uint32_t chan, uint32_t by, bool early)
{
    if (!r->users[chan])
        fore_vec_push(&r->used, chan);
    r->users[chan] += by;
    r->early[chan] += early ? by : 0;
}

/* Counts what must precede what: `by` is 1 before the run, -1 as operations are done. */
static void count_use(struct fore_reach *r, uint32_t op, uint32_t by)
{
    const struct fore_program *p = r->c->p;
    const struct fore_event *e = fore_insn_event(p, op);
    if (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED))
        use(r, e->object, by, is_put(r, op) && is_early(r, op));
    if (e->kind != FORE_EV_SELECT || e->flags & FORE_F_TIMEOUT)
        return;
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan)
            use(r, c[i].chan, by, false);
}

/* The operations to do, in the order of the replay; a rendezvous once, as its send. */
static void list_todo(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    FORE_VEC(uint64_t) keys = {0};
    for (size_t i = 0; i < r->touched.n; i++) {
        uint32_t t = r->touched.at[i];
        for (uint32_t op = p->first[t]; op < r->need[t]; op++) {
            const struct fore_event *e = fore_insn_event(p, op);
            if (e->kind == FORE_EV_RECV && !(e->flags & FORE_F_CLOSED) &&
                !fore_chan_capacity(p, e->object))
                continue;
            fore_vec_push(&keys, (uint64_t)r->c->when[op] << 32 | op);
        }
    }
    if (keys.n)
        qsort(keys.at, keys.n, sizeof *keys.at, by_time);
    fore_vec_clear(&r->todo);
    for (size_t i = 0; i < keys.n; i++)
        fore_vec_push(&r->todo, (uint32_t)keys.at[i]);
    fore_vec_release(&keys);
}

static uint16_t case_of(const struct fore_reach *r, uint32_t op, unsigned kind)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(r->c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan == r->x.chan && c[i].kind == kind)
            return (uint16_t)i;
    return UINT16_MAX;
}

static bool take(struct fore_reach *r, struct fore_move v)
{
    if (!fore_machine_can(&r->m, v))
        return false;
    fore_machine_step(&r->m, v);
    fore_vec_push(&r->run.list, v);
    return true;
}

/* Must the operation wait for others, although the machine would let it? */
static bool deferred(const struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    if (e->kind == FORE_EV_CLOSE && e->object && !(e->flags & FORE_F_CLOSED))
        return r->users[e->object] != 0;
    if (!is_put(r, op) || is_early(r, op))
        return false;
    return r->early[e->object] ||
           (buffered_meeting(r) && e->object == r->x.chan && op != r->x.a && !r->put);
}

static bool do_recorded(struct fore_reach *r, uint32_t op)
{
    struct fore_move v;
    uint32_t t = fore_insn_thread(r->c->p, op);
    if (fore_machine_next(&r->m, t) != op || deferred(r, op))
        return false;
    do
        if (!fore_machine_recorded(&r->m, t, &v) || !take(r, v))
            return false;
    while (v.act == FORE_ACT_ARRIVE && fore_insn_kind(r->c->p, op) == FORE_EV_BARRIER);
    count_use(r, op, UINT32_MAX);
    if (op == r->x.a)
        r->put = true;
    return true;
}

/* Does a send that was not recorded as one, as soon as all that must come first are done. */
static bool try_put(struct fore_reach *r)
{
    uint32_t t = fore_insn_thread(r->c->p, r->x.a);
    if (r->put || !buffered_meeting(r) || puts_as_recorded(r) || r->early[r->x.chan] ||
        fore_machine_next(&r->m, t) != r->x.a)
        return false;
    r->put = take(r, (struct fore_move){.thread = t,
                                        .act = FORE_ACT_PUT,
                                        .at = case_of(r, r->x.a, FORE_CASE_SEND)});
    if (r->put)
        use(r, r->x.chan, UINT32_MAX, false);
    return r->put;
}

static bool meet(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    struct fore_move v = {.thread = fore_insn_thread(p, r->x.b)};
    switch (r->x.rule) {
    case FORE_COMM_ALTERNATIVE:
        v.at = case_of(r, r->x.b, FORE_CASE_RECV);
        v.act = FORE_ACT_TAKE;
        if (buffered_meeting(r))
            return r->put && fore_machine_head(&r->m, r->x.chan) == r->x.a && take(r, v);
        return take(r, (struct fore_move){fore_insn_thread(p, r->x.a), v.thread,
                                          FORE_ACT_SYNC,
                                          case_of(r, r->x.a, FORE_CASE_SEND), v.at});
    case FORE_COMM_SEND:
        v.at = case_of(r, r->x.b, FORE_CASE_SEND);
        v.act = FORE_ACT_PANIC;
        return take(r, v);
    case FORE_COMM_RECEIVE:
        v.at = case_of(r, r->x.b, FORE_CASE_RECV);
        v.act = FORE_ACT_CLOSED;
        return take(r, v);
    default:
        v.act = FORE_ACT_PANIC;
        return take(r, (struct fore_move){.thread = fore_insn_thread(p, r->x.a)}) &&
               take(r, v);
    }
}

static void count_uses(struct fore_reach *r)
{
    for (size_t i = 0; i < r->used.n; i++)
        r->users[r->used.at[i]] = r->early[r->used.at[i]] = 0;
    fore_vec_clear(&r->used);
    for (size_t i = 0; i < r->todo.n; i++)
        count_use(r, r->todo.at[i], 1);
    if (buffered_meeting(r) && !puts_as_recorded(r))
        use(r, r->x.chan, 1, false);
}

/* One round over what is left. Messages that nobody will take are only in the way (of a default
 * that was taken, for one): they are sent when nothing else moves, and then one at a time. */
static bool play_round(struct fore_reach *r, bool in_the_way)
{
    size_t left = 0;
    bool moved = false;
    for (size_t i = 0; i < r->todo.n; i++) {
        uint32_t op = r->todo.at[i];
        bool wait = is_put(r, op) && !is_early(r, op) && (!in_the_way || moved);
        if (!wait && !(in_the_way && moved) && do_recorded(r, op))
            moved = true;
        else
            r->todo.at[left++] = op;
    }
    r->todo.n = left;
    return moved || (in_the_way && try_put(r));
}

static bool play(struct fore_reach *r)
{
    fore_machine_release(&r->m);
    fore_machine_init(&r->m, r->c->p);
    r->m.forgetful = true;
    r->put = false;
    fore_vec_clear(&r->run.list);
    count_uses(r);
    while (play_round(r, false) || play_round(r, true))
        ;
    return !r->todo.n;
}

/* ---- what is missing ---------------------------------------------------------------------- */

/* The release that ends the thread's hold, if it has come as far as `need`. */
static void require_release(struct fore_reach *r, uint32_t thread, uint32_t lock,
                            unsigned kind)
{
    const struct fore_program *p = r->c->p;
    for (uint32_t op = r->need[thread]; op < p->first[thread + 1]; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        if ((e->kind == kind && e->object == lock) ||
            (e->kind == FORE_EV_CWAIT && e->a == lock)) {
            require(r, op);
            return;
        }
    }
}

static void require_readers(struct fore_reach *r, uint32_t lock)
{
    const struct fore_program *p = r->c->p;
    for (size_t i = 0; i < r->touched.n; i++) {
        uint32_t t = r->touched.at[i], held = 0;
        for (uint32_t op = p->first[t]; op < r->need[t]; op++) {
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
    bool target = buffered_meeting(r) && !puts_as_recorded(r) && op == r->x.a && !r->put;
    return op < r->need[thread] || target ? op : FORE_NO_OP;
}

/* Could the send have been received before the two meet? */
static bool can_be_early(const struct fore_reach *r, uint32_t op)
{
    uint32_t link = r->c->p->ops[op].link;
    return op != r->x.a && link != FORE_NO_OP && link != r->x.b && !is_early(r, op);
}

/* The first message in a full buffer that can go. */
static void make_room(struct fore_reach *r, uint32_t chan)
{
    uint32_t n = fore_machine_queued(&r->m, chan), op;
    if (n < fore_chan_capacity(r->c->p, chan))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (can_be_early(r, op = fore_machine_message(&r->m, chan, i))) {
            require(r, r->c->p->ops[op].link);
            return;
        }
}

/* The first message in a buffer that should be empty. */
static void make_empty(struct fore_reach *r, uint32_t chan)
{
    uint32_t head = fore_machine_head(&r->m, chan);
    if (head != FORE_NO_OP && can_be_early(r, head))
        require(r, r->c->p->ops[head].link);
}

/* What was in a buffer when `op` found it full. */
static void make_full(struct fore_reach *r, uint32_t chan, uint32_t op)
{
    const struct fore_program *p = r->c->p;
    uint64_t missing = fore_chan_capacity(p, chan);
    for (uint32_t i = r->c->when[op]; missing && i-- > 0;) {
        uint32_t send = r->c->order[i], link = p->ops[send].link;
        if (!is_put(r, send) || fore_insn_event(p, send)->object != chan)
            continue;
        if (link == FORE_NO_OP || r->c->when[link] > r->c->when[op]) {
            require(r, send);
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

/* Room in a buffer needs a receive, a lock its release. */
static void repair_room(struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    if (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK)
        repair_lock(r, e->object);
    else if (e->kind == FORE_EV_CWOKEN)
        repair_lock(r, (uint32_t)e->a);
    else if (op == r->x.a)
        make_room(r, r->x.chan);
    else if (is_put(r, op) && !deferred(r, op))
        make_room(r, e->object);
    else if (e->kind == FORE_EV_RECV && e->flags & FORE_F_CLOSED)
        make_empty(r, e->object);
    else if (e->kind == FORE_EV_SELECT)
        repair_default(r, op);
}

/* A send that waits for those that must be in front of it, one of which waits for it: it must be
 * received itself, and come before them. The earliest such send is tried. */
static void repair_order(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    uint32_t best = FORE_NO_OP;
    for (size_t i = 0; i < r->touched.n; i++) {
        uint32_t op = stuck_at(r, r->touched.at[i]);
        if (op != FORE_NO_OP && is_put(r, op) && can_be_early(r, op) &&
            (best == FORE_NO_OP || r->c->when[op] < r->c->when[best]))
            best = op;
    }
    if (best != FORE_NO_OP)
        require(r, p->ops[best].link);
}

static void repair(struct fore_reach *r)
{
    for (size_t k = 0, n = r->touched.n; k < n; k++) {
        uint32_t op = stuck_at(r, r->touched.at[k]);
        if (op != FORE_NO_OP)
            repair_room(r, op);
    }
    if (buffered_meeting(r) && !r->put &&
        stuck_at(r, fore_insn_thread(r->c->p, r->x.a)) == r->x.a)
        repair_room(r, r->x.a);
    if (!r->work.n)
        repair_order(r);
}

/* A receive finds a closed channel only when its buffer is empty. */
static void require_empty(struct fore_reach *r)
{
    uint32_t n = fore_machine_queued(&r->m, r->x.chan), head;
    if (r->x.rule == FORE_COMM_RECEIVE && n &&
        (head = fore_machine_head(&r->m, r->x.chan)) != FORE_NO_OP)
        require(r, r->c->p->ops[head].link);
}

/* An earlier message, whose receive is not needed yet, is before the one to be taken. */
static void require_head(struct fore_reach *r)
{
    uint32_t head = fore_machine_head(&r->m, r->x.chan);
    if (buffered_meeting(r) && r->put && head != FORE_NO_OP && head != r->x.a)
        require(r, r->c->p->ops[head].link);
}

static void reset(struct fore_reach *r)
{
    for (size_t i = 0; i < r->touched.n; i++) {
        uint32_t t = r->touched.at[i];
        r->need[t] = r->closed_over[t] = r->c->p->first[t];
    }
    for (uint32_t x = 1; x <= r->c->p->objects && !r->c->simple; x++)
        r->seen[x] = 0;
    fore_vec_clear(&r->touched);
    fore_vec_clear(&r->work);
    r->failed = false;
}

/* Closes, plays, repairs, until the two meet or nothing more can be asked for. */
static bool search(struct fore_reach *r)
{
    for (unsigned i = 0; i < MOST_REPAIRS; i++) {
        if (!close_over(r) || (r->c->budget && fore_budget_spent(r->c->budget)))
            return false;
        list_todo(r);
        bool all = play(r);
        bool met = all && meet(r);
        if (!met && all) {
            require_empty(r);
            require_head(r);
        }
        if (!all)
            repair(r);
        if (met || !r->work.n)
            return met;
    }
    return false;
}

bool fore_reach_find(struct fore_reach *r, struct fore_comm_pair x)
{
    reset(r);
    r->x = x;
    if (fore_insn_thread(r->c->p, x.a) == fore_insn_thread(r->c->p, x.b) &&
        x.rule == FORE_COMM_ALTERNATIVE && !fore_chan_capacity(r->c->p, x.chan))
        return false;
    if (done_first(r))
        require(r, x.a);
    else
        require_before(r, x.a);
    require_before(r, x.b);
    return search(r);
}

/* ---- life --------------------------------------------------------------------------------- */

static void index_objects(struct fore_reach *r)
{
    const struct fore_comm *c = r->c;
    size_t objects = (size_t)c->p->objects + 2;
    r->seen = fore_calloc(objects, sizeof *r->seen);
    r->object_first = fore_calloc(objects + 1, sizeof *r->object_first);
    if (c->simple)
        return;
    for (uint32_t i = 0; i < c->steps; i++) {
        const struct fore_event *e = fore_insn_event(c->p, c->order[i]);
        if (lets_go_on(e->kind, e->flags) && c->when[c->order[i]] == i)
            r->object_first[e->object + 2]++;
    }
    for (size_t x = 2; x <= objects; x++)
        r->object_first[x] += r->object_first[x - 1];
    r->by_object =
        fore_calloc((size_t)r->object_first[objects] + 1, sizeof *r->by_object);
    for (uint32_t i = 0; i < c->steps; i++) {
        const struct fore_event *e = fore_insn_event(c->p, c->order[i]);
        if (lets_go_on(e->kind, e->flags) && c->when[c->order[i]] == i)
            r->by_object[r->object_first[e->object + 1]++] = c->order[i];
    }
}

void fore_reach_init(struct fore_reach *r, const struct fore_comm *c)
{
    size_t threads = (size_t)c->p->threads + 2, objects = (size_t)c->p->objects + 1;
    *r = (struct fore_reach){.c = c};
    r->need = fore_alloc(threads * sizeof *r->need);
    r->closed_over = fore_alloc(threads * sizeof *r->closed_over);
    memcpy(r->need, c->p->first, threads * sizeof *r->need);
    memcpy(r->closed_over, c->p->first, threads * sizeof *r->closed_over);
    r->early = fore_calloc(objects, sizeof *r->early);
    r->users = fore_calloc(objects, sizeof *r->users);
    index_objects(r);
}

void fore_reach_release(struct fore_reach *r)
{
    fore_machine_release(&r->m);
    fore_vec_release(&r->run.list);
    fore_free(r->need);
    fore_free(r->closed_over);
    fore_free(r->early);
    fore_free(r->users);
    fore_free(r->seen);
    fore_free(r->by_object);
    fore_free(r->object_first);
    fore_vec_release(&r->work);
    fore_vec_release(&r->touched);
    fore_vec_release(&r->todo);
    fore_vec_release(&r->used);
}
