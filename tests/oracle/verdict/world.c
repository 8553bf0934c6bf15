#include "oracle/verdict/world.h"

#include <string.h>

/* ---- what can happen ----------------------------------------------------------------------- */

struct moves {
    const struct program *p;
    const struct state *s;
    struct move *out;
    unsigned n;
};

static const struct insn *at(const struct program *p, const struct state *s, unsigned t)
{
    return &p->code[t][s->pc[t]];
}

static uint8_t value_of(const struct state *s, unsigned t, uint8_t v)
{
    return v < FROM_REG ? v : s->reg[t][v - FROM_REG];
}

static bool runs(const struct program *p, const struct state *s, unsigned t)
{
    return s->started[t] && at(p, s, t)->op != OP_END;
}

static bool announced_writer(const struct program *p, const struct state *s,
                             unsigned lock)
{
    for (unsigned t = 0; t < p->threads; t++)
        if (s->announced[t] && at(p, s, t)->a == lock)
            return true;
    return false;
}

static bool free_for_writer(const struct state *s, unsigned lock)
{
    return !s->owner[lock] && !s->readers[lock];
}

static bool free_for_reader(const struct program *p, const struct state *s, unsigned lock)
{
    return !s->owner[lock] &&
           !(p->locks[lock] == LOCK_WRITERS_FIRST && announced_writer(p, s, lock));
}

static void add_move(struct moves *v, unsigned thread, unsigned which, unsigned partner,
                     unsigned partners_case, enum fault fault)
{
    v->out[v->n++] =
        (struct move){(uint8_t)thread,        (uint8_t)which, (uint8_t)partner,
                      (uint8_t)partners_case, (uint8_t)fault, .announce = false};
}

static void add_plain(struct moves *v, unsigned thread)
{
    add_move(v, thread, 0, THREADS, 0, FAULT_NONE);
}

/* Whoever waits to receive on an unbuffered channel meets the sender. Two selects with a default
 * never meet: neither of them waits for the other. */
static void add_meetings(struct moves *v, unsigned t, unsigned which, unsigned chan,
                         bool sender_waits)
{
    const struct program *p = v->p;
    for (unsigned u = 0; u < p->threads; u++) {
        if (u == t || !runs(p, v->s, u))
            continue;
        const struct insn *x = at(p, v->s, u);
        if (x->op == OP_RECV && x->a == chan)
            add_move(v, t, which, u, 0, FAULT_NONE);
        if (x->op != OP_SELECT)
            continue;
        const struct choice *c = &p->selects[x->a];
        for (unsigned k = 0; k < c->n; k++)
            if (!c->send[k] && c->chan[k] == chan && (sender_waits || !c->otherwise))
                add_move(v, t, which, u, k, FAULT_NONE);
    }
}

static void add_sends(struct moves *v, unsigned t, unsigned which, unsigned chan,
                      bool waits)
{
    if (v->s->closed[chan])
        add_move(v, t, which, THREADS, 0, FAULT_SEND);
    else if (!v->p->capacity[chan])
        add_meetings(v, t, which, chan, waits);
    else if (v->s->fill[chan] < v->p->capacity[chan])
        add_move(v, t, which, THREADS, 0, FAULT_NONE);
}

static void add_receives(struct moves *v, unsigned t, unsigned which, unsigned chan)
{
    if (v->s->fill[chan] || v->s->closed[chan])
        add_move(v, t, which, THREADS, 0, FAULT_NONE);
}

/* A partner that stands before its operation may not have come to it yet, so that a default can
 * always be taken unless the channel itself is ready. */
static void add_select(struct moves *v, unsigned t, const struct choice *c)
{
    bool ready = false;
    for (unsigned k = 0; k < c->n; k++) {
        unsigned from = v->n;
        if (c->send[k])
            add_sends(v, t, k, c->chan[k], !c->otherwise);
        else
            add_receives(v, t, k, c->chan[k]);
        for (unsigned i = from; i < v->n; i++)
            ready |= v->out[i].partner == THREADS;
    }
    if (c->timeout || (c->otherwise && !ready))
        add_move(v, t, c->n, THREADS, 0, FAULT_NONE);
}

