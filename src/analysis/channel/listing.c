/* Listing schedules by a backward traversal of the dependencies ([goscout], section 5.2): an
 * operation is taken off the end of the trace when nothing that is left depends on it.
 * Operations that are no communication are taken off at once. What remains of each thread is
 * always a prefix, so the state is how far each has been taken back.
 *
 * A buffer read backwards is a queue too: sends are taken off in the order in which their
 * receives were, after the sends that were never received. */
#include "analysis/channel/schedules.h"

enum { MOST_TRIES = 1 << 22 }; /* of an operation */

/* Per channel, for the part that is left. */
struct mouth {
    uint32_t closes, found_closed;
    uint32_t sends, receives; /* through the buffer */
    uint32_t unreceived;      /* sends */
    uint32_t head;            /* of `queue`: the receive whose send is next */
};

struct lister {
    const struct fore_comm *c;
    const struct fore_program *p;
    uint32_t *end;   /* thread -> end of what is left of it */
    uint32_t *joins; /* thread -> joins left that wait for it */
    struct mouth *mouth;
    FORE_VEC(uint32_t) off;    /* operations that were taken off, in that order */
    FORE_VEC(size_t) level;    /* how many were off when each choice was made */
    FORE_VEC(uint32_t) choice; /* the thread that it chose */
    FORE_VEC(uint32_t) schedule;
    size_t tries;
};

static bool is_visible(const struct fore_event *e)
{
    return (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED)) ||
           e->kind == FORE_EV_RECV || e->kind == FORE_EV_SELECT;
}

static bool is_sync(const struct lister *l, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(l->p, op);
    return (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) &&
           !(e->flags & FORE_F_CLOSED) && !fore_chan_capacity(l->p, e->object);
}

static uint32_t last_of(const struct lister *l, uint32_t thread)
{
    return l->end[thread] > l->p->first[thread] ? l->end[thread] - 1 : FORE_NO_OP;
}

/* Must the operation have come before a close that is still there? */
static bool before_close(const struct lister *l, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(l->p, op);
    if (e->kind == FORE_EV_SEND)
        return l->mouth[e->object].closes != 0;
    if (e->kind != FORE_EV_SELECT || e->flags & FORE_F_TIMEOUT)
        return false;
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(l->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan && l->mouth[c[i].chan].closes)
            return true;
    return false;
}

/* The send that must be taken off next: that of the first receive that was taken off. */
static uint32_t expected_send(const struct lister *l, uint32_t chan)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < l->off.n; i++) {
        const struct fore_event *e = fore_insn_event(l->p, l->off.at[i]);
        if (e->kind == FORE_EV_RECV && e->object == chan && !(e->flags & FORE_F_CLOSED) &&
            seen++ == l->mouth[chan].head)
            return l->p->ops[l->off.at[i]].link;
    }
    return FORE_NO_OP;
}

static bool buffer_allows(const struct lister *l, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(l->p, op);
    const struct mouth *m = &l->mouth[e->object];
    if (e->kind == FORE_EV_RECV)
        return m->sends - m->receives < fore_chan_capacity(l->p, e->object);
    if (l->p->ops[op].link == FORE_NO_OP || fore_insn_dropped(l->p, op))
        return true;
    return !m->unreceived && expected_send(l, e->object) == op;
}

static bool can_go(const struct lister *l, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(l->p, op);
    uint32_t thread = e->thread;
    if (op + 1 == l->p->first[thread + 1] && l->joins[thread])
        return false;
    if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
        return last_of(l, (uint32_t)e->a) == FORE_NO_OP;
    if (e->kind == FORE_EV_CLOSE)
        return e->flags & FORE_F_CLOSED || !l->mouth[e->object].found_closed;
    if (e->flags & FORE_F_CLOSED)
        return true;
    if (before_close(l, op))
        return false;
    if (is_sync(l, op))
        return e->kind == FORE_EV_SEND &&
               last_of(l, fore_insn_thread(l->p, l->p->ops[op].link)) ==
                   l->p->ops[op].link;
    if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV)
        return buffer_allows(l, op);
    return true;
}

/* `by` is -1 to take the operation off, 1 to put it back. */
static void count_operation(struct lister *l, uint32_t op, uint32_t by)
{
    const struct fore_event *e = fore_insn_event(l->p, op);
    struct mouth *m =
        &l->mouth[fore_kind_object(e->kind) == FORE_OBJ_CHAN ? e->object : 0];
    bool closed = e->flags & FORE_F_CLOSED;
    if (e->kind == FORE_EV_JOIN)
        l->joins[e->a] += by;
    if (e->kind == FORE_EV_CLOSE && !closed)
        m->closes += by;
    else if (closed)
        m->found_closed += by;
    else if (e->kind == FORE_EV_RECV)
        m->receives += by;
    else if (e->kind == FORE_EV_SEND && !fore_insn_dropped(l->p, op)) {
        m->sends += by;
        if (l->p->ops[op].link == FORE_NO_OP)
            m->unreceived += by;
        else
            m->head -= by;
    }
}

