#include "machine/ledger.h"

#include "machine/layout.h"

static uint32_t hash_word(uint32_t word)
{
    return word ? (uint32_t)fore_hash_u64(word) | 1 : 0;
}

static bool differs(const struct fore_machine *m, uint32_t thread)
{
    return get_thread(m, thread, T_FLAGS) & FORE_T_DIFFERS;
}

/* For an operation that its thread has done or is doing. */
static uint32_t mark_of(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    bool unknown = differs(m, thread) && fore_clause_holds(m->p, FORE_CLAUSE_PASS);
    return hash_word((op + 1) | (unknown ? FORE_TAINT : 0));
}

uint32_t fore_ledger_mark(const struct fore_machine *m, uint32_t op)
{
    return mark_of(m, m->p->ops[op].thread, op);
}

static uint32_t mix_marks(uint32_t a, uint32_t b)
{
    return a ^ (uint32_t)fore_hash_u64((uint64_t)b << 32 | 1);
}

static uint32_t get_ledger(const struct fore_machine *m, uint32_t object, uint32_t field)
{
    return m->w[at_ledger(m, object, field)];
}

static void put_ledger(struct fore_machine *m, uint32_t object, uint32_t field,
                       uint32_t value)
{
    put_cell(m, at_ledger(m, object, field), value);
}

/* ---- what an operation comes after ---- */

static uint32_t causes_of_lock(const struct fore_machine *m, uint32_t thread,
                               uint32_t lock, bool shared)
{
    if (!lock || get_object(m, lock, LOCK_OWNER) == thread)
        return 0; /* taken again by its owner */
    uint32_t last = get_ledger(m, lock, LEDGER_LAST);
    if (!fore_clause_holds(m->p, FORE_CLAUSE_SECTION))
        return 0;
    return shared ? last : mix_marks(last, get_ledger(m, lock, LEDGER_MORE));
}

/* The receive that made room. The send before it tells nothing, because it lets no thread go on. */
static uint32_t causes_of_put(const struct fore_machine *m, uint32_t chan)
{
    uint64_t room = fore_chan_capacity(m->p, chan), n = get_object(m, chan, CHAN_PUT);
    if (n < room || !fore_clause_holds(m->p, FORE_CLAUSE_ROOM))
        return 0;
    return m->w[m->queue[chan] + (uint32_t)(n - room)];
}

static uint32_t causes_of_message(const struct fore_machine *m, struct fore_move v,
                                  uint32_t thread, uint32_t op)
{
    struct fore_case one;
    size_t n;
    bool first = thread == v.thread;
    uint32_t at = first ? v.at : v.other_at, other = first ? v.other : v.thread;
    uint32_t chan = fore_insn_cases(m->p, op, &one, &n)[at].chan;
    bool message = fore_clause_holds(m->p, FORE_CLAUSE_MESSAGE);
    switch (v.act) {
    case FORE_ACT_SYNC:
        return message ? mark_of(m, other, next_of(m, other)) : 0;
    case FORE_ACT_PUT:
        return causes_of_put(m, chan);
    case FORE_ACT_TAKE:
        return message ? hash_word(m->w[m->queue[chan] + get_object(m, chan, CHAN_TAKEN)])
                       : 0;
    case FORE_ACT_CLOSED:
    case FORE_ACT_PANIC:
        return message ? get_ledger(m, chan, LEDGER_MORE) : 0;
    default:
        return 0;
    }
}

/* Units are used in the order in which they are given. */
static uint32_t causes_of_acquire(const struct fore_machine *m, uint32_t sem, uint64_t n)
{
    uint64_t given = get_ledger(m, sem, LEDGER_MORE), room = m->p->puts[sem];
    uint64_t taken = (uint64_t)m->p->initial[sem] + given - get_object(m, sem, COUNT) + n;
    uint64_t unit = taken - (uint64_t)m->p->initial[sem];
    bool needs =
        n && taken > (uint64_t)m->p->initial[sem] && unit <= given && unit <= room;
    return needs ? m->w[m->queue[sem] + (uint32_t)unit - 1] : 0;
}

static uint32_t round_field(const struct fore_machine *m, uint32_t op, uint32_t arrival)
{
    uint64_t size = fore_insn_event(m->p, op)->a;
    return arrival / (uint32_t)(size ? size : 1) % 2 ? LEDGER_MORE : LEDGER_LAST;
}

static uint32_t causes_of_join(const struct fore_machine *m, uint32_t joined)
{
    return mark_of(m, joined, m->p->first[joined + 1]);
}

uint32_t fore_ledger_causes(const struct fore_machine *m, struct fore_move v,
                            uint32_t thread, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(m->p, op);
    uint32_t object = object_of(m, op);
    if (fore_insn_offers(m->p, op))
        return causes_of_message(m, v, thread, op);
    if (!fore_clause_holds(m->p, fore_ledger_clause(m->p, op)) &&
        fore_insn_kind(m->p, op) != FORE_EV_CWOKEN)
        return 0;
    switch (fore_insn_kind(m->p, op)) {
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
        return e->flags & FORE_F_BUSY ? 0 : causes_of_lock(m, thread, object, false);
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        return e->flags & FORE_F_BUSY ? 0 : causes_of_lock(m, thread, object, true);
    case FORE_EV_CWOKEN:
        return mix_marks(causes_of_lock(m, thread, (uint32_t)e->a, false),
                         fore_clause_holds(m->p, FORE_CLAUSE_WOKEN)
                             ? get_thread(m, thread, T_WAKER)
                             : 0);
    case FORE_EV_ACQUIRE:
        return causes_of_acquire(m, object, e->a);
    case FORE_EV_BARRIER:
        return get_ledger(m, object, round_field(m, op, get_thread(m, thread, T_TICKET)));
    case FORE_EV_JOIN:
        return causes_of_join(m, (uint32_t)e->a);
    case FORE_EV_ONCE:
        return e->flags & FORE_F_BUSY ? get_ledger(m, object, LEDGER_LAST) : 0;
    case FORE_EV_WGWAIT:
    case FORE_EV_FIRE:
    case FORE_EV_IN:
    case FORE_EV_OUT:
        return get_ledger(m, object, LEDGER_LAST);
    case FORE_EV_READ:
    case FORE_EV_RMW:
        return hash_word(get_object(m, object, COUNT));
    default:
        return 0;
    }
}

