#include "machine/witness.h"

#include "machine/layout.h"

/* Notes an event whose index is that of the thread's next recorded one. */
static void note_made(struct fore_witness *w, const struct fore_machine *m,
                      const struct fore_event *e)
{
    fore_vec_ensure(&w->counts, (size_t)e->thread + 1);
    uint32_t at = w->counts.at[e->thread];
    at += (uint32_t)fore_trace_left_out(m->p->trace, e->thread, at);
    fore_vec_push(&w->index, at);
    fore_vec_push(&w->events, *e);
}

static void note_event(struct fore_witness *w, const struct fore_machine *m,
                       const struct fore_event *e)
{
    note_made(w, m, e);
    w->counts.at[e->thread]++;
}

/* The event by which the thread announced its next operation. If none was recorded and `make` is
 * set, one is made, because the announcement happens in this run. */
static void note_pre(struct fore_witness *w, const struct fore_machine *m,
                     uint32_t thread, bool make)
{
    uint32_t op = fore_machine_next(m, thread);
    if (op == FORE_NO_OP)
        return;
    struct fore_event pre = *fore_insn_pre(m->p, op);
    bool recorded = m->p->ops[op].pre != FORE_NO_EVENT;
    if (!recorded) {
        if (!make || !fore_kind_blocks(pre.kind))
            return;
        pre.flags |= FORE_F_PRE;
    }
    fore_vec_ensure(&w->announced, (size_t)thread + 1);
    uint32_t *noted = &w->announced.at[thread];
    if (*noted == op + 1 || pre.kind == FORE_EV_CWAIT)
        return;
    *noted = op + 1;
    if (recorded)
        note_event(w, m, &pre);
    else
        note_made(w, m, &pre);
}

static uint64_t next_send(struct fore_witness *w, uint32_t thread, uint32_t chan)
{
    return ++*fore_map_put(&w->sends, (uint64_t)thread << 32 | chan, NULL);
}

void fore_witness_begin(struct fore_witness *w, const struct fore_machine *m)
{
    const struct fore_program *p = m->p;
    fore_vec_ensure(&w->counts, (size_t)p->threads + 1);
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t end = get_thread(m, t, T_NEXT);
        w->counts.at[t] = (uint32_t)fore_insn_events_before(p, t, end);
        for (uint32_t op = p->first[t]; op < end; op++)
            if (p->ops[op].kind == FORE_EV_SEND && !(p->ops[op].flags & FORE_F_CLOSED) &&
                !fore_chan_capacity(p, p->ops[op].object))
                next_send(w, t, p->ops[op].object);
    }
}

void fore_witness_wait(struct fore_witness *w, const struct fore_machine *m,
                       uint32_t thread)
{
    note_pre(w, m, thread, true);
}

/* The number of a message in a buffer: the recorded one if it has one, otherwise a new one. */
static uint64_t number_of(struct fore_witness *w, const struct fore_machine *m,
                          uint32_t op, uint32_t chan)
{
    const struct fore_program *p = m->p;
    const struct fore_event *e = fore_insn_event(p, op);
    if (e->kind == FORE_EV_SEND && e->object == chan && !(e->flags & FORE_F_CLOSED))
        return e->a;
    bool fresh;
    uint64_t *n = fore_map_put(&w->numbers, op, &fresh);
    if (!fresh)
        return *n;
    for (size_t i = 0; !w->fresh && i < p->trace->events.n; i++)
        if (p->trace->events.at[i].kind == FORE_EV_SEND &&
            p->trace->events.at[i].a > w->fresh)
            w->fresh = p->trace->events.at[i].a;
    return *n = ++w->fresh;
}

static const struct fore_case *chosen_case(const struct fore_machine *m, uint32_t op,
                                           uint32_t at, struct fore_case *one)
{
    size_t n;
    return fore_insn_cases(m->p, op, one, &n) + at;
}

/* If another case than the recorded one is taken, only the select's own place is known. */
static struct fore_event done_event(const struct fore_machine *m, uint32_t op,
                                    unsigned kind, uint32_t object)
{
    const struct fore_event *like = fore_insn_event(m->p, op);
    const struct fore_event *pre = fore_insn_pre(m->p, op);
    bool same = like->kind == kind && (like->object == object || like->object == 0);
    return (struct fore_event){
        .thread = like->thread,
        .kind = (uint16_t)kind,
        .object = object,
        .where = (same && like->where) || !pre->where ? like->where : pre->where};
}

