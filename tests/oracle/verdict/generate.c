/* Random programs. Uniform ones rarely show a wrong rule: each family puts one thing between its
 * threads on which a wrong rule would stumble, and something risky behind it. */
#include "oracle/verdict/program.h"

#include <string.h>

/* What keeps the threads' sections apart, and so decides who sees what of the variables. */
enum guard {
    GUARD_NONE,
    GUARD_LOCK,
    GUARD_WRITE, /* of a lock for readers and writers */
    GUARD_CHAN,  /* a buffer of one or two: to send is to enter, to receive is to leave */
    GUARD_TOKEN, /* the other way round: somebody must fill it first */
    GUARD_CAS,
    GUARD_FIRST, /* by fetch-and-add: the first one only */
    GUARD_SEM,
    GUARD_TRY,
    GUARD_ONCE,
};

struct builder {
    struct program *p;
    struct fore_rng *r;
    unsigned t, reg;
    int ops; /* that the thread may still have */
    enum guard guard;
    bool held[LOCKS], inside;
    unsigned depth;
};

enum { M = 0, N = 1, RW = 2 }; /* locks */
enum { C = 0, D = 1, E = 2 };  /* channels: the guard's, and two for what is risky */
enum { X = 0, Y = 1, Z = 2 };  /* variables */
enum { WAIT_ROOM = 6, MOST_OPS = 9 };

static unsigned below(struct builder *b, unsigned n)
{
    return (unsigned)fore_rng_below(b->r, n);
}

static bool chance(struct builder *b, unsigned percent)
{
    return below(b, 100) < percent;
}

static unsigned add(struct builder *b, enum op op, unsigned x, unsigned y, unsigned z,
                    unsigned w)
{
    unsigned at = b->p->length[b->t];
    if (at + WAIT_ROOM >= CODE && op != OP_UNLOCK && op != OP_RUNLOCK && op != OP_RAN &&
        op != OP_END && op != OP_STORE && op != OP_RELEASE && op != OP_RECV)
        return at; /* no room: what closes something is still let in */
    b->p->code[b->t][at] =
        (struct insn){(uint8_t)op, (uint8_t)x, (uint8_t)y, (uint8_t)z, (uint8_t)w};
    b->p->length[b->t]++;
    b->ops -= !is_local((uint8_t)op);
    return at;
}

static unsigned fresh_reg(struct builder *b)
{
    return b->reg = b->reg % (REGS - 1) + 1;
}

/* if register == value; returns what if_end needs. */
static unsigned if_begin(struct builder *b, unsigned reg, unsigned value, bool negated)
{
    unsigned before = b->p->length[b->t];
    unsigned at = add(b, OP_IF, reg, value, negated, 0);
    return b->p->length[b->t] > before ? at : CODE;
}

static void if_end(struct builder *b, unsigned at)
{
    if (at < CODE)
        b->p->code[b->t][at].d = (uint8_t)b->p->length[b->t];
}

static bool has_room(const struct builder *b, int ops)
{
    return b->ops >= ops && b->p->length[b->t] + 2u * (unsigned)ops + WAIT_ROOM < CODE;
}

/* ---- what is risky ------------------------------------------------------------------------- */

static void add_inner_lock(struct builder *b)
{
    unsigned lock = b->held[N] ? M : b->held[M] ? N : below(b, 2);
    if (b->held[lock] || !has_room(b, 2))
        return;
    add(b, OP_LOCK, lock, 0, 0, 0);
    b->held[lock] = true;
    if (chance(b, 25))
        add(b, OP_WRITE, Z, 1, 0, 0); /* Z belongs to whoever wants a race */
    b->held[lock] = false;
    add(b, OP_UNLOCK, lock, 0, 0, 0);
}

static void add_select(struct builder *b, bool otherwise)
{
    struct program *p = b->p;
    if (p->select_count == SELECTS || !has_room(b, 2))
        return;
    struct choice *c = &p->selects[p->select_count];
    unsigned reg = fresh_reg(b);
    *c = (struct choice){.n = (uint8_t)(1 + below(b, 2))};
    for (unsigned k = 0; k < c->n; k++) {
        c->chan[k] = (uint8_t)(k ? E : D);
        c->send[k] = chance(b, 40);
        c->value[k] = 1;
    }
    c->otherwise = otherwise && chance(b, 75);
    c->timeout = otherwise && !c->otherwise;
    add(b, OP_SELECT, p->select_count++, reg, 0, 0);
    if (!chance(b, 60))
        return;
    unsigned at = if_begin(b, reg, below(b, c->n + (c->otherwise || c->timeout)), false);
    add(b, chance(b, 50) ? OP_SEND : OP_RECV, chance(b, 50) ? D : E,
        chance(b, 50) ? 1 : fresh_reg(b), 0, 0);
    if (p->code[b->t][p->length[b->t] - 1].op == OP_RECV)
        p->code[b->t][p->length[b->t] - 1].b = (uint8_t)fresh_reg(b);
    if_end(b, at);
}