enum fore_clause fore_ledger_clause(const struct fore_program *p, uint32_t op)
{
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_SEND:
        return fore_chan_capacity(p, p->ops[op].object) ? FORE_CLAUSE_ROOM
                                                        : FORE_CLAUSE_MESSAGE;
    case FORE_EV_RECV:
        return FORE_CLAUSE_MESSAGE;
    case FORE_EV_CWOKEN:
        return FORE_CLAUSE_WOKEN;
    case FORE_EV_ACQUIRE:
        return FORE_CLAUSE_UNITS;
    case FORE_EV_BARRIER:
        return FORE_CLAUSE_ROUND;
    case FORE_EV_ONCE:
        return FORE_CLAUSE_ONCE;
    case FORE_EV_WGWAIT:
        return FORE_CLAUSE_DONES;
    case FORE_EV_READ:
    case FORE_EV_RMW:
        return FORE_CLAUSE_ATOMIC;
    case FORE_EV_IN:
    case FORE_EV_OUT:
        return FORE_CLAUSE_ORDER;
    case FORE_EV_JOIN:
        return FORE_CLAUSE_PASS;
    default:
        return FORE_CLAUSE_SECTION;
    }
}

/* ---- what an operation leaves ---- */

static void note_release(struct fore_machine *m, uint32_t lock, uint32_t mark)
{
    if (!lock || get_object(m, lock, LOCK_DEPTH) > 1)
        return;
    put_ledger(m, lock, LEDGER_LAST, mark);
    put_ledger(m, lock, LEDGER_MORE, 0);
}

static void note_units(struct fore_machine *m, uint32_t sem, uint64_t n, uint32_t mark)
{
    uint32_t given = get_ledger(m, sem, LEDGER_MORE);
    for (uint64_t i = 0; i < n && given + i < m->p->puts[sem]; i++)
        put_cell(m, m->queue[sem] + given + (uint32_t)i, mark);
    put_ledger(m, sem, LEDGER_MORE, given + (uint32_t)n);
}

static void note_arrival(struct fore_machine *m, uint32_t op, uint32_t mark)
{
    uint32_t barrier = object_of(m, op), n = get_object(m, barrier, COUNT);
    uint64_t size = fore_insn_event(m->p, op)->a;
    uint32_t field = round_field(m, op, n);
    bool first = n % (uint32_t)(size ? size : 1) == 0;
    put_ledger(m, barrier, field, mark + (first ? 0 : get_ledger(m, barrier, field)));
}

static void note_count(struct fore_machine *m, uint32_t group, int64_t by, uint32_t mark)
{
    if (by > 0 && !get_object(m, group, COUNT))
        put_ledger(m, group, LEDGER_LAST, 0);
    else if (by < 0)
        put_ledger(m, group, LEDGER_LAST, get_ledger(m, group, LEDGER_LAST) + mark);
}

static void note_wakers(struct fore_machine *m, uint32_t condition, uint32_t mark)
{
    for (uint32_t t = m->w[at_list(m, condition, 0)]; t; t = m->w[m->waiters_at + 2 * t])
        put_thread(m, t, T_WAKER, mark);
}

void fore_ledger_note(struct fore_machine *m, struct fore_move v, uint32_t thread,
                      uint32_t op)
{
    const struct fore_event *e = fore_insn_event(m->p, op);
    uint32_t object = object_of(m, op), mark = mark_of(m, thread, op);
    if (v.act == FORE_ACT_ARRIVE) {
        if (fore_insn_kind(m->p, op) == FORE_EV_BARRIER)
            note_arrival(m, op, mark);
        return;
    }
    if (fore_insn_offers(m->p, op))
        return;
    switch (fore_insn_kind(m->p, op)) {
    case FORE_EV_UNLOCK:
        note_release(m, object, mark);
        break;
    case FORE_EV_CWAIT:
        note_release(m, (uint32_t)e->a, mark);
        break;
    case FORE_EV_RUNLOCK:
        put_ledger(m, object, LEDGER_MORE, get_ledger(m, object, LEDGER_MORE) + mark);
        break;
    case FORE_EV_CLOSE:
        put_ledger(m, object, LEDGER_MORE, mark);
        break;
    case FORE_EV_RELEASE:
        note_units(m, object, e->a, mark);
        break;
    case FORE_EV_WGADD:
        note_count(m, object, (int64_t)e->a, mark);
        break;
    case FORE_EV_WGDONE:
        note_count(m, object, -1, mark);
        break;
    case FORE_EV_CSIGNAL:
        if (v.other)
            put_thread(m, v.other, T_WAKER, mark);
        break;
    case FORE_EV_CBROADCAST:
        note_wakers(m, object, mark);
        break;
    case FORE_EV_ONCE:
        if (!(e->flags & FORE_F_BUSY))
            put_ledger(m, object, LEDGER_LAST, mark);
        break;
    case FORE_EV_ARM:
    case FORE_EV_FIRE:
    case FORE_EV_IN:
    case FORE_EV_OUT:
        put_ledger(m, object, LEDGER_LAST, mark);
        break;
    default:
        break;
    }
}
