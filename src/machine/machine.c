#include "machine/layout.h"
#include "machine/ledger.h"
#include "machine/overtake.h"

/* ---- the lists of who offers what, and who waits ------------------------------------- */

/* A doubly linked list in the state: head[0] is the first, head[1] the last; node n has its
 * next and previous at links + 2n. 0 is none. */
static void list_append(struct fore_machine *m, uint32_t head, uint32_t links, uint32_t n)
{
    uint32_t last = m->w[head + 1];
    put_cell(m, links + 2 * n, 0);
    put_cell(m, links + 2 * n + 1, last);
    put_cell(m, last ? links + 2 * last : head, n);
    put_cell(m, head + 1, n);
}

static void list_remove(struct fore_machine *m, uint32_t head, uint32_t links, uint32_t n)
{
    uint32_t next = m->w[links + 2 * n], before = m->w[links + 2 * n + 1];
    put_cell(m, before ? links + 2 * before : head, next);
    put_cell(m, next ? links + 2 * next + 1 : head + 1, before);
}

static uint32_t offers_of(const struct fore_machine *m, uint32_t chan, uint32_t kind)
{
    return at_list(m, chan, kind == FORE_CASE_SEND ? 2 : 0);
}

static bool case_communicates(const struct fore_case *c)
{
    return c->chan && (c->kind == FORE_CASE_SEND || c->kind == FORE_CASE_RECV);
}

static void change_offers(struct fore_machine *m, uint32_t thread, bool make)
{
    uint32_t op = next_of(m, thread);
    if (op == FORE_NO_OP)
        return;
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(m->p, op, &one, &n);
    for (size_t i = 0; i < n; i++) {
        if (!case_communicates(&c[i]))
            continue;
        uint32_t head = offers_of(m, c[i].chan, c[i].kind);
        uint32_t node = m->slot[thread] + (uint32_t)i;
        if (make)
            list_append(m, head, m->offers_at, node);
        else
            list_remove(m, head, m->offers_at, node);
    }
}

void fore_machine_sleep(struct fore_machine *m, uint32_t thread, uint32_t condition)
{
    list_append(m, at_list(m, condition, 0), m->waiters_at, thread);
    put_thread(m, thread, T_FLAGS, get_thread(m, thread, T_FLAGS) | FORE_T_WAITING);
}

void fore_machine_wake(struct fore_machine *m, uint32_t thread, uint32_t condition)
{
    list_remove(m, at_list(m, condition, 0), m->waiters_at, thread);
    uint32_t flags = get_thread(m, thread, T_FLAGS) & ~(uint32_t)FORE_T_WAITING;
    put_thread(m, thread, T_FLAGS, flags | FORE_T_WOKEN);
}

/* ---- life ------------------------------------------------------------------------------ */

/* May a thread that differs still do this as it was recorded? Only if nothing may have decided
 * since. */
static bool decides_nothing(const struct fore_machine *m, uint32_t op)
{
    const struct fore_event *e = fore_insn_pre(m->p, op);
    if (e->flags & FORE_F_STRAIGHT || !fore_clause_holds(m->p, FORE_CLAUSE_STRAIGHT))
        return true;
    return m->p->marked && !m->p->blind &&
           (e->kind != FORE_EV_USE || !fore_clause_holds(m->p, FORE_CLAUSE_USE));
}

/* After an operation of a thread that was overtaken: until then it may have read what it read, as no event came between. */
static void leave_if_overtaken(struct fore_machine *m, uint32_t thread)
{
    uint32_t flags = get_thread(m, thread, T_FLAGS), op = next_of(m, thread);
    if (!(flags & FORE_T_OVERTAKEN) || op == FORE_NO_OP)
        return;
    bool straight = fore_insn_pre(m->p, op)->flags & FORE_F_STRAIGHT;
    put_thread(m, thread, T_FLAGS, flags | FORE_T_DIFFERS | (straight ? 0 : FORE_T_OFF));
}

/* Takes the thread off the trace if the program may do something else than its next operation. */
static void leave_if_undecided(struct fore_machine *m, uint32_t thread)
{
    uint32_t flags = get_thread(m, thread, T_FLAGS), op = next_of(m, thread);
    if (flags & FORE_T_DIFFERS && op != FORE_NO_OP && !decides_nothing(m, op))
        put_thread(m, thread, T_FLAGS, flags | FORE_T_OFF);
}