static void take_off(struct lister *l, uint32_t op)
{
    l->end[fore_insn_thread(l->p, op)]--;
    count_operation(l, op, UINT32_MAX);
    fore_vec_push(&l->off, op);
    if (is_sync(l, op) && fore_insn_event(l->p, op)->kind == FORE_EV_SEND)
        take_off(l, l->p->ops[op].link);
}

static void put_back(struct lister *l, size_t to)
{
    while (l->off.n > to) {
        uint32_t op = fore_vec_pop(&l->off);
        l->end[fore_insn_thread(l->p, op)]++;
        count_operation(l, op, 1);
    }
}

static void take_off_invisible(struct lister *l)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t t = 1; t <= l->p->threads; t++) {
            uint32_t op = last_of(l, t);
            if (op == FORE_NO_OP || is_visible(fore_insn_event(l->p, op)) ||
                !can_go(l, op))
                continue;
            take_off(l, op);
            moved = true;
        }
    }
}

/* The next thread from `from` on whose last communication can be taken off, or 0. */
static uint32_t next_choice(struct lister *l, uint32_t from)
{
    for (uint32_t t = from; t <= l->p->threads; t++) {
        uint32_t op = last_of(l, t);
        l->tries++;
        if (op != FORE_NO_OP && is_visible(fore_insn_event(l->p, op)) && can_go(l, op))
            return t;
    }
    return 0;
}

/* Dangling operations are no part of a schedule. */
static void start_listing(struct lister *l)
{
    for (uint32_t t = 1; t <= l->p->threads; t++) {
        uint32_t op = l->p->first[t];
        while (op < l->p->first[t + 1] && fore_insn_ended(l->p, op))
            count_operation(l, op++, 1);
        l->end[t] = op;
    }
    for (uint32_t x = 0; x <= l->p->objects; x++)
        l->mouth[x].head = 0;
    take_off_invisible(l);
}

static bool all_off(const struct lister *l)
{
    for (uint32_t t = 1; t <= l->p->threads; t++)
        if (last_of(l, t) != FORE_NO_OP)
            return false;
    return true;
}

/* With buffers, `default` may have been impossible: the machine decides. */
static bool is_run(const struct lister *l)
{
    struct fore_machine m;
    bool ok = true;
    if (!l->c->queues)
        return true;
    fore_machine_init(&m, l->p);
    for (size_t i = l->off.n; ok && i-- > 0;) {
        struct fore_move v;
        uint32_t op = l->off.at[i], t = fore_insn_thread(l->p, op);
        if (fore_machine_next(&m, t) == op) { /* a rendezvous is here twice */
            ok = fore_machine_recorded(&m, t, &v);
            if (ok)
                fore_machine_step(&m, v);
        }
    }
    fore_machine_release(&m);
    return ok;
}

static void hand_over(struct lister *l, void (*each)(void *, const uint32_t *, size_t),
                      void *ctx)
{
    fore_vec_clear(&l->schedule);
    for (size_t i = l->off.n; i-- > 0;) {
        uint32_t op = l->off.at[i];
        const struct fore_event *e = fore_insn_event(l->p, op);
        if (is_visible(e) && !(e->kind == FORE_EV_RECV && is_sync(l, op)))
            fore_vec_push(&l->schedule, op);
    }
    each(ctx, l->schedule.at, l->schedule.n);
}

/* Depth first, threads in order; `found` counts the schedules handed over. */
static size_t traverse(struct lister *l, size_t most,
                       void (*each)(void *, const uint32_t *, size_t), void *ctx)
{
    size_t found = 0;
    uint32_t from = 1;
    for (;;) {
        uint32_t t = found < most && l->tries < MOST_TRIES ? next_choice(l, from) : 0;
        if (t) {
            fore_vec_push(&l->level, l->off.n);
            fore_vec_push(&l->choice, t);
            take_off(l, last_of(l, t));
            take_off_invisible(l);
            from = 1;
            continue;
        }
        if (found < most && from == 1 && all_off(l) && is_run(l)) {
            hand_over(l, each, ctx);
            found++;
        }
        if (!l->level.n || found >= most)
            return found;
        put_back(l, fore_vec_pop(&l->level));
        from = fore_vec_pop(&l->choice) + 1;
    }
}

size_t fore_schedules_list(const struct fore_comm *c, size_t most,
                           void (*each)(void *ctx, const uint32_t *ops, size_t n),
                           void *ctx)
{
    struct lister l = {.c = c, .p = c->p};
    if (!c->simple || c->t->torn || c->t->lost)
        return 0;
    l.end = fore_calloc((size_t)c->p->threads + 1, sizeof *l.end);
    l.joins = fore_calloc((size_t)c->p->threads + 1, sizeof *l.joins);
    l.mouth = fore_calloc((size_t)c->p->objects + 1, sizeof *l.mouth);
    start_listing(&l);
    size_t n = traverse(&l, most, each, ctx);
    fore_free(l.end);
    fore_free(l.joins);
    fore_free(l.mouth);
    fore_vec_release(&l.off);
    fore_vec_release(&l.level);
    fore_vec_release(&l.choice);
    fore_vec_release(&l.schedule);
    return n;
}
