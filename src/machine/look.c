/* Questions about the machine's state, and the step that was recorded. */
#include "machine/layout.h"
#include "trace/format.h"

uint32_t fore_machine_next(const struct fore_machine *m, uint32_t thread)
{
    return next_of(m, thread);
}

unsigned fore_machine_flags(const struct fore_machine *m, uint32_t thread)
{
    return get_thread(m, thread, T_FLAGS);
}

uint32_t fore_machine_done(const struct fore_machine *m, uint32_t thread)
{
    return get_thread(m, thread, T_NEXT) - m->p->first[thread];
}

bool fore_machine_ended(const struct fore_machine *m, uint32_t thread)
{
    unsigned flags = get_thread(m, thread, T_FLAGS);
    return flags & FORE_T_STARTED && !(flags & FORE_T_OFF) &&
           get_thread(m, thread, T_NEXT) == m->p->first[thread + 1];
}

bool fore_machine_blocked(const struct fore_machine *m, uint32_t thread)
{
    struct fore_moves v = {{0}};
    fore_machine_moves(m, thread, true, &v);
    uint32_t next = fore_machine_next(m, thread);
    bool blocked = next != FORE_NO_OP && !fore_insn_is_outside(m->p, next);
    for (size_t i = 0; i < v.list.n && blocked; i++) /* to arrive is not to go on */
        blocked = v.list.at[i].act == FORE_ACT_ARRIVE &&
                  fore_insn_kind(m->p, next) == FORE_EV_LOCK;
    fore_vec_release(&v.list);
    return blocked;
}

uint32_t fore_machine_owner(const struct fore_machine *m, uint32_t lock)
{
    return get_object(m, lock, LOCK_OWNER);
}

static uint32_t readers_of(const struct fore_machine *m, uint32_t lock)
{
    return get_object(m, lock, LOCK_READERS);
}

bool fore_machine_closed(const struct fore_machine *m, uint32_t chan)
{
    return get_object(m, chan, CHAN_CLOSED) != 0;
}

uint32_t fore_machine_queued(const struct fore_machine *m, uint32_t chan)
{
    return queued_in(m, chan);
}

uint32_t fore_machine_message(const struct fore_machine *m, uint32_t chan, uint32_t i)
{
    if (i >= fore_machine_queued(m, chan))
        return FORE_NO_OP;
    return (m->w[m->queue[chan] + get_object(m, chan, CHAN_TAKEN) + i] & ~FORE_TAINT) - 1;
}

uint32_t fore_machine_head(const struct fore_machine *m, uint32_t chan)
{
    return fore_machine_message(m, chan, 0);
}

/* ---- the recorded step ------------------------------------------------------------------ */

static bool find_case(const struct fore_program *p, uint32_t op, uint32_t chan,
                      unsigned kind, uint16_t *at)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == kind && (c[i].chan == chan || kind > FORE_CASE_SEND)) {
            *at = (uint16_t)i;
            return true;
        }
    return false;
}

static bool recorded_sync(const struct fore_machine *m, uint32_t op, struct fore_move *v)
{
    const struct fore_program *p = m->p;
    uint32_t link = p->ops[op].link;
    if (link == FORE_NO_OP)
        return false;
    bool send = p->ops[op].kind == FORE_EV_SEND;
    uint32_t s = send ? op : link, r = send ? link : op;
    uint32_t chan = p->ops[op].object;
    *v = (struct fore_move){.thread = fore_insn_thread(p, s),
                            .other = fore_insn_thread(p, r),
                            .act = FORE_ACT_SYNC};
    return next_of(m, v->thread) == s && next_of(m, v->other) == r &&
           find_case(p, s, chan, FORE_CASE_SEND, &v->at) &&
           find_case(p, r, chan, FORE_CASE_RECV, &v->other_at) &&
           fore_machine_can(m, *v) && fore_machine_faithful(m, *v);
}