void fore_machine_start(struct fore_machine *m, uint32_t thread, bool differs)
{
    uint32_t flags = get_thread(m, thread, T_FLAGS) | FORE_T_STARTED;
    put_thread(m, thread, T_FLAGS, flags | (differs ? FORE_T_DIFFERS : 0));
    leave_if_undecided(m, thread);
    if (!m->unlisted)
        change_offers(m, thread, true);
}

static void init_machine(struct fore_machine *m, const struct fore_program *p,
                         bool strict)
{
    *m = (struct fore_machine){.p = p, .strict = strict, .ledger = strict && p->ledger};
    m->queue = fore_calloc((size_t)p->objects + 1, sizeof *m->queue);
    m->slot = fore_calloc((size_t)p->threads + 1, sizeof *m->slot);
    fore_machine_lay_out(m);
    m->w = fore_calloc(m->words, sizeof *m->w);
    m->forgetful = true;
    for (uint32_t x = 1; x <= p->objects; x++)
        if (p->trace->tables.objects.at[x].kind == FORE_OBJ_SEM)
            put_object(m, x, COUNT, (uint32_t)p->initial[x]);
    for (uint32_t t = 1; t <= p->threads; t++) {
        put_thread(m, t, T_NEXT, p->first[t]);
        if (p->gate[t] == FORE_NO_OP)
            fore_machine_start(m, t, false);
    }
    m->forgetful = false;
}

void fore_machine_init(struct fore_machine *m, const struct fore_program *p)
{
    init_machine(m, p, false);
}

void fore_machine_init_strict(struct fore_machine *m, const struct fore_program *p)
{
    init_machine(m, p, true);
}

void fore_machine_forget(struct fore_machine *m)
{
    m->forgetful = m->unlisted = true;
}

void fore_machine_list(struct fore_machine *m)
{
    if (!m->unlisted)
        return;
    m->unlisted = false;
    for (uint32_t x = 1; x <= m->p->objects; x++)
        if (m->p->trace->tables.objects.at[x].kind == FORE_OBJ_CHAN)
            memset(m->w + at_list(m, x, 0), 0, O_WORDS * sizeof *m->w);
    for (uint32_t t = 1; t <= m->p->threads; t++)
        change_offers(m, t, true);
}

void fore_machine_release(struct fore_machine *m)
{
    fore_free(m->w);
    fore_free(m->queue);
    fore_free(m->slot);
    fore_free(m->offer_thread);
    fore_vec_release(&m->trail);
    fore_vec_release(&m->frames);
    *m = (struct fore_machine){0};
}

/* ---- steps ----------------------------------------------------------------------------- */

static const struct fore_case *case_at(const struct fore_machine *m, uint32_t thread,
                                       uint32_t at, struct fore_case *one)
{
    size_t n;
    uint32_t op = next_of(m, thread);
    if (op == FORE_NO_OP)
        return NULL;
    const struct fore_case *c = fore_insn_cases(m->p, op, one, &n);
    return at < n ? &c[at] : NULL;
}

/* Does a channel let a thread do this case, alone? */
static bool case_ready(const struct fore_machine *m, const struct fore_case *c,
                       unsigned act)
{
    if (!case_communicates(c))
        return false;
    bool send = c->kind == FORE_CASE_SEND, closed = fore_machine_closed(m, c->chan);
    uint32_t queued = queued_in(m, c->chan);
    switch (act) {
    case FORE_ACT_PUT:
        return send && !closed && queued < fore_chan_capacity(m->p, c->chan);
    case FORE_ACT_TAKE:
        return !send && queued;
    case FORE_ACT_CLOSED:
        return !send && closed && !queued;
    case FORE_ACT_PANIC:
        return send && closed;
    default:
        return false;
    }
}

static const uint16_t alone[] = {FORE_ACT_PUT, FORE_ACT_TAKE, FORE_ACT_CLOSED,
                                 FORE_ACT_PANIC};