static void add_risk(struct builder *b)
{
    unsigned chan = chance(b, 70) ? D : E;
    if (!has_room(b, 1))
        return;
    switch (below(b, 9)) {
    case 0:
    case 1:
        add(b, OP_CLOSE, chan, 0, 0, 0);
        return;
    case 2:
    case 3:
        add(b, OP_SEND, chan, 1 + below(b, 2), 0, 0);
        return;
    case 4:
        add(b, OP_RECV, chan, fresh_reg(b), 0, 0);
        return;
    case 5:
    case 6:
    case 7:
        add_inner_lock(b);
        return;
    default:
        add_select(b, chance(b, 50));
    }
}

/* ---- what is done inside a section --------------------------------------------------------- */

static void add_decision(struct builder *b, unsigned reg)
{
    unsigned at = if_begin(b, reg, below(b, 3) ? below(b, 2) : 2, chance(b, 15));
    add_risk(b);
    if (chance(b, 20))
        add_risk(b);
    if_end(b, at);
}

/* A variable is read, the value goes through others, and decides. */
static void add_copies(struct builder *b)
{
    unsigned first = fresh_reg(b), second = fresh_reg(b);
    if (!has_room(b, 4))
        return;
    add(b, OP_READ, X, first, 0, 0);
    switch (below(b, 3)) {
    case 0:
        add(b, OP_WRITE, Y, FROM_REG + first, 0, 0);
        add(b, OP_READ, Y, second, 0, 0);
        break;
    case 1:
        add(b, OP_MOVE, second, first, 0, 0);
        add(b, OP_WRITE, Y, 1, 0, 0);
        break;
    default:
        add(b, OP_WRITE, Y, FROM_REG + first, 0, 0);
        add(b, OP_SEND, E, FROM_REG + first, 0, 0);
        second = first;
    }
    add_decision(b, second);
}

static void add_content(struct builder *b)
{
    unsigned reg;
    if (!has_room(b, 1))
        return;
    switch (below(b, 8)) {
    case 0:
    case 1:
        add(b, OP_WRITE, chance(b, 75) ? X : Y, 1 + below(b, 2), 0, 0);
        if (chance(b, 60))
            add_risk(b);
        return;
    case 2:
    case 3:
    case 4:
        reg = fresh_reg(b);
        add(b, OP_READ, chance(b, 75) ? X : Y, reg, 0, 0);
        add_decision(b, reg);
        return;
    case 5:
        add_copies(b);
        return;
    default:
        add_risk(b);
    }
}

static void add_contents(struct builder *b)
{
    for (unsigned n = 1 + below(b, 2); n; n--)
        add_content(b);
}

/* ---- sections ------------------------------------------------------------------------------ */

static void add_locked(struct builder *b, unsigned lock)
{
    if (b->held[lock]) {
        add_contents(b);
        return;
    }
    add(b, OP_LOCK, lock, 0, 0, 0);
    b->held[lock] = true;
    add_contents(b);
    b->held[lock] = false;
    add(b, OP_UNLOCK, lock, 0, 0, 0);
}

static void add_read_section(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (b->held[RW])
        return;
    b->held[RW] = true;
    add(b, OP_RLOCK, RW, 0, 0, 0);
    add(b, OP_READ, X, reg, 0, 0);
    if (chance(b, 40))
        add_decision(b, reg);
    if (chance(b, 25) &&
        has_room(b, 3)) { /* readers in readers: deadlock with writers first */
        add(b, OP_RLOCK, RW, 0, 0, 0);
        add(b, OP_RUNLOCK, RW, 0, 0, 0);
    }
    b->held[RW] = false;
    add(b, OP_RUNLOCK, RW, 0, 0, 0);
}

/* A section that only who gets in has: a try, a compare-and-swap, the first of a count. */
static void add_elected(struct builder *b)
{
    unsigned reg = fresh_reg(b), at;
    bool held = false;
    switch (b->guard) {
    case GUARD_CAS:
        add(b, OP_CAS, 0, 0, 1, reg);
        break;
    case GUARD_FIRST:
        add(b, OP_FADD, 0, 1, 0, reg);
        break;
    default:
        if (b->held[M])
            return;
        add(b, OP_TRYLOCK, M, reg, 0, 0);
        held = true;
    }
    at = if_begin(b, reg, b->guard != GUARD_FIRST, false);
    b->held[M] |= held;
    add_contents(b);
    if (b->guard == GUARD_CAS)
        add(b, OP_STORE, 0, 0, 0, 0);
    if (held)
        add(b, OP_UNLOCK, M, 0, 0, 0);
    b->held[M] &= !held;
    if_end(b, at);
}

