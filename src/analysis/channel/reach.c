/* The least set of operations that the meeting needs is closed under: program order,
 * creation, join, communications (a receive needs its send, a rendezvous both sides),
 * and the observed causes of everything else that waits. It is then played in the
 * observed order. If the run gets stuck, what it lacks is added to the set: for a full
 * buffer the receive of its first message, for a lock its release, for a message in
 * the way its receive. When there is nothing left to add, there is no run.
 *
 * In a buffer, sends whose receives are needed come first, then the send that is to be taken, then
 * the rest: any run has them in this order, since it is a queue. */
#include "analysis/channel/reach_state.h"

/* Of one search. Each repair plays everything again; for an error, that is done a few times however long it is. */
enum { MOST_REPAIRS = 4096, MOST_STEPS = 1 << 22, MOST_PLAYS = 8 };

/* ---- playing it -------------------------------------------------------------------------- */

static void use_channel(struct fore_reach *r, uint32_t chan, uint32_t by, bool early)
{
    if (!r->users[chan])
        fore_vec_push(&r->used, chan);
    r->users[chan] += by;
    r->early[chan] += early ? by : 0;
}

/* Counts which operations must precede which: `by` is 1 before the run, -1 as operations are
 * done. */
static void count_use(struct fore_reach *r, uint32_t op, uint32_t by)
{
    const struct fore_program *p = r->c->p;
    const struct fore_event *e = fore_insn_event(p, op);
    if (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED))
        use_channel(r, e->object, by,
                    fore_reach_is_put(r, op) && fore_reach_is_early(r, op));
    if (e->kind != FORE_EV_SELECT || e->flags & FORE_F_TIMEOUT)
        return;
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan)
            use_channel(r, c[i].chan, by, false);
}

/* The first operation from `op` on that the thread has to do. A rendezvous is done once, as its
 * send. */
static uint32_t first_to_do(const struct fore_reach *r, uint32_t thread, uint32_t op)
{
    const struct fore_program *p = r->c->p;
    for (; op < r->need.need[thread]; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        if (e->kind != FORE_EV_RECV || e->flags & FORE_F_CLOSED ||
            fore_chan_capacity(p, e->object))
            return op;
    }
    return FORE_NO_OP;
}

/* ---- the next operation of each thread, the one that was observed first on top ------------ */

static void push_head(struct fore_reach *r, uint32_t op)
{
    uint64_t key = (uint64_t)r->c->when[op] << 32 | op;
    fore_vec_push(&r->heads, key);
    size_t at = r->heads.n - 1;
    for (; at && r->heads.at[(at - 1) / 2] > key; at = (at - 1) / 2)
        r->heads.at[at] = r->heads.at[(at - 1) / 2];
    r->heads.at[at] = key;
}

static uint32_t pop_head(struct fore_reach *r)
{
    uint64_t *h = r->heads.at, top = h[0], key = fore_vec_pop(&r->heads);
    size_t n = r->heads.n, at = 0, child;
    for (; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && h[child + 1] < h[child])
            child++;
        if (key <= h[child])
            break;
        h[at] = h[child];
    }
    if (n)
        h[at] = key;
    return (uint32_t)top;
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

static bool take_move(struct fore_reach *r, struct fore_move v)
{
    if (!fore_machine_can(&r->m, v))
        return false;
    fore_machine_step(&r->m, v);
    fore_vec_push(&r->run.list, v);
    return true;
}

/* Must the operation wait for others, although the machine would let it? */
bool fore_reach_deferred(const struct fore_reach *r, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(r->c->p, op);
    if (e->kind == FORE_EV_CLOSE && e->object && !(e->flags & FORE_F_CLOSED))
        return r->users[e->object] != 0;
    if (!fore_reach_is_put(r, op) || fore_reach_is_early(r, op))
        return false;
    return r->early[e->object] ||
           (fore_reach_buffered(r) && e->object == r->x.chan && op != r->x.a && !r->put);
}

static bool do_recorded(struct fore_reach *r, uint32_t op)
{
    struct fore_move v;
    uint32_t t = fore_insn_thread(r->c->p, op);
    if (fore_machine_next(&r->m, t) != op || fore_reach_deferred(r, op))
        return false;
    do
        if (!fore_machine_recorded(&r->m, t, &v) || !take_move(r, v))
            return false;
    while (v.act == FORE_ACT_ARRIVE && fore_insn_kind(r->c->p, op) == FORE_EV_BARRIER);
    count_use(r, op, UINT32_MAX);
    if (op == r->x.a)
        r->put = true;
    return true;
}

/* Tries a send that was not recorded as one, as soon as all that must come before it are done. */
static bool try_put(struct fore_reach *r)
{
    uint32_t t = fore_insn_thread(r->c->p, r->x.a);
    if (r->put || !fore_reach_buffered(r) || fore_reach_puts(r) || r->early[r->x.chan] ||
        fore_machine_next(&r->m, t) != r->x.a)
        return false;
    r->put = take_move(r, (struct fore_move){.thread = t,
                                             .act = FORE_ACT_PUT,
                                             .at = case_of(r, r->x.a, FORE_CASE_SEND)});
    if (r->put)
        use_channel(r, r->x.chan, UINT32_MAX, false);
    return r->put;
}

