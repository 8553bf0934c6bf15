/* Random programs. Uniform ones rarely show a wrong rule: each family puts one thing between its
 * threads on which a wrong rule would stumble, and something risky behind it. */
#include "oracle/verdict/build.h"

#include <string.h>

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
        add(b, OP_BARRIER, 0, b->barrier, 0, 0);
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
    void (*duel)(struct builder *b); /* how else the two sides of a duel see each other */
};

static const struct family families[FAMILIES] = {
    {"locks", GUARD_LOCK, 50, extra_nested, NULL},
    {"channel as mutex", GUARD_CHAN, 20, extra_nested, NULL},
    {"channel as token", GUARD_TOKEN, 20, extra_nested, NULL},
    {"compare-and-swap", GUARD_CAS, 25, extra_nested, NULL},
    {"fetch-and-add", GUARD_FIRST, 35, extra_nested, NULL},
    {"semaphore", GUARD_SEM, 25, extra_nested, NULL},
    {"pipe", GUARD_LOCK, 65, extra_pipe, duel_pipe},
    {"condition", GUARD_LOCK, 65, extra_condition, duel_condition},
    {"wait group", GUARD_LOCK, 65, extra_group, duel_group},
    {"once", GUARD_ONCE, 35, extra_nested, NULL},
    {"select", GUARD_LOCK, 60, extra_select, duel_message},
    {"trylock", GUARD_TRY, 30, extra_nested, NULL},
    {"rwlock", GUARD_WRITE, 30, extra_nested, NULL},
    {"race", GUARD_NONE, 40, extra_nested, NULL},
    {"timer", GUARD_LOCK, 50, extra_timer, duel_timer},
    {"barrier", GUARD_LOCK, 50, extra_barrier, duel_barrier},
    {"flag", GUARD_LOCK, 50, extra_atomic, duel_flag},
    {"mixed", GUARD_LOCK, 60, extra_mixed, NULL},
    {"relay", GUARD_NONE, 10, extra_nested, duel_relay},
};

const char *family_name(unsigned i)
{
    return families[i].name;
}

/* ---- whole programs ------------------------------------------------------------------------ */

static bool is_relay(const struct family *f)
{
    return f->duel == duel_relay;
}

static void fill_thread(struct builder *b, const struct family *f)
{
    memset(b->held, 0, sizeof b->held);
    if (b->side) {
        if (chance(b, 10))
            f->extra(b);
        if (f->duel && (is_relay(f) || (b->side < 3 && !b->courier)))
            f->duel(b);
        else
            add_duel(b);
        b->side = 0;
        if (chance(b, 25))
            f->extra(b);
        return;
    }
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
static void begin_main(struct builder *b, bool forks, bool relay)
{
    if (relay)
        relay_prepare(b);
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
    bool relay = is_relay(f);
    p->threads = relay ? 3 : p->threads;
    bool forks = chance(&b, 75) || relay, duels = chance(&b, 55) || relay;
    unsigned first = below(&b, p->threads);
    unsigned second = (first + 1 + below(&b, p->threads - 1)) % p->threads;
    b.duel = below(&b, DUELS);
    b.swap = chance(&b, 50);
    b.barrier = p->threads > 2 && chance(&b, 25) ? 3 : 2;
    b.late = chance(&b, 40);
    b.relay = below(&b, RELAYS);
    b.courier = p->threads > 2 && chance(&b, 40) ? below(&b, COURIERS) : COURIER_NONE;
    for (unsigned t = 0; t < p->threads; t++) {
        b.t = t;
        b.ops = MOST_OPS;
        b.side = !duels               ? 0
                 : t == first         ? 1
                 : t == second        ? 2
                 : b.courier || relay ? 3
                                      : 0;
        p->root[t] = !forks || t == 0;
        if (t == 0)
            begin_main(&b, forks, relay);
        fill_thread(&b, f);
        if (t == 0 && forks && chance(&b, 50))
            end_main(&b);
        add(&b, OP_END, 0, 0, 0, 0);
    }
}