/* A timeout may come at any time, default only when no case is ready for certain. */
static bool default_ready(const struct fore_machine *m, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(m->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
            if (case_ready(m, &c[i], alone[k]))
                return false;
    return true;
}

static bool sync_ready(const struct fore_machine *m, struct fore_move v)
{
    struct fore_case one, two;
    const struct fore_case *s = case_at(m, v.thread, v.at, &one);
    const struct fore_case *r = case_at(m, v.other, v.other_at, &two);
    return s && r && v.thread != v.other && s->kind == FORE_CASE_SEND &&
           r->kind == FORE_CASE_RECV && s->chan && s->chan == r->chan &&
           !fore_chan_capacity(m->p, s->chan) && !fore_machine_closed(m, s->chan);
}

static bool arrive_ready(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    unsigned kind = fore_insn_kind(m->p, op);
    if (get_thread(m, thread, T_FLAGS) & FORE_T_ARRIVED)
        return false;
    return kind == FORE_EV_BARRIER ||
           (kind == FORE_EV_LOCK &&
            object_flags(m, object_of(m, op)) & FORE_OBJ_WRITERS_FIRST &&
            !fore_insn_rule(kind)->ready(m, thread, op));
}

/* Close and wait groups panic instead of waiting. */
static unsigned act_of(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    unsigned kind = fore_insn_kind(m->p, op);
    const struct fore_event *e = fore_insn_event(m->p, op);
    if (kind == FORE_EV_CLOSE && (!e->object || fore_machine_closed(m, e->object)))
        return FORE_ACT_PANIC;
    if ((kind == FORE_EV_WGADD || kind == FORE_EV_WGDONE) &&
        !fore_insn_rule(kind)->same(m, thread, op))
        return FORE_ACT_PANIC;
    return FORE_ACT_OP;
}

static bool op_ready(const struct fore_machine *m, struct fore_move v, uint32_t op)
{
    const struct fore_insn_rule *rule = fore_insn_rule(fore_insn_kind(m->p, op));
    if (rule->ready && !rule->ready(m, v.thread, op))
        return false;
    if (fore_insn_kind(m->p, op) != FORE_EV_CSIGNAL)
        return true;
    uint32_t waiting = m->w[at_list(m, object_of(m, op), 0)];
    for (; waiting && waiting != v.other; waiting = m->w[m->waiters_at + 2 * waiting])
        ;
    return waiting == v.other && (v.other || !m->w[at_list(m, object_of(m, op), 0)]);
}

bool fore_machine_can(const struct fore_machine *m, struct fore_move v)
{
    uint32_t op = next_of(m, v.thread);
    if (op == FORE_NO_OP)
        return false;
    if (v.act == FORE_ACT_ARRIVE)
        return arrive_ready(m, v.thread, op);
    if (!fore_insn_offers(m->p, op))
        return v.act == act_of(m, v.thread, op) && op_ready(m, v, op);
    if (v.act == FORE_ACT_SYNC)
        return sync_ready(m, v);
    struct fore_case one;
    const struct fore_case *c = case_at(m, v.thread, v.at, &one);
    if (v.act == FORE_ACT_DEFAULT && c)
        return c->kind == FORE_CASE_TIMEOUT ||
               (c->kind == FORE_CASE_DEFAULT && (m->lenient || default_ready(m, op)));
    return c && case_ready(m, c, v.act);
}

/* Compares what the thread recorded for its operation with what it would get by this step. */
static enum fore_got channel_outcome(const struct fore_machine *m, uint32_t op,
                                     const struct fore_case *c, unsigned act,
                                     uint32_t partner, bool unknown)
{
    const struct fore_event *e = fore_insn_event(m->p, op);
    bool send = c->kind == FORE_CASE_SEND, closed = e->flags & FORE_F_CLOSED;
    bool same = false;
    if (!fore_insn_ended(m->p, op))
        return FORE_OTHER_WAY;
    if (act == FORE_ACT_DEFAULT)
        same = e->kind == FORE_EV_SELECT &&
               !!(e->flags & FORE_F_TIMEOUT) == (c->kind == FORE_CASE_TIMEOUT);
    else if (e->object == c->chan && e->kind == (send ? FORE_EV_SEND : FORE_EV_RECV))
        same = closed == (act == FORE_ACT_PANIC || act == FORE_ACT_CLOSED);
    if (!same)
        return FORE_OTHER_WAY;
    bool takes = act == FORE_ACT_TAKE || (act == FORE_ACT_SYNC && !send);
    return takes && (unknown || m->p->ops[op].link != partner) ? FORE_OTHER_VALUE
                                                               : FORE_SAME;
}

static enum fore_got plain_outcome(const struct fore_machine *m, uint32_t thread,
                                   uint32_t op)
{
    unsigned kind = fore_insn_kind(m->p, op);
    const struct fore_insn_rule *rule = fore_insn_rule(kind);
    if (!fore_insn_ended(m->p, op))
        return FORE_OTHER_WAY;
    if (!rule->same || rule->same(m, thread, op))
        return FORE_SAME;
    return kind == FORE_EV_READ || kind == FORE_EV_RMW ? FORE_OTHER_VALUE
                                                       : FORE_OTHER_WAY;
}

/* What each of the two threads gets. */
static void judge_move(const struct fore_machine *m, struct fore_move v,
                       enum fore_got *mine, enum fore_got *others)
{
    struct fore_case one, two;
    uint32_t op = next_of(m, v.thread);
    *mine = *others = FORE_SAME;
    if (v.act == FORE_ACT_ARRIVE)
        return;
    if (!fore_insn_offers(m->p, op)) {
        *mine = plain_outcome(m, v.thread, op);
        return;
    }
    const struct fore_case *c = case_at(m, v.thread, v.at, &one);
    bool takes = v.act == FORE_ACT_TAKE;
    uint32_t word =
        takes ? m->w[m->queue[c->chan] + get_object(m, c->chan, CHAN_TAKEN)] : 0;
    *mine = channel_outcome(m, op, c, v.act, (word & ~FORE_TAINT) - 1, word & FORE_TAINT);
    if (v.act == FORE_ACT_SYNC)
        *others = channel_outcome(m, next_of(m, v.other),
                                  case_at(m, v.other, v.other_at, &two), FORE_ACT_SYNC,
                                  op, get_thread(m, v.thread, T_FLAGS) & FORE_T_DIFFERS);
}

/* May the thread go on with another value, until that value may decide something? A lax machine
 * takes it off the trace if the value would decide at once; a strict one does so afterwards, and
 * notes since when. */
static bool carries_on(const struct fore_machine *m, uint32_t thread, enum fore_got got)
{
    uint32_t after = get_thread(m, thread, T_NEXT) + 1;
    return got == FORE_OTHER_VALUE &&
           (m->strict || (after < m->p->first[thread + 1] && decides_nothing(m, after)));
}

bool fore_machine_faithful(const struct fore_machine *m, struct fore_move v)
{
    enum fore_got a, b;
    judge_move(m, v, &a, &b);
    return (a == FORE_SAME || carries_on(m, v.thread, a)) &&
           (b == FORE_SAME || carries_on(m, v.other, b));
}

static void finish_operation(struct fore_machine *m, uint32_t thread, enum fore_got got,
                             bool panics)
{
    uint32_t flags = get_thread(m, thread, T_FLAGS);
    if (got == FORE_SAME && m->unlisted &&
        !(flags & (FORE_T_DIFFERS | FORE_T_OVERTAKEN))) { /* mostly */
        put_thread(m, thread, T_NEXT, get_thread(m, thread, T_NEXT) + 1);
        return;
    }
    if (!m->unlisted)
        change_offers(m, thread, false);
    if (got == FORE_SAME || carries_on(m, thread, got)) {
        if (got != FORE_SAME && fore_clause_holds(m->p, FORE_CLAUSE_VALUE))
            put_thread(m, thread, T_FLAGS, flags | FORE_T_DIFFERS);
        put_thread(m, thread, T_NEXT, get_thread(m, thread, T_NEXT) + 1);
        leave_if_undecided(m, thread);
        leave_if_overtaken(m, thread);
        if (!m->unlisted)
            change_offers(m, thread, true);
        return;
    }
    put_thread(m, thread, T_FLAGS,
               flags | FORE_T_OFF | (uint32_t)(panics ? FORE_T_PANICKED : 0));
}

/* Does the operation learn from its predecessors, whatever values were recorded? */
static bool compares_causes(const struct fore_machine *m, uint32_t op)
{
    unsigned kind = fore_insn_kind(m->p, op);
    return m->p->blind || kind == FORE_EV_IN || kind == FORE_EV_OUT;
}

/* Notes whether this step makes the thread differ, and what the thread leaves for others. */
static void keep_ledger(struct fore_machine *m, struct fore_move v, uint32_t thread,
                        uint32_t op, enum fore_got got)
{
    if (m->learn) {
        if (v.act != FORE_ACT_ARRIVE)
            m->learn[op] = fore_ledger_causes(m, v, thread, op);
    } else if (v.act != FORE_ACT_ARRIVE) {
        uint32_t flags = get_thread(m, thread, T_FLAGS);
        bool differs =
            (got == FORE_OTHER_VALUE && fore_clause_holds(m->p, FORE_CLAUSE_VALUE)) ||
            (got == FORE_SAME && compares_causes(m, op) &&
             fore_ledger_causes(m, v, thread, op) != m->p->causes[op]);
        if (differs && !(flags & FORE_T_DIFFERS))
            put_thread(m, thread, T_FLAGS, flags | FORE_T_DIFFERS);
    }
}

static void arrive_at_operation(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t object = object_of(m, op);
    bool barrier = fore_insn_kind(m->p, op) == FORE_EV_BARRIER;
    uint32_t field = barrier ? COUNT : LOCK_WRITERS, n = get_object(m, object, field);
    put_object(m, object, field, n + 1);
    if (barrier)
        put_thread(m, thread, T_TICKET, n);
    put_thread(m, thread, T_FLAGS, get_thread(m, thread, T_FLAGS) | FORE_T_ARRIVED);
}

/* Effects on a channel's buffer. */
static void move_message(struct fore_machine *m, uint32_t chan, unsigned act, uint32_t op)
{
    uint32_t put_so_far = get_object(m, chan, CHAN_PUT);
    uint32_t taken = get_object(m, chan, CHAN_TAKEN);
    if (act == FORE_ACT_PUT && fore_insn_dropped(m->p, op))
        return; /* the thread that took it out did so before any other thread could */
    if (act == FORE_ACT_PUT) {
        put_cell(m, m->queue[chan] + put_so_far,
                 fore_machine_signed(m, m->p->ops[op].thread, op));
        put_object(m, chan, CHAN_PUT, put_so_far + 1);
    } else if (act == FORE_ACT_TAKE) {
        put_cell(m, m->queue[chan] + taken, m->ledger ? fore_ledger_mark(m, op) : 0);
        put_object(m, chan, CHAN_TAKEN, taken + 1);
    }
}

/* Both sides of a rendezvous are examined before either of them changes. */
static void keep_both(struct fore_machine *m, struct fore_move v, uint32_t op,
                      enum fore_got mine, enum fore_got others)
{
    uint32_t other = v.act == FORE_ACT_SYNC ? next_of(m, v.other) : FORE_NO_OP;
    uint32_t before = other == FORE_NO_OP ? 0 : get_thread(m, v.other, T_FLAGS);
    if (other != FORE_NO_OP)
        keep_ledger(m, v, v.other, other, others);
    uint32_t after = other == FORE_NO_OP ? 0 : get_thread(m, v.other, T_FLAGS);
    if (other != FORE_NO_OP)
        put_thread(m, v.other, T_FLAGS, before);
    keep_ledger(m, v, v.thread, op, mine);
    if (other != FORE_NO_OP)
        put_thread(m, v.other, T_FLAGS, after);
    if (m->ledger && other != FORE_NO_OP)
        fore_ledger_note(m, v, v.other, other);
    if (m->ledger)
        fore_ledger_note(m, v, v.thread, op);
}

void fore_machine_commit(struct fore_machine *m, struct fore_move v, uint32_t op,
                         enum fore_got mine, enum fore_got others)
{
    if (!m->forgetful)
        fore_vec_push(&m->frames, (struct fore_undo_frame){m->trail.n, m->print});
    if (m->strict)
        keep_both(m, v, op, mine, others);
    if (m->strict &&
        (m->p->ops[op].kind == FORE_EV_WRITE || m->p->ops[op].kind == FORE_EV_RMW))
        fore_overtake(m, v.thread, op);
    if (v.act == FORE_ACT_DEFAULT && m->lenient &&
        !(m->p->ops[op].flags & FORE_F_TIMEOUT))
        m->believed |= !default_ready(m, op);
    if (v.act == FORE_ACT_ARRIVE) {
        arrive_at_operation(m, v.thread, op);
        return;
    }
    struct fore_case one;
    unsigned kind = fore_insn_kind(m->p, op);
    const struct fore_insn_rule *rule = fore_insn_rule(kind);
    if (kind == FORE_EV_CSIGNAL && v.other)
        fore_machine_wake(m, v.other, object_of(m, op));
    else if (v.act == FORE_ACT_PUT || v.act == FORE_ACT_TAKE)
        move_message(m,
                     mine == FORE_SAME ? object_of(m, op)
                                       : case_at(m, v.thread, v.at, &one)->chan,
                     v.act, op);
    else if (rule->effect && v.act != FORE_ACT_PANIC && !fore_insn_offers(m->p, op))
        rule->effect(m, v.thread, op);
    finish_operation(m, v.thread, mine, v.act == FORE_ACT_PANIC);
    if (v.act == FORE_ACT_SYNC)
        finish_operation(m, v.other, others, false);
}

void fore_machine_take(struct fore_machine *m, struct fore_move v)
{
    enum fore_got mine, others;
    uint32_t op = next_of(m, v.thread);
    judge_move(m, v, &mine, &others);
    fore_machine_commit(m, v, op, mine, others);
}

void fore_machine_step(struct fore_machine *m, struct fore_move v)
{
    FORE_BUG_IF(!fore_machine_can(m, v));
    fore_machine_take(m, v);
}

void fore_machine_undo(struct fore_machine *m)
{
    FORE_BUG_IF(!m->frames.n);
    struct fore_undo_frame f = fore_vec_pop(&m->frames);
    while (m->trail.n > f.trail) {
        struct fore_saved s = fore_vec_pop(&m->trail);
        m->w[s.at] = s.was;
    }
    m->print = f.print;
}

/* ---- what can happen --------------------------------------------------------------------- */

static void add_syncs(const struct fore_machine *m, uint32_t thread, uint32_t at,
                      const struct fore_case *c, struct fore_moves *out)
{
    bool send = c->kind == FORE_CASE_SEND;
    uint32_t n = m->w[offers_of(m, c->chan, send ? FORE_CASE_RECV : FORE_CASE_SEND)];
    if (fore_chan_capacity(m->p, c->chan) || fore_machine_closed(m, c->chan))
        return;
    for (; n; n = m->w[m->offers_at + 2 * n]) {
        uint32_t other = m->offer_thread[n], other_at = n - m->slot[other];
        if (other == thread)
            continue;
        struct fore_move v = {thread, other, FORE_ACT_SYNC, (uint16_t)at,
                              (uint16_t)other_at};
        if (!send)
            v = (struct fore_move){other, thread, FORE_ACT_SYNC, (uint16_t)other_at,
                                   (uint16_t)at};
        fore_vec_push(&out->list, v);
    }
}

static void channel_moves(const struct fore_machine *m, uint32_t thread, uint32_t op,
                          bool both, struct fore_moves *out)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(m->p, op, &one, &n);
    for (size_t i = 0; i < n; i++) {
        struct fore_move v = {
            .thread = thread, .act = FORE_ACT_DEFAULT, .at = (uint16_t)i};
        if (fore_machine_can(m, v))
            fore_vec_push(&out->list, v);
        if (!case_communicates(&c[i]))
            continue;
        for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
            if (case_ready(m, &c[i], alone[k])) {
                v.act = alone[k];
                fore_vec_push(&out->list, v);
            }
        if (both || c[i].kind == FORE_CASE_SEND)
            add_syncs(m, thread, (uint32_t)i, &c[i], out);
    }
}

static void signal_moves(const struct fore_machine *m, uint32_t thread, uint32_t cond,
                         struct fore_moves *out)
{
    uint32_t w = m->w[at_list(m, cond, 0)];
    do
        fore_vec_push(&out->list, (struct fore_move){thread, w, FORE_ACT_OP, 0, 0});
    while (w && (w = m->w[m->waiters_at + 2 * w]) != 0);
}

void fore_machine_moves(const struct fore_machine *m, uint32_t thread, bool both,
                        struct fore_moves *out)
{
    FORE_BUG_IF(m->unlisted);
    uint32_t op = next_of(m, thread);
    if (op == FORE_NO_OP)
        return;
    if (fore_insn_offers(m->p, op)) {
        channel_moves(m, thread, op, both, out);
        return;
    }
    if (fore_insn_kind(m->p, op) == FORE_EV_CSIGNAL) {
        signal_moves(m, thread, object_of(m, op), out);
        return;
    }
    struct fore_move v = {.thread = thread, .act = FORE_ACT_ARRIVE};
    if (fore_machine_can(m, v))
        fore_vec_push(&out->list, v);
    v.act = (uint16_t)act_of(m, thread, op);
    if (fore_machine_can(m, v))
        fore_vec_push(&out->list, v);
}