/* Any so many of those that are there, the least of them first. */
static void add_barrier(struct moves *v, unsigned t, const struct insn *x)
{
    for (unsigned set = 1u << t; set < 1u << THREADS; set++) {
        bool all = !(set & ((1u << t) - 1)) && set & 1u << t;
        unsigned n = 0;
        for (unsigned u = 0; u < THREADS && all; u++) {
            if (!(set & 1u << u))
                continue;
            const struct insn *y = u < v->p->threads ? at(v->p, v->s, u) : NULL;
            all = y && runs(v->p, v->s, u) && y->op == OP_BARRIER && y->a == x->a;
            n++;
        }
        if (all && n == x->b)
            add_move(v, t, set, THREADS, 0, FAULT_NONE);
    }
}

static void add_lock(struct moves *v, unsigned t, unsigned lock)
{
    if (v->p->locks[lock] == LOCK_WRITERS_FIRST && !v->s->announced[t]) {
        add_plain(v, t);
        v->out[v->n - 1].announce = true;
    } else if (free_for_writer(v->s, lock)) {
        add_plain(v, t);
    }
}

static void add_signal(struct moves *v, unsigned t, unsigned cond)
{
    unsigned before = v->n;
    for (unsigned u = 0; u < v->p->threads; u++)
        if (v->s->asleep[u] == 1 && at(v->p, v->s, u)->a == cond)
            add_move(v, t, u, THREADS, 0, FAULT_NONE);
    if (v->n == before)
        add_move(v, t, THREADS, THREADS, 0, FAULT_NONE);
}

static void add_cwait(struct moves *v, unsigned t, const struct insn *x)
{
    if (v->s->asleep[t] == 0 || (v->s->asleep[t] == 2 && free_for_writer(v->s, x->b)))
        add_plain(v, t);
}

static bool is_enabled(const struct program *p, const struct state *s,
                       const struct insn *x)
{
    switch (x->op) {
    case OP_RLOCK:
        return free_for_reader(p, s, x->a);
    case OP_ACQUIRE:
        return s->tokens[x->a] > 0;
    case OP_ONCE:
        return s->once[x->a] != 1;
    case OP_WGWAIT:
        return s->count[x->a] == 0;
    case OP_IN:
        return p->things[x->a] != THING_PIPE || s->in_pipe[x->a];
    case OP_OUT:
        return p->things[x->a] != THING_PIPE || s->in_pipe[x->a] < PIPE;
    case OP_FIRE:
        return s->armed[x->a] > 0;
    case OP_JOIN:
        return s->started[x->a] && !runs(p, s, x->a);
    default:
        return true;
    }
}

static void add_moves(struct moves *v, unsigned t)
{
    const struct insn *x = at(v->p, v->s, t);
    bool negative = (x->op == OP_WGDONE && v->s->count[x->a] < 1);
    switch (x->op) {
    case OP_LOCK:
        add_lock(v, t, x->a);
        break;
    case OP_CWAIT:
        add_cwait(v, t, x);
        break;
    case OP_CSIGNAL:
        add_signal(v, t, x->a);
        break;
    case OP_BARRIER:
        add_barrier(v, t, x);
        break;
    case OP_SEND:
        add_sends(v, t, 0, x->a, true);
        break;
    case OP_RECV:
        add_receives(v, t, 0, x->a);
        break;
    case OP_SELECT:
        add_select(v, t, &v->p->selects[x->a]);
        break;
    case OP_CLOSE:
        add_move(v, t, 0, THREADS, 0, v->s->closed[x->a] ? FAULT_CLOSE : FAULT_NONE);
        break;
    case OP_WGDONE:
        add_move(v, t, 0, THREADS, 0, negative ? FAULT_NEGATIVE : FAULT_NONE);
        break;
    default:
        if (is_enabled(v->p, v->s, x))
            add_plain(v, t);
    }
}

unsigned world_moves(const struct program *p, const struct state *s, struct move *out)
{
    struct moves v = {p, s, out, 0};
    for (unsigned t = 0; t < p->threads && !s->dead; t++)
        if (runs(p, s, t))
            add_moves(&v, t);
    return v.n;
}

bool world_waits(const struct program *p, const struct state *s, unsigned thread)
{
    struct move out[MOVES];
    unsigned n = world_moves(p, s, out);
    if (!runs(p, s, thread))
        return false;
    for (unsigned i = 0; i < n; i++) {
        bool all = at(p, s, out[i].thread)->op == OP_BARRIER;
        if (out[i].thread == thread || out[i].partner == thread ||
            (all && out[i].which & 1u << thread))
            return false;
    }
    return true;
}

/* ---- what happens -------------------------------------------------------------------------- */

