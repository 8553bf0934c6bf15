#include "machine/closure.h"

#include "machine/quiet.h"

void fore_closure_want(struct fore_closure *c, uint32_t op)
{
    if (op == FORE_NO_OP) {
        c->failed = true;
        return;
    }
    uint32_t t = fore_insn_thread(c->p, op);
    if (op < c->need[t])
        return;
    if (c->need[t] == c->p->first[t])
        fore_vec_push(&c->touched, t);
    c->need[t] = op + 1;
    fore_vec_push(&c->work, t);
}

void fore_closure_want_before(struct fore_closure *c, uint32_t op)
{
    uint32_t t = fore_insn_thread(c->p, op), gate = c->p->gate[t];
    if (op > c->p->first[t])
        fore_closure_want(c, op - 1);
    else if (gate != FORE_NO_OP)
        fore_closure_want(c, gate);
}

/* Which operations of a list are needed. */
enum pick {
    PICK_ALL,
    PICK_GIVING,
    PICK_COUNTING_UP,
    PICK_COUNTING_DOWN,
    PICK_READING,
    PICK_DRAINED,
    PICKS
};

static bool is_picked(const struct fore_closure *c, uint32_t op, enum pick pick)
{
    const struct fore_insn *o = &c->p->ops[op];
    switch (o->kind) {
    case FORE_EV_ACQUIRE:
        return pick == PICK_ALL;
    case FORE_EV_WGDONE:
        return pick != PICK_COUNTING_UP;
    case FORE_EV_WGADD:
        return pick == PICK_GIVING ||
               ((int64_t)fore_insn_event(c->p, op)->a > 0) == (pick == PICK_COUNTING_UP);
    case FORE_EV_WGWAIT:
        return false;
    case FORE_EV_ONCE:
        return !(o->flags & FORE_F_BUSY);
    default:
        return true;
    }
}

/* Needs those of the first `count` operations of a list that are picked. */
static void want_first(struct fore_closure *c, uint32_t list, uint32_t count,
                       enum pick pick)
{
    const struct fore_index *x = c->index;
    uint32_t have = x->start[list + 1] - x->start[list];
    uint64_t *from = fore_map_put(&c->reached, (uint64_t)list * PICKS + pick, NULL);
    uint64_t first = *from;
    count = count < have ? count : have;
    if (count <= first)
        return;
    *from = count;
    for (uint64_t i = first; i < count; i++) {
        uint32_t op = x->ops[x->start[list] + i];
        if (is_picked(c, op, pick))
            fore_closure_want(c, op);
    }
}

static void want_earlier(struct fore_closure *c, uint32_t op, enum pick pick)
{
    want_first(c, fore_index_list(c->p, op), fore_index_position(c->index, op), pick);
}

static void want_link(struct fore_closure *c, uint32_t op)
{
    if (c->p->ops[op].link != FORE_NO_OP)
        fore_closure_want(c, c->p->ops[op].link);
}

/* A receive that finds a closed channel empty needs the receives that emptied its buffer. */
static void want_drained(struct fore_closure *c, uint32_t chan)
{
    const struct fore_index *x = c->index;
    uint32_t sends = 2 * chan;
    uint64_t *drained =
        fore_map_put(&c->reached, (uint64_t)sends * PICKS + PICK_DRAINED, NULL);
    if (*drained)
        return;
    *drained = true;
    for (uint32_t i = x->start[sends]; i < x->start[sends + 1]; i++)
        if (c->p->ops[x->ops[i]].kind == FORE_EV_SEND && fore_closure_has(c, x->ops[i]))
            want_link(c, x->ops[i]);
}

static bool is_drained(const struct fore_closure *c, uint32_t chan)
{
    return fore_map_get(&c->reached, 2 * (uint64_t)chan * PICKS + PICK_DRAINED);
}

/* The queue is first in, first out: the n-th receive needs n sends and the receives before it,
 * a send needs room. */
static void want_in_buffer(struct fore_closure *c, uint32_t op)
{
    const struct fore_insn *o = &c->p->ops[op];
    uint32_t sends = 2 * o->object, receives = sends + 1;
    uint64_t room = fore_chan_capacity(c->p, o->object);
    uint32_t n = fore_index_position(c->index, op);
    if (o->kind == FORE_EV_RECV) {
        want_first(c, receives, n, PICK_ALL);
        want_first(c, sends, n + 1, PICK_ALL);
    } else {
        want_first(c, receives, n + 1 > room ? n + 1 - (uint32_t)room : 0, PICK_ALL);
        if (is_drained(c, o->object))
            want_link(c, op);
    }
}