/* A send or a receive through a buffer that was open. */
static bool recorded_buffered(const struct fore_machine *m, uint32_t op,
                              struct fore_move *v)
{
    const struct fore_insn *o = &m->p->ops[op];
    bool send = o->kind == FORE_EV_SEND;
    uint32_t queued = queued_in(m, o->object);
    v->act = send ? FORE_ACT_PUT : FORE_ACT_TAKE;
    if (send && (get_object(m, o->object, CHAN_CLOSED) ||
                 queued >= fore_chan_capacity(m->p, o->object)))
        return false;
    if (!send && (!queued || head_of(m, o->object) != o->link))
        return false;
    return !(o->flags & FORE_F_CASES) ||
           find_case(m->p, op, o->object, send ? FORE_CASE_SEND : FORE_CASE_RECV, &v->at);
}

static bool recorded_channel(const struct fore_machine *m, uint32_t op,
                             struct fore_move *v)
{
    const struct fore_insn *o = &m->p->ops[op];
    bool send = o->kind == FORE_EV_SEND, closed = o->flags & FORE_F_CLOSED;
    unsigned kind = send ? FORE_CASE_SEND : FORE_CASE_RECV;
    v->act = send ? FORE_ACT_PANIC : FORE_ACT_CLOSED;
    if (o->kind == FORE_EV_SELECT) {
        v->act = FORE_ACT_DEFAULT;
        kind = o->flags & FORE_F_TIMEOUT ? FORE_CASE_TIMEOUT : FORE_CASE_DEFAULT;
    } else if (!closed) {
        return fore_chan_capacity(m->p, o->object) ? recorded_buffered(m, op, v)
                                                   : recorded_sync(m, op, v);
    }
    return find_case(m->p, op, o->object, kind, &v->at) && fore_machine_can(m, *v) &&
           fore_machine_faithful(m, *v);
}

/* The thread that a signal woke: the one linked to it, or the one that it names, or the first
 * that waits. */
static uint32_t recorded_woken(const struct fore_machine *m, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(m->p, op);
    uint32_t first = m->w[at_list(m, e->object, 0)];
    uint32_t link = m->p->ops[op].link;
    uint32_t named = link != FORE_NO_OP ? fore_insn_thread(m->p, link) : (uint32_t)e->a;
    if (named && get_thread(m, named, T_FLAGS) & FORE_T_WAITING)
        return named;
    return first;
}

bool fore_machine_recorded(const struct fore_machine *m, uint32_t thread,
                           struct fore_move *out)
{
    uint32_t op = next_of(m, thread);
    if (op == FORE_NO_OP || !fore_insn_ended(m->p, op))
        return false;
    *out = (struct fore_move){.thread = thread};
    if (fore_insn_offers(m->p, op))
        return recorded_channel(m, op, out);
    unsigned kind = m->p->ops[op].kind;
    const struct fore_insn_rule *rule = fore_insn_rule(kind);
    switch (kind) {
    case FORE_EV_CSIGNAL:
        out->other = recorded_woken(m, op);
        break;
    case FORE_EV_BARRIER:
        if (!(get_thread(m, thread, T_FLAGS) & FORE_T_ARRIVED))
            out->act = FORE_ACT_ARRIVE;
        break;
    case FORE_EV_CLOSE:
        if (m->p->ops[op].flags & FORE_F_CLOSED)
            out->act = FORE_ACT_PANIC;
        break;
    case FORE_EV_WGADD:
    case FORE_EV_WGDONE:
        break;
    default: /* there is one way to do it, which the rule knows */
        return (!rule->ready || rule->ready(m, thread, op)) &&
               (!rule->same || rule->same(m, thread, op) ||
                (fore_kind_group(kind) == FORE_GROUP_MEMORY &&
                 fore_machine_faithful(m, *out)));
    }
    return fore_machine_can(m, *out) && fore_machine_faithful(m, *out);
}

/* Most operations of a long run are locks and unlocks. If the machine keeps nothing beside its
 * state, and a thread has got what it recorded, only the rule needs to be applied. */
static bool is_plain(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    const struct fore_insn *o = &m->p->ops[op];
    return (o->kind == FORE_EV_LOCK || o->kind == FORE_EV_UNLOCK) &&
           o->done != FORE_NO_EVENT && m->forgetful && m->unlisted && !m->strict &&
           !(get_thread(m, thread, T_FLAGS) & FORE_T_DIFFERS);
}