/* Goes to the next operation that others can tell. */
static void settle(const struct program *p, struct state *s, unsigned t,
                   struct branches *told)
{
    for (;;) {
        const struct insn *x = at(p, s, t);
        if (x->op == OP_MOVE) {
            s->reg[t][x->a] = s->reg[t][x->b];
            s->pc[t]++;
        } else if (x->op == OP_IF) {
            bool is = s->reg[t][x->a] == x->b;
            if (told)
                told->at[t][told->n[t]++] = s->pc[t];
            s->pc[t] = is != x->c ? (uint8_t)(s->pc[t] + 1) : x->d;
        } else {
            return;
        }
    }
}

static void go_on(const struct program *p, struct state *s, unsigned t,
                  struct branches *told)
{
    s->pc[t]++;
    settle(p, s, t, told);
}

static void receive(struct state *s, unsigned t, unsigned chan, unsigned reg)
{
    s->reg[t][reg] = 0;
    if (!s->fill[chan])
        return;
    s->reg[t][reg] = s->buffer[chan][0];
    s->buffer[chan][0] = s->buffer[chan][1];
    s->buffer[chan][1] = 0;
    s->fill[chan]--;
}

static void send(struct state *s, unsigned chan, uint8_t value)
{
    s->buffer[chan][s->fill[chan]++] = value;
}

/* The receiver's half of a meeting. */
static void meet(const struct program *p, struct state *s, struct move m, uint8_t value,
                 struct branches *told)
{
    const struct insn *x = at(p, s, m.partner);
    /* A select says which case it took; the value of a case is not kept. */
    s->reg[m.partner][x->b] = x->op == OP_RECV ? value : m.partners_case;
    go_on(p, s, m.partner, told);
}

static void do_send(const struct program *p, struct state *s, struct move m,
                    unsigned chan, uint8_t value, struct branches *told)
{
    if (m.partner < THREADS)
        meet(p, s, m, value, told);
    else
        send(s, chan, value);
}

static void do_select(const struct program *p, struct state *s, struct move m,
                      const struct insn *x, struct branches *told)
{
    const struct choice *c = &p->selects[x->a];
    uint8_t scratch = s->reg[m.thread][0];
    if (m.which < c->n && c->send[m.which]) {
        do_send(p, s, m, c->chan[m.which], value_of(s, m.thread, c->value[m.which]),
                told);
    } else if (m.which < c->n) {
        receive(s, m.thread, c->chan[m.which], 0);
        s->reg[m.thread][0] = scratch;
    }
    s->reg[m.thread][x->b] = m.which;
}

static void do_out(const struct program *p, struct state *s, unsigned thing, uint8_t v)
{
    if (p->things[thing] == THING_PIPE)
        s->pipe[thing][s->in_pipe[thing]++] = v;
    else if (p->things[thing] == THING_FILE)
        s->pipe[thing][0] = v;
}

static uint8_t do_in(const struct program *p, struct state *s, unsigned thing)
{
    uint8_t *pipe = s->pipe[thing], first = pipe[0];
    if (p->things[thing] == THING_FILE)
        return first;
    if (p->things[thing] == THING_SOURCE)
        return ++s->in_pipe[thing] & 1;
    memmove(pipe, pipe + 1, PIPE - 1);
    pipe[PIPE - 1] = 0;
    s->in_pipe[thing]--;
    return first;
}

static void broadcast(const struct program *p, struct state *s, unsigned cond)
{
    for (unsigned u = 0; u < p->threads; u++)
        if (s->asleep[u] == 1 && at(p, s, u)->a == cond)
            s->asleep[u] = 2;
}

/* Locks, conditions and what is like them. False if the thread stays where it is. */
static bool do_sync(const struct program *p, struct state *s, struct move m,
                    const struct insn *x)
{
    unsigned t = m.thread;
    switch (x->op) {
    case OP_LOCK:
        s->announced[t] = m.announce;
        if (!m.announce)
            s->owner[x->a] = (uint8_t)(t + 1);
        return !m.announce;
    case OP_UNLOCK:
        s->owner[x->a] = 0;
        break;
    case OP_RLOCK:
        s->readers[x->a]++;
        break;
    case OP_RUNLOCK:
        s->readers[x->a]--;
        break;
    case OP_TRYLOCK:
        s->reg[t][x->b] = free_for_writer(s, x->a);
        if (s->reg[t][x->b])
            s->owner[x->a] = (uint8_t)(t + 1);
        break;
    case OP_TRYRLOCK:
        s->reg[t][x->b] = free_for_reader(p, s, x->a);
        s->readers[x->a] += s->reg[t][x->b];
        break;
    case OP_CWAIT:
        s->owner[x->b] = s->asleep[t] ? (uint8_t)(t + 1) : 0;
        s->asleep[t] = !s->asleep[t];
        return !s->asleep[t];
    case OP_CSIGNAL:
        if (m.which < THREADS)
            s->asleep[m.which] = 2;
        break;
    case OP_CBROADCAST:
        broadcast(p, s, x->a);
        break;
    default:
        break;
    }
    return true;
}