static void want_channel(struct fore_closure *c, uint32_t op)
{
    const struct fore_insn *o = &c->p->ops[op];
    bool buffered = fore_chan_capacity(c->p, o->object);
    bool in_order = buffered && c->keeps & FORE_KEEPS_BUFFERS;
    if (o->kind == FORE_EV_SELECT)
        return;
    if (o->flags & FORE_F_CLOSED) {
        fore_closure_want(c, c->index->closed[o->object]);
        if (in_order && o->kind == FORE_EV_RECV)
            want_drained(c, o->object);
    } else if (in_order) {
        want_in_buffer(c, op);
    } else if (o->kind == FORE_EV_RECV || !buffered) {
        fore_closure_want(c, o->link);
    }
}

static bool is_later(const struct fore_program *p, uint32_t op, uint32_t than)
{
    return fore_insn_event(p, op) > fore_insn_event(p, than);
}

static void want_release(struct fore_closure *c, uint32_t acquisition)
{
    if (c->index->release[acquisition] != FORE_NO_OP)
        fore_closure_want(c, c->index->release[acquisition]);
}

_Static_assert(FORE_NO_OP == UINT32_MAX, "none is one less than 0");
/* The latest acquisition in the set, of readers or of writers. */
static uint32_t latest_of(const struct fore_closure *c, uint32_t lock, bool reads)
{
    return c->last[2 * (size_t)lock + reads] - 1; /* of 0 that is FORE_NO_OP */
}

static void set_latest(struct fore_closure *c, uint32_t lock, bool reads, uint32_t op)
{
    uint32_t at = 2 * lock + reads;
    if (!c->last[at])
        fore_vec_push(&c->locks, at);
    c->last[at] = op + 1;
}

static bool reads_locked(const struct fore_program *p, uint32_t op)
{
    unsigned kind = fore_insn_kind(p, op);
    return kind == FORE_EV_RLOCK || kind == FORE_EV_TRYRLOCK;
}

/* The read sections in the set that began before a write section are over before it. Read
 * sections that come in later see the write section. */
static void want_readers_out(struct fore_closure *c, uint32_t lock, uint32_t writer)
{
    const struct fore_index *x = c->index;
    uint32_t list = 2 * lock, n = x->start[list + 1] - x->start[list], other;
    uint64_t *from =
        fore_map_put(&c->reached, (uint64_t)list * PICKS + PICK_READING, NULL);
    uint64_t i = *from;
    for (; i < n && is_later(c->p, writer, x->ops[x->start[list] + i]); i++) {
        uint32_t op = x->ops[x->start[list] + i];
        if (reads_locked(c->p, op) && fore_insn_acquires(c->p, op, &other) &&
            fore_closure_has(c, op))
            want_release(c, op);
    }
    *from = i;
}

/* Read sections do not order each other; of any other two of one lock the earlier one is over before
 * the later one begins. */
static void want_section(struct fore_closure *c, uint32_t op, uint32_t lock)
{
    const struct fore_program *p = c->p;
    if (c->index->release[op] == op) /* it is inside another section of its thread */
        return;
    bool reads = reads_locked(p, op);
    uint32_t writer = latest_of(c, lock, false), reader = latest_of(c, lock, true);
    uint32_t before = reads ? reader : writer;
    if (before == FORE_NO_OP || is_later(p, op, before))
        set_latest(c, lock, reads, op);
    if (writer != FORE_NO_OP)
        want_release(c, is_later(p, writer, op) ? op : writer);
    if (reads || reader == FORE_NO_OP)
        return;
    if (is_later(p, reader, op))
        want_release(c, op);
    if (writer == FORE_NO_OP || is_later(p, op, writer))
        want_readers_out(c, lock, op);
}

/* A round opens when all threads have arrived: it needs the earlier rounds, and all of its own
 * arrivals. */
static void want_round(struct fore_closure *c, uint32_t op)
{
    uint64_t size = fore_insn_event(c->p, op)->a;
    uint32_t of = (uint32_t)(size ? size : 1), n = fore_index_position(c->index, op);
    want_first(c, fore_index_list(c->p, op), n / of * of + of, PICK_ALL);
}

static void want_sent(struct fore_closure *c, uint32_t op)
{
    fore_closure_want(c, c->p->ops[op].link);
}

static void want_first_close(struct fore_closure *c, uint32_t op)
{
    if (c->p->ops[op].flags & FORE_F_CLOSED && c->p->ops[op].object)
        fore_closure_want(c, c->index->closed[c->p->ops[op].object]);
}