static void add_once(struct builder *b)
{
    unsigned at = add(b, OP_ONCE, 0, 0, 0, 0);
    add_contents(b);
    add(b, OP_RAN, 0, 0, 0, 0);
    b->p->code[b->t][at].d = (uint8_t)b->p->length[b->t];
}

static void add_section(struct builder *b)
{
    if (b->inside || !has_room(b, 4))
        return;
    b->inside = true;
    switch (b->guard) {
    case GUARD_NONE:
        add_contents(b);
        break;
    case GUARD_LOCK:
        add_locked(b, M);
        break;
    case GUARD_WRITE:
        if (chance(b, 50))
            add_read_section(b);
        else
            add_locked(b, RW);
        break;
    case GUARD_CHAN:
        add(b, OP_SEND, C, 1, 0, 0);
        add_contents(b);
        add(b, OP_RECV, C, 0, 0, 0);
        break;
    case GUARD_TOKEN:
        add(b, OP_RECV, C, 0, 0, 0);
        add_contents(b);
        add(b, OP_SEND, C, 1, 0, 0);
        break;
    case GUARD_SEM:
        add(b, OP_ACQUIRE, 0, 0, 0, 0);
        add_contents(b);
        add(b, OP_RELEASE, 0, 1, 0, 0);
        break;
    case GUARD_ONCE:
        add_once(b);
        break;
    default:
        add_elected(b);
    }
    b->inside = false;
}

/* ---- families ------------------------------------------------------------------------------ */

static void extra_none(struct builder *b)
{
    add_section(b);
}

/* Locks in this order or that. */
static void extra_nested(struct builder *b)
{
    unsigned first = below(b, 2);
    if (!has_room(b, 4) || b->held[M] || b->held[N])
        return;
    add(b, OP_LOCK, first, 0, 0, 0);
    b->held[first] = true;
    if (chance(b, 40))
        add_content(b);
    add_inner_lock(b);
    b->held[first] = false;
    add(b, OP_UNLOCK, first, 0, 0, 0);
}

static void extra_pipe(struct builder *b)
{
    unsigned reg = fresh_reg(b), thing = below(b, 3) ? 0 : 1;
    if (!has_room(b, 3))
        return;
    if (chance(b, 55)) {
        bool lock = chance(b, 60) && !b->held[M];
        if (lock)
            add(b, OP_LOCK, M, 0, 0, 0);
        b->held[M] |= lock;
        add(b, OP_OUT, thing, 1 + below(b, 2), 0, 0);
        add_risk(b);
        b->held[M] &= !lock;
        if (lock)
            add(b, OP_UNLOCK, M, 0, 0, 0);
        return;
    }
    add(b, OP_IN, thing, reg, 0, 0);
    add_decision(b, reg);
}

static void extra_condition(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (!has_room(b, 5) || b->held[M])
        return;
    add(b, OP_LOCK, M, 0, 0, 0);
    b->held[M] = true;
    if (chance(b, 50)) {
        add(b, OP_READ, X, reg, 0, 0);
        unsigned at = chance(b, 80) ? if_begin(b, reg, 0, false) : CODE;
        add(b, OP_CWAIT, 0, M, 0, 0);
        if_end(b, at);
        if (chance(b, 40))
            add_content(b);
    } else {
        add(b, OP_WRITE, X, 1, 0, 0);
        add(b, chance(b, 50) ? OP_CSIGNAL : OP_CBROADCAST, 0, 0, 0, 0);
    }
    b->held[M] = false;
    add(b, OP_UNLOCK, M, 0, 0, 0);
}

static void extra_group(struct builder *b)
{
    if (!has_room(b, 3))
        return;
    switch (below(b, 4)) {
    case 0:
    case 1:
        add(b, OP_WGADD, 0, 1, 0, 0);
        if (chance(b, 50))
            add_section(b);
        add(b, OP_WGDONE, 0, 0, 0, 0);
        return;
    case 2:
        add(b, OP_WGWAIT, 0, 0, 0, 0);
        add_risk(b);
        return;
    default:
        add_section(b);
    }
}

static void extra_select(struct builder *b)
{
    if (chance(b, 60))
        add_select(b, true);
    else
        add_risk(b);
}

static void extra_timer(struct builder *b)
{
    if (chance(b, 60))
        add(b, chance(b, 60) ? OP_ARM : OP_FIRE, 0, 0, 0, 0);
    add_section(b);
}

static void extra_barrier(struct builder *b)
{
    if (chance(b, 50))
        add(b, OP_BARRIER, 0, b->p->threads > 2 && chance(b, 50) ? 3 : 2, 0, 0);
    add_section(b);
}