static void note_sync(struct fore_witness *w, const struct fore_machine *m,
                      struct fore_move v)
{
    struct fore_case one;
    uint32_t s = fore_machine_next(m, v.thread), r = fore_machine_next(m, v.other);
    uint32_t chan = chosen_case(m, s, v.at, &one)->chan;
    struct fore_event send = done_event(m, s, FORE_EV_SEND, chan);
    struct fore_event receive = done_event(m, r, FORE_EV_RECV, chan);
    send.a = next_send(w, v.thread, chan);
    receive.a = v.thread;
    receive.b = send.a;
    note_event(w, m, &send);
    note_event(w, m, &receive);
}

static void note_channel(struct fore_witness *w, const struct fore_machine *m,
                         struct fore_move v)
{
    struct fore_case one;
    uint32_t op = fore_machine_next(m, v.thread);
    const struct fore_case *c = chosen_case(m, op, v.at, &one);
    unsigned kind = c->kind == FORE_CASE_SEND   ? FORE_EV_SEND
                    : c->kind == FORE_CASE_RECV ? FORE_EV_RECV
                                                : FORE_EV_SELECT;
    struct fore_event e = done_event(m, op, kind, c->chan);
    if (v.act == FORE_ACT_PUT)
        e.a = number_of(w, m, op, c->chan);
    else if (v.act == FORE_ACT_TAKE)
        e.a = number_of(w, m, fore_machine_head(m, c->chan), c->chan);
    else if (v.act == FORE_ACT_DEFAULT)
        e.flags = c->kind == FORE_CASE_TIMEOUT ? FORE_F_TIMEOUT : 0;
    else
        e.flags = FORE_F_CLOSED;
    note_event(w, m, &e);
}

/* The recorded event, with the results of this run. */
static void note_op(struct fore_witness *w, const struct fore_machine *m,
                    struct fore_move v)
{
    uint32_t op = fore_machine_next(m, v.thread);
    struct fore_event e = *fore_insn_event(m->p, op);
    bool same = fore_machine_faithful(m, v);
    e.kind = (uint16_t)fore_insn_kind(m->p, op);
    e.flags &= (uint16_t)~FORE_F_PRE;
    if (e.kind == FORE_EV_CSIGNAL)
        e.a = v.other;
    if (e.kind == FORE_EV_CLOSE)
        e.flags = v.act == FORE_ACT_PANIC ? FORE_F_CLOSED : 0;
    if (!same && (e.kind == FORE_EV_TRYLOCK || e.kind == FORE_EV_TRYRLOCK))
        e.flags ^= FORE_F_BUSY;
    if (e.kind == FORE_EV_ONCE) { /* one that never ended may be either */
        e.flags &= (uint16_t)~FORE_F_BUSY;
        e.flags |= get_object(m, e.object, COUNT) ? FORE_F_BUSY : 0;
    }
    if (!same && e.kind == FORE_EV_ACQUIRE && e.flags & FORE_F_BUSY)
        e.a = 0;                           /* tried, and got nothing */
    if (!same && e.kind == FORE_EV_READ) { /* the reader finds out what it saw instead */
        e.flags &= (uint16_t) ~(7u << FORE_F_VALUE_SHIFT);
        e.a = 0;
    }
    note_event(w, m, &e);
}

void fore_witness_step(struct fore_witness *w, struct fore_machine *m, struct fore_move v)
{
    note_pre(w, m, v.thread, v.act == FORE_ACT_ARRIVE);
    uint32_t op = fore_machine_next(m, v.thread);
    if (v.act == FORE_ACT_SYNC) {
        note_pre(w, m, v.other, false);
        note_sync(w, m, v);
    } else if (v.act != FORE_ACT_ARRIVE) {
        if (fore_insn_offers(m->p, op))
            note_channel(w, m, v);
        else
            note_op(w, m, v);
    }
    fore_machine_step(m, v);
}

void fore_witness_release(struct fore_witness *w)
{
    fore_vec_release(&w->events);
    fore_vec_release(&w->index);
    fore_map_release(&w->sends);
    fore_map_release(&w->numbers);
    fore_vec_release(&w->announced);
    fore_vec_release(&w->counts);
}