static void do_memory(struct state *s, unsigned t, const struct insn *x)
{
    switch (x->op) {
    case OP_READ:
        s->reg[t][x->b] = s->var[x->a];
        break;
    case OP_WRITE:
        s->var[x->a] = value_of(s, t, x->b);
        break;
    case OP_LOAD:
        s->reg[t][x->b] = s->atomic[x->a];
        break;
    case OP_STORE:
        s->atomic[x->a] = value_of(s, t, x->b);
        break;
    case OP_CAS:
        s->reg[t][x->d] = s->atomic[x->a] == x->b;
        if (s->reg[t][x->d])
            s->atomic[x->a] = x->c;
        break;
    case OP_FADD:
        s->reg[t][x->d] = s->atomic[x->a];
        s->atomic[x->a] = (uint8_t)(s->atomic[x->a] + x->b);
        break;
    default:
        break;
    }
}

static void do_other(const struct program *p, struct state *s, struct move m,
                     const struct insn *x, struct branches *told)
{
    unsigned t = m.thread;
    switch (x->op) {
    case OP_EXIT:
        s->exited = 1;
        break;
    case OP_ACQUIRE:
        s->tokens[x->a]--;
        break;
    case OP_RELEASE:
        s->tokens[x->a] = (uint8_t)(s->tokens[x->a] + x->b);
        break;
    case OP_RAN:
        s->once[x->a] = 2;
        break;
    case OP_WGADD:
        s->count[x->a] = (int8_t)(s->count[x->a] + x->b);
        break;
    case OP_WGDONE:
        s->count[x->a]--;
        break;
    case OP_SEND:
        do_send(p, s, m, x->a, value_of(s, t, x->b), told);
        break;
    case OP_RECV:
        receive(s, t, x->a, x->b);
        break;
    case OP_CLOSE:
        s->closed[x->a] = (uint8_t)(op_id(t, s->pc[t]) + 1);
        break;
    case OP_SELECT:
        do_select(p, s, m, x, told);
        break;
    case OP_IN:
        s->reg[t][x->b] = do_in(p, s, x->a);
        break;
    case OP_OUT:
        do_out(p, s, x->a, value_of(s, t, x->b));
        break;
    case OP_ARM:
        s->armed[x->a]++;
        break;
    case OP_FIRE:
        s->armed[x->a]--;
        break;
    case OP_FORK:
        s->started[x->a] = 1;
        settle(p, s, x->a, told);
        break;
    default:
        do_memory(s, t, x);
    }
}

void world_step(const struct program *p, struct state *s, struct move m,
                struct branches *told)
{
    const struct insn *x = at(p, s, m.thread);
    if (m.fault) {
        s->dead = 1;
        s->pc[m.thread]++; /* it does not wait there */
        return;
    }
    if (x->op == OP_BARRIER) {
        for (unsigned u = 0; u < THREADS; u++)
            if (m.which & 1u << u)
                go_on(p, s, u, told);
        return;
    }
    if (x->op == OP_ONCE) {
        bool done = s->once[x->a] == 2;
        s->once[x->a] = done ? 2 : 1;
        s->pc[m.thread] = done ? x->d : (uint8_t)(s->pc[m.thread] + 1);
        settle(p, s, m.thread, told);
        return;
    }
    if (!do_sync(p, s, m, x))
        return;
    do_other(p, s, m, x, told);
    go_on(p, s, m.thread, told);
}

void world_apply(const struct program *p, struct state *s, struct move m)
{
    world_step(p, s, m, NULL);
}

void world_start(const struct program *p, struct state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned t = 0; t < p->threads; t++) {
        s->started[t] = p->root[t];
        if (p->root[t])
            settle(p, s, t, NULL);
    }
}