static void extra_atomic(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (!has_room(b, 3))
        return;
    if (chance(b, 50)) {
        add_risk(b);
        add(b, OP_STORE, 1, 1, 0, 0);
        return;
    }
    add(b, OP_LOAD, 1, reg, 0, 0);
    add_decision(b, reg);
}

static void extra_mixed(struct builder *b)
{
    static void (*const all[])(struct builder *) = {
        extra_none,  extra_nested, extra_pipe,    extra_condition, extra_group,
        extra_timer, extra_select, extra_barrier, extra_atomic,    extra_nested,
    };
    all[below(b, sizeof all / sizeof *all)](b);
}

struct family {
    const char *name;
    enum guard guard;
    unsigned often; /* percent of the pieces that are the extra ones */
    void (*extra)(struct builder *b);
};

static const struct family families[FAMILIES] = {
    {"locks", GUARD_LOCK, 50, extra_nested},
    {"channel as mutex", GUARD_CHAN, 20, extra_nested},
    {"channel as token", GUARD_TOKEN, 20, extra_nested},
    {"compare-and-swap", GUARD_CAS, 25, extra_nested},
    {"fetch-and-add", GUARD_FIRST, 35, extra_nested},
    {"semaphore", GUARD_SEM, 25, extra_nested},
    {"pipe", GUARD_LOCK, 65, extra_pipe},
    {"condition", GUARD_LOCK, 65, extra_condition},
    {"wait group", GUARD_LOCK, 65, extra_group},
    {"once", GUARD_ONCE, 35, extra_nested},
    {"select", GUARD_LOCK, 60, extra_select},
    {"trylock", GUARD_TRY, 30, extra_nested},
    {"rwlock", GUARD_WRITE, 30, extra_nested},
    {"race", GUARD_NONE, 40, extra_nested},
    {"timer", GUARD_LOCK, 50, extra_timer},
    {"barrier", GUARD_LOCK, 50, extra_barrier},
    {"flag", GUARD_LOCK, 50, extra_atomic},
    {"mixed", GUARD_LOCK, 60, extra_mixed},
};

const char *family_name(unsigned i)
{
    return families[i].name;
}

/* ---- whole programs ------------------------------------------------------------------------ */

static void fill_thread(struct builder *b, const struct family *f)
{
    memset(b->held, 0, sizeof b->held);
    for (unsigned n = 1 + below(b, 3); n; n--) {
        if (chance(b, f->often))
            f->extra(b);
        else if (chance(b, 85))
            add_section(b);
        else
            add_risk(b);
    }
}

/* The first thread starts the others, and may wait for them at the end. */
static void begin_main(struct builder *b, bool forks)
{
    if (b->guard == GUARD_TOKEN)
        add(b, OP_SEND, C, 1, 0, 0);
    if (b->guard == GUARD_SEM)
        add(b, OP_RELEASE, 0, 1 + below(b, 2), 0, 0);
    if (chance(b, 15))
        add(b, OP_WGADD, 0, b->p->threads - 1, 0, 0);
    for (unsigned t = 1; t < b->p->threads && forks; t++)
        add(b, OP_FORK, t, 0, 0, 0);
}

static void end_main(struct builder *b)
{
    for (unsigned t = 1; t < b->p->threads; t++)
        if (chance(b, 70))
            add(b, OP_JOIN, t, 0, 0, 0);
    if (chance(b, 30))
        add_risk(b);
    if (chance(b, 6))
        add(b, OP_EXIT, 0, 0, 0, 0);
}

void program_random(struct program *p, uint64_t seed)
{
    struct fore_rng r;
    fore_rng_seed(&r, seed);
    const struct family *f = &families[seed % FAMILIES];
    struct builder b = {.p = p, .r = &r, .guard = f->guard};
    *p = (struct program){.family = f->name};
    p->threads = 2 + below(&b, 5) / 2;
    p->threads = p->threads > 3 && chance(&b, 70) ? 3 : p->threads;
    p->capacity[C] = (uint8_t)(chance(&b, 75) ? 1 : 2);
    p->capacity[D] = (uint8_t)below(&b, 2);
    p->capacity[E] = (uint8_t)below(&b, 2);
    p->locks[RW] = chance(&b, 50) ? LOCK_WRITERS_FIRST : LOCK_READERS_FIRST;
    p->things[0] = THING_PIPE;
    p->things[1] = chance(&b, 50) ? THING_FILE : THING_SOURCE;
    bool forks = chance(&b, 75);
    for (unsigned t = 0; t < p->threads; t++) {
        b.t = t;
        b.ops = MOST_OPS;
        p->root[t] = !forks || t == 0;
        if (t == 0)
            begin_main(&b, forks);
        fill_thread(&b, f);
        if (t == 0 && forks && chance(&b, 50))
            end_main(&b);
        add(&b, OP_END, 0, 0, 0, 0);
    }
}