static void want_end(struct fore_closure *c, uint32_t op)
{
    uint64_t joined = fore_insn_event(c->p, op)->a;
    if (c->p->first[joined + 1] > c->p->first[joined])
        fore_closure_want(c, c->p->first[joined + 1] - 1);
}

/* Users of a semaphore that has units for all of them do not order each other. */
static void want_units(struct fore_closure *c, uint32_t op)
{
    if (c->p->ops[op].flags & FORE_F_BUSY)
        want_earlier(c, op, c->keeps & FORE_KEEPS_BUFFERS ? PICK_ALL : PICK_GIVING);
    else
        want_first(c, fore_index_list(c->p, op), c->index->units[op], PICK_GIVING);
}

/* A Done orders nothing between the threads that count down: it needs only the additions. */
static void want_adds(struct fore_closure *c, uint32_t op)
{
    if (c->keeps & FORE_KEEPS_COUNTS)
        want_earlier(c, op, PICK_COUNTING_UP);
}

static void want_written(struct fore_closure *c, uint32_t op)
{
    if (c->keeps & FORE_KEEPS_ATOMICS ||
        fore_event_order(fore_insn_event(c->p, op)) == FORE_ORDER_PLAIN)
        want_link(c, op);
}

static void want_counts(struct fore_closure *c, uint32_t op)
{
    want_earlier(c, op, c->keeps & FORE_KEEPS_COUNTS ? PICK_GIVING : PICK_COUNTING_DOWN);
}

static void want_runner(struct fore_closure *c, uint32_t op)
{
    if (c->p->ops[op].flags & FORE_F_BUSY)
        want_earlier(c, op, PICK_ALL);
}

/* What must come before an operation of each kind, beside program order and creation. */
static void (*const needs[FORE_KINDS])(struct fore_closure *c, uint32_t op) = {
    [FORE_EV_SEND] = want_channel,      [FORE_EV_RECV] = want_channel,
    [FORE_EV_CLOSE] = want_first_close, [FORE_EV_JOIN] = want_end,
    [FORE_EV_CWOKEN] = want_link,       [FORE_EV_ACQUIRE] = want_units,
    [FORE_EV_BARRIER] = want_round,     [FORE_EV_ONCE] = want_runner,
    [FORE_EV_WGDONE] = want_adds,       [FORE_EV_WGWAIT] = want_counts,
    [FORE_EV_FIRE] = want_link,         [FORE_EV_READ] = want_written,
    [FORE_EV_RMW] = want_written,       [FORE_EV_ARECV] = want_sent,
    [FORE_EV_IN] = want_link,           [FORE_EV_OUT] = want_link,
    [FORE_EV_TRYLOCK] = want_link,      [FORE_EV_TRYRLOCK] = want_link,
};

static void want_what_it_needs(struct fore_closure *c, uint32_t op)
{
    unsigned kind = c->p->ops[op].kind;
    uint32_t lock;
    if (!fore_insn_ended(c->p, op))
        return;
    if (c->keeps & FORE_KEEPS_SECTIONS && fore_insn_acquires(c->p, op, &lock))
        want_section(c, op, lock);
    if (needs[kind] && kind != c->spared)
        needs[kind](c, op);
}

bool fore_closure_needs_others(const struct fore_program *p, uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    uint32_t lock;
    if ((needs[o->kind] == want_link || needs[o->kind] == want_written) &&
        (o->link == FORE_NO_OP || fore_insn_thread(p, o->link) == o->thread))
        return fore_insn_acquires(p, op, &lock);
    return needs[o->kind] || fore_insn_acquires(p, op, &lock);
}

bool fore_closure_grow(struct fore_closure *c)
{
    if (!c->work.n || c->failed)
        return false;
    uint32_t t = fore_vec_pop(&c->work);
    if (c->seen[t] == c->p->first[t] && c->p->gate[t] != FORE_NO_OP)
        fore_closure_want(c, c->p->gate[t]);
    while (c->seen[t] < c->need[t] && !c->failed) {
        uint32_t op = c->index->needy[c->seen[t]];
        c->failed = fore_program_spent_at(c->p, ++c->work_done);
        c->seen[t] = op < c->need[t] ? op + 1 : c->need[t];
        if (op < c->need[t])
            want_what_it_needs(c, op);
    }
    return !c->failed;
}

bool fore_closure_close(struct fore_closure *c)
{
    while (fore_closure_grow(c))
        ;
    return !c->failed;
}

/* Lets the thread come to the end of `op`, now or when it can. */
static void allow_until(struct fore_driver *r, uint32_t op)
{
    if (op == FORE_NO_OP)
        return;
    uint32_t t = fore_insn_thread(r->m->p, op);
    r->limit[t] = op + 1;
    fore_driver_go(r, t);
}