static bool bring_together(struct fore_reach *r)
{
    const struct fore_program *p = r->c->p;
    struct fore_move v = {.thread = fore_insn_thread(p, r->x.b)};
    switch (r->x.rule) {
    case FORE_COMM_ALTERNATIVE:
        v.at = case_of(r, r->x.b, FORE_CASE_RECV);
        v.act = FORE_ACT_TAKE;
        if (fore_reach_buffered(r))
            return r->put && fore_machine_head(&r->m, r->x.chan) == r->x.a &&
                   take_move(r, v);
        return take_move(r, (struct fore_move){fore_insn_thread(p, r->x.a), v.thread,
                                               FORE_ACT_SYNC,
                                               case_of(r, r->x.a, FORE_CASE_SEND), v.at});
    case FORE_COMM_SEND:
        v.at = case_of(r, r->x.b, FORE_CASE_SEND);
        v.act = FORE_ACT_PANIC;
        return take_move(r, v);
    case FORE_COMM_RECEIVE:
        v.at = case_of(r, r->x.b, FORE_CASE_RECV);
        v.act = FORE_ACT_CLOSED;
        return take_move(r, v);
    default:
        v.act = FORE_ACT_PANIC;
        return take_move(r, (struct fore_move){.thread = fore_insn_thread(p, r->x.a)}) &&
               take_move(r, v);
    }
}

static void count_uses(struct fore_reach *r)
{
    for (size_t i = 0; i < r->used.n; i++)
        r->users[r->used.at[i]] = r->early[r->used.at[i]] = 0;
    fore_vec_clear(&r->used);
    fore_vec_clear(&r->waiting);
    for (size_t i = 0; i < r->need.touched.n; i++) {
        uint32_t t = r->need.touched.at[i], op = first_to_do(r, t, r->c->p->first[t]);
        if (op != FORE_NO_OP)
            fore_vec_push(&r->waiting, op);
        for (; op != FORE_NO_OP; op = first_to_do(r, t, op + 1)) {
            count_use(r, op, 1);
            r->effort++;
        }
    }
    if (fore_reach_buffered(r) && !fore_reach_puts(r))
        use_channel(r, r->x.chan, 1, false);
}

/* One round, in the observed order: a thread goes on until it has to wait for the next round.
 * Messages that will not be received are only in the way (of a default that was taken, for one):
 * they are sent when nothing else moves, and then one at a time. */
static bool play_round(struct fore_reach *r, bool in_the_way)
{
    bool moved = false;
    fore_vec_clear(&r->heads);
    for (size_t i = 0; i < r->waiting.n; i++)
        push_head(r, r->waiting.at[i]);
    fore_vec_clear(&r->waiting);
    while (r->heads.n) {
        uint32_t op = pop_head(r);
        r->effort++;
        bool wait =
            in_the_way ? moved : fore_reach_is_put(r, op) && !fore_reach_is_early(r, op);
        if (!wait && do_recorded(r, op)) {
            moved = true;
            op = first_to_do(r, fore_insn_thread(r->c->p, op), op + 1);
            if (op != FORE_NO_OP)
                push_head(r, op);
        } else {
            fore_vec_push(&r->waiting, op);
        }
    }
    return moved || (in_the_way && try_put(r));
}

static bool play_closed_set(struct fore_reach *r)
{
    fore_machine_release(&r->m);
    fore_machine_init(&r->m, r->c->p);
    fore_machine_forget(&r->m);
    r->put = false;
    fore_vec_clear(&r->run.list);
    r->effort += r->m.words / 16 + 64;
    count_uses(r);
    while (play_round(r, false) || play_round(r, true))
        ;
    return !r->waiting.n;
}

/* ---- the search ------------------------------------------------------------------------- */

/* Closes, plays, repairs, until the two meet or nothing more can be asked for. */
static bool close_play_repair(struct fore_reach *r)
{
    uint64_t start = r->effort, most = MOST_STEPS;
    if (!fore_comm_is_note(r->x.rule))
        most += (uint64_t)MOST_PLAYS * r->c->p->op_count;
    for (unsigned i = 0; i < MOST_REPAIRS && r->effort - start < most; i++) {
        uint64_t closed = r->need.work_done;
        bool ahead = fore_reach_close_over(r);
        r->effort += r->need.work_done - closed;
        if (!ahead || fore_budget_spent_now(r->budget))
            return false;
        bool all = play_closed_set(r);
        bool met = all && bring_together(r);
        if (!met && all)
            fore_reach_clear_way(r);
        if (!all)
            fore_reach_repair(r);
        if (met || !r->need.work.n)
            return met;
    }
    r->gave_up = true;
    return false;
}

bool fore_reach_find(struct fore_reach *r, struct fore_comm_pair x)
{
    if (fore_budget_spent(r->budget)) /* not after everything that it needs was found */
        return false;
    fore_closure_clear(&r->need);
    r->x = x;
    if (fore_insn_thread(r->c->p, x.a) == fore_insn_thread(r->c->p, x.b) &&
        x.rule == FORE_COMM_ALTERNATIVE && !fore_chan_capacity(r->c->p, x.chan))
        return false;
    if (fore_reach_done_first(r))
        fore_closure_want(&r->need, x.a);
    else
        fore_closure_want_before(&r->need, x.a);
    fore_closure_want_before(&r->need, x.b);
    return close_play_repair(r);
}

/* ---- life --------------------------------------------------------------------------------- */

void fore_reach_init(struct fore_reach *r, const struct fore_comm *c)
{
    size_t objects = (size_t)c->p->objects + 1;
    *r = (struct fore_reach){.c = c, .budget = c->budget};
    fore_closure_init(&r->need, fore_run_index(c->run),
                      FORE_KEEPS_COUNTS | FORE_KEEPS_ATOMICS);
    r->early = fore_calloc(objects, sizeof *r->early);
    r->users = fore_calloc(objects, sizeof *r->users);
}

void fore_reach_release(struct fore_reach *r)
{
    fore_machine_release(&r->m);
    fore_vec_release(&r->run.list);
    fore_free(r->early);
    fore_free(r->users);
    fore_closure_release(&r->need);
    fore_vec_release(&r->waiting);
    fore_vec_release(&r->heads);
    fore_vec_release(&r->used);
}