static bool follow_plain(struct fore_machine *m, uint32_t thread, uint32_t op,
                         struct fore_move *out)
{
    const struct fore_insn_rule *rule = fore_insn_rule(m->p->ops[op].kind);
    if (!rule->ready(m, thread, op))
        return false;
    rule->effect(m, thread, op);
    put_thread(m, thread, T_NEXT, op + 1);
    *out = (struct fore_move){.thread = thread};
    return true;
}

bool fore_machine_follow(struct fore_machine *m, uint32_t thread, struct fore_move *out)
{
    uint32_t op = next_of(m, thread);
    if (op != FORE_NO_OP && is_plain(m, thread, op))
        return follow_plain(m, thread, op, out);
    if (!fore_machine_recorded(m, thread, out))
        return false;
    if (m->strict || m->p->marked)
        fore_machine_take(m, *out); /* it may get another value, or a tainted one */
    else
        fore_machine_commit(m, *out, next_of(m, out->thread), FORE_SAME, FORE_SAME);
    return true;
}

/* ---- words ------------------------------------------------------------------------------- */

void fore_insn_text(const struct fore_program *p, uint32_t op, struct fore_strbuf *out)
{
    const struct fore_event *e = fore_insn_event(p, op);
    const struct fore_tables *t = &p->trace->tables;
    fore_strbuf_printf(out, "thread %s: ", fore_tables_label(t, e->thread));
    fore_event_text(t, e, p->trace->cases.at, out);
    if (t->wheres.at[e->where].file) {
        fore_strbuf_puts(out, " at ");
        fore_tables_place(t, e->where, out);
    }
}

static void cases_text(const struct fore_machine *m, uint32_t op, struct fore_strbuf *out)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(m->p, op, &one, &n);
    for (size_t i = 0; i < n; i++) {
        fore_strbuf_puts(out, i ? " or " : "");
        if (c[i].kind == FORE_CASE_SEND)
            fore_strbuf_puts(out, "to send on ");
        else if (c[i].kind == FORE_CASE_RECV)
            fore_strbuf_puts(out, "to receive from ");
        else
            fore_strbuf_puts(out,
                             c[i].kind == FORE_CASE_DEFAULT ? "default" : "a timeout");
        if (c[i].kind <= FORE_CASE_SEND)
            fore_strbuf_puts(out, c[i].chan
                                      ? fore_tables_name(&m->p->trace->tables, c[i].chan)
                                      : "nil");
    }
}

static void lock_text(const struct fore_machine *m, uint32_t lock, bool reads,
                      struct fore_strbuf *out)
{
    const struct fore_tables *t = &m->p->trace->tables;
    uint32_t owner = lock ? fore_machine_owner(m, lock) : 0;
    uint32_t readers = lock ? readers_of(m, lock) : 0;
    fore_strbuf_printf(out, "for the lock %s", fore_tables_name(t, lock));
    if (owner)
        fore_strbuf_printf(out, ", which thread %s holds", fore_tables_label(t, owner));
    else if (lock && get_object(m, lock, LOCK_WRITERS) && (reads || !readers))
        fore_strbuf_puts(out, ", for which a writer waits");
    else if (readers)
        fore_strbuf_printf(out, ", which %u reader%s", readers,
                           readers > 1 ? "s hold" : " holds");
}

void fore_machine_why(const struct fore_machine *m, uint32_t thread,
                      struct fore_strbuf *out)
{
    uint32_t op = fore_machine_next(m, thread);
    const struct fore_tables *t = &m->p->trace->tables;
    if (op == FORE_NO_OP)
        return;
    const struct fore_event *e = fore_insn_event(m->p, op);
    unsigned kind = fore_insn_kind(m->p, op);
    if (fore_insn_offers(m->p, op))
        cases_text(m, op, out);
    else if (kind == FORE_EV_LOCK || kind == FORE_EV_RLOCK)
        lock_text(m, e->object, kind == FORE_EV_RLOCK, out);
    else if (kind == FORE_EV_CWOKEN && fore_machine_wakes(m, thread, op))
        lock_text(m, (uint32_t)e->a, false, out);
    else if (kind == FORE_EV_JOIN)
        fore_strbuf_printf(out, "for thread %s to end",
                           fore_tables_label(t, (uint32_t)e->a));
    else
        fore_strbuf_printf(out, "for the %s %s",
                           fore_object_kind_name(fore_kind_object(kind)),
                           fore_tables_name(t, e->object));
}