/* How many of the run's first steps are all in the set, except ends of threads, which change
 * nothing for others. */
static uint32_t steps_in_common(const struct fore_closure *c)
{
    const struct fore_run *o = c->index->run;
    uint32_t n = o->steps;
    for (uint32_t t = 1; t <= c->p->threads; t++) {
        uint32_t next = c->need[t];
        if (next < c->p->first[t + 1] && c->p->ops[next].kind != FORE_EV_END &&
            o->when[next] < n)
            n = o->when[next];
    }
    return n;
}

/* The number of steps after which the driver can begin, if its log can say so. */
static uint32_t begin_at_mark(const struct fore_closure *c, struct fore_driver *r)
{
    const struct fore_run_mark *from = NULL;
    if (r->log && r->log->ops_only && c->index->run->marks.n)
        from = fore_run_mark_before(c->index->run, steps_in_common(c));
    if (!from)
        return 0;
    r->log->from = from;
    fore_run_resume(from, r->m);
    for (uint32_t t = 1; t <= c->p->threads; t++)
        r->limit[t] = c->p->first[t] + fore_machine_done(r->m, t);
    return from->steps;
}

/* The position after the last step that is in the set. */
static uint32_t end_of_steps(const struct fore_closure *c)
{
    const struct fore_run *o = c->index->run;
    uint32_t end = 0;
    for (size_t i = 0; i < c->touched.n; i++) {
        uint32_t last = o->when[c->need[c->touched.at[i]] - 1];
        if (last >= o->steps)
            return o->steps;
        end = last >= end ? last + 1 : end;
    }
    return end;
}

bool fore_closure_play(const struct fore_closure *c, struct fore_driver *r)
{
    const struct fore_run *o = c->index->run;
    uint32_t end = end_of_steps(c);
    for (uint32_t i = begin_at_mark(c, r); i < end; i++) {
        uint32_t op = o->order[i], t = fore_insn_thread(c->p, op);
        struct fore_move arrive = {.thread = t, .act = FORE_ACT_ARRIVE};
        if (op >= c->need[t])
            continue;
        if (fore_insn_ended(c->p, op)) {
            allow_until(r, op);
            allow_until(r, fore_run_partner(o, op));
        } else if (fore_machine_next(r->m, t) == op && fore_machine_can(r->m, arrive)) {
            fore_driver_take(r, arrive);
        } else {
            return false;
        }
        if (r->stopped)
            return false;
    }
    for (size_t i = 0; i < c->touched.n; i++) {
        uint32_t t = c->touched.at[i];
        if (c->p->first[t] + fore_machine_done(r->m, t) < c->need[t])
            return false;
    }
    return true;
}

static void want_fixed(struct fore_closure *c)
{
    for (uint32_t t = 1; t <= c->p->threads && c->index->fixed; t++)
        if (c->index->fixed[t] > c->p->first[t])
            fore_closure_want(c, c->index->fixed[t] - 1);
}

void fore_closure_init(struct fore_closure *c, const struct fore_index *x, unsigned keeps)
{
    const struct fore_program *p = &x->run->p;
    size_t bytes = ((size_t)p->threads + 2) * sizeof *c->need;
    *c = (struct fore_closure){.index = x, .p = p, .keeps = keeps};
    c->need = memcpy(fore_alloc(bytes), p->first, bytes);
    c->seen = memcpy(fore_alloc(bytes), p->first, bytes);
    c->last = fore_calloc(2 * ((size_t)p->objects + 1), sizeof *c->last);
    want_fixed(c);
}

void fore_closure_clear(struct fore_closure *c)
{
    for (size_t i = 0; i < c->touched.n; i++) {
        uint32_t t = c->touched.at[i];
        c->need[t] = c->seen[t] = c->p->first[t];
    }
    fore_map_clear(&c->reached);
    for (size_t i = 0; i < c->locks.n; i++)
        c->last[c->locks.at[i]] = 0;
    fore_vec_clear(&c->locks);
    fore_vec_clear(&c->touched);
    fore_vec_clear(&c->work);
    c->failed = false;
    want_fixed(c);
}

void fore_closure_release(struct fore_closure *c)
{
    fore_free(c->need);
    fore_free(c->seen);
    fore_map_release(&c->reached);
    fore_free(c->last);
    fore_vec_release(&c->locks);
    fore_vec_release(&c->work);
    fore_vec_release(&c->touched);
    *c = (struct fore_closure){0};
}
