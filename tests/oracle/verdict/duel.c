/* Duels: two threads strike, and something tells the second one whether the first one has. */
#include "oracle/verdict/build.h"

/* Two locks, neither of which is the guard's, in this order or that. */
static void add_nest(struct builder *b, bool second)
{
    unsigned one = b->held[M] || b->guard == GUARD_LOCK || b->guard == GUARD_TRY ? RW : M;
    one = b->held[one] ? M : one;
    if (b->held[one] || b->held[N] || !has_room(b, 3))
        return;
    add(b, OP_LOCK, second ? N : one, 0, 0, 0);
    add(b, OP_LOCK, second ? one : N, 0, 0, 0);
    add(b, OP_UNLOCK, second ? one : N, 0, 0, 0);
    add(b, OP_UNLOCK, second ? N : one, 0, 0, 0);
}

/* One waits for the other under a lock that the other needs first. */
static void add_hold(struct builder *b, bool second)
{
    if (b->held[N] || !has_room(b, 3))
        return;
    add(b, OP_LOCK, N, 0, 0, 0);
    if (!second)
        add(b, OP_RECV, E, fresh_reg(b), 0, 0);
    add(b, OP_UNLOCK, N, 0, 0, 0);
    if (second)
        add(b, OP_SEND, E, 1, 0, 0);
}

void add_blow(struct builder *b, bool second)
{
    second ^= b->swap;
    if (!has_room(b, 2))
        return;
    switch (b->duel) {
    case DUEL_CLOSED:
        add(b, second ? OP_SEND : OP_CLOSE, D, 1, 0, 0);
        return;
    case DUEL_TWICE:
        add(b, OP_CLOSE, D, 0, 0, 0);
        return;
    case DUEL_MEET:
        add(b, second ? OP_SEND : OP_RECV, E, second ? 1 : fresh_reg(b), 0, 0);
        return;
    case DUEL_HOLD:
        add_hold(b, second);
        return;
    default:
        add_nest(b, second);
    }
}

/* The value of the variable reaches the register by some way. */
static unsigned add_learning(struct builder *b)
{
    unsigned reg = fresh_reg(b), copy;
    add(b, OP_READ, b->courier == COURIER_VARIABLE ? Y : X, reg, 0, 0);
    switch (below(b, 6)) {
    case 0:
        copy = fresh_reg(b);
        add(b, OP_WRITE, Y, FROM_REG + reg, 0, 0);
        add(b, OP_READ, Y, copy, 0, 0);
        return copy;
    case 1:
        copy = fresh_reg(b);
        add(b, OP_MOVE, copy, reg, 0, 0);
        return copy;
    default:
        return reg;
    }
}

/* Sets x and strikes, in one order or the other. */
static void duel_first(struct builder *b)
{
    bool before = chance(b, 30);
    if (before && !b->late)
        add_blow(b, false);
    add(b, OP_WRITE, X, 1, 0, 0);
    if (!before && !b->late && chance(b, 85))
        add_blow(b, false);
}

void strike_if(struct builder *b, unsigned reg, bool became)
{
    unsigned at = if_begin(b, reg, chance(b, 75) == became, chance(b, 10));
    add_blow(b, true);
    if_end(b, at);
}

static void duel_second(struct builder *b)
{
    b->learnt = add_learning(b);
    if (!b->late)
        strike_if(b, b->learnt, b->courier != COURIER_NONE);
}

/* The third one takes x to where the second one looks for it. */
static void duel_third(struct builder *b)
{
    b->learnt = fresh_reg(b);
    add(b, OP_READ, X, b->learnt, 0, 0);
    if (b->courier == COURIER_VARIABLE || b->courier == COURIER_NONE)
        add(b, OP_WRITE, Y, FROM_REG + b->learnt, 0, 0);
}

void add_contents(struct builder *b)
{
    static void (*const parts[])(struct builder *) = {NULL, duel_first, duel_second,
                                                      duel_third};
    if (b->side)
        parts[b->side](b);
    else
        for (unsigned n = 1 + below(b, 2); n; n--)
            add_content(b);
}

static void send_courier(struct builder *b)
{
    unsigned value = FROM_REG + b->learnt;
    if (b->courier == COURIER_MESSAGE)
        add(b, OP_SEND, C, value, 0, 0);
    if (b->courier == COURIER_ATOMIC)
        add(b, OP_STORE, 1, value, 0, 0);
    if (b->courier == COURIER_PIPE)
        add(b, OP_OUT, 0, value, 0, 0);
}

static bool await_courier(struct builder *b)
{
    b->learnt = fresh_reg(b);
    switch (b->courier) {
    case COURIER_MESSAGE:
        add(b, OP_RECV, C, b->learnt, 0, 0);
        return true;
    case COURIER_ATOMIC:
        add(b, OP_LOAD, 1, b->learnt, 0, 0);
        return true;
    case COURIER_PIPE:
        add(b, OP_IN, 0, b->learnt, 0, 0);
        return true;
    default:
        return false;
    }
}

void add_duel(struct builder *b)
{
    if (b->side == 1 && b->late)
        add_blow(b, false);
    if (b->side == 2 && await_courier(b)) {
        strike_if(b, b->learnt, true);
        return;
    }
    b->learnt = 0;
    add_section(b);
    if (b->side == 2 && b->late)
        strike_if(b, b->learnt, true);
    if (b->side == 3)
        send_courier(b);
}

/* One side strikes and tells; the other one is told, and strikes. */
void duel_condition(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (b->held[M])
        return;
    add(b, OP_LOCK, M, 0, 0, 0);
    b->held[M] = true;
    if (b->side == 1) {
        duel_first(b);
        add(b, chance(b, 60) ? OP_CSIGNAL : OP_CBROADCAST, 0, 0, 0, 0);
    } else {
        add(b, OP_READ, X, reg, 0, 0);
        unsigned at = if_begin(b, reg, 0, false);
        add(b, OP_CWAIT, 0, M, 0, 0);
        if_end(b, at);
        if (chance(b, 50))
            duel_second(b);
        else
            add_blow(b, true);
    }
    b->held[M] = false;
    add(b, OP_UNLOCK, M, 0, 0, 0);
}

void duel_group(struct builder *b)
{
    if (b->side == 1) {
        if (chance(b, 40))
            add(b, OP_WGADD, 0, 1, 0, 0);
        duel_first(b);
        add(b, OP_WGDONE, 0, 0, 0, 0);
        return;
    }
    add(b, OP_WGWAIT, 0, 0, 0, 0);
    duel_second(b);
}

void duel_barrier(struct builder *b)
{
    bool before = b->side == 1 ? chance(b, 70) : chance(b, 30);
    if (before)
        b->side == 1 ? duel_first(b) : duel_second(b);
    add(b, OP_BARRIER, 0, b->barrier, 0, 0);
    if (!before)
        b->side == 1 ? duel_first(b) : duel_second(b);
}

void duel_flag(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (b->side == 1) {
        duel_first(b);
        add(b, OP_STORE, 1, 1, 0, 0);
        return;
    }
    add(b, OP_LOAD, 1, reg, 0, 0);
    unsigned at = if_begin(b, reg, 1, false);
    if (chance(b, 50))
        duel_second(b);
    else
        add_blow(b, true);
    if_end(b, at);
}

/* What was put out tells whether the other one was there. */
void duel_pipe(struct builder *b)
{
    unsigned reg = fresh_reg(b), thing = below(b, 3) ? 0 : 1;
    if (b->side == 1) {
        bool lock = chance(b, 50);
        if (lock)
            add(b, OP_LOCK, M, 0, 0, 0);
        b->held[M] |= lock;
        if (chance(b, 50))
            add_blow(b, false);
        add(b, OP_OUT, thing, 1 + below(b, 2), 0, 0);
        if (chance(b, 50))
            add_blow(b, false);
        b->held[M] &= !lock;
        if (lock)
            add(b, OP_UNLOCK, M, 0, 0, 0);
        return;
    }
    add(b, OP_IN, thing, reg, 0, 0);
    unsigned at = if_begin(b, reg, 1 + below(b, 2), chance(b, 30));
    add_blow(b, true);
    if_end(b, at);
}

/* A message says who was first, or that there was none. */
void duel_message(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    if (b->side == 1) {
        bool before = chance(b, 50);
        if (before)
            duel_first(b);
        add(b, OP_SEND, C, 1 + below(b, 2), 0, 0);
        if (!before)
            add_blow(b, false);
        return;
    }
    if (chance(b, 60) && b->p->select_count < SELECTS) {
        struct choice *c = &b->p->selects[b->p->select_count];
        *c = (struct choice){.chan = {C}, .n = 1, .otherwise = chance(b, 80)};
        c->timeout = !c->otherwise;
        add(b, OP_SELECT, b->p->select_count++, reg, 0, 0);
    } else {
        add(b, OP_RECV, C, reg, 0, 0);
    }
    unsigned at = if_begin(b, reg, below(b, 3), chance(b, 30));
    add_blow(b, true);
    if_end(b, at);
}

void duel_timer(struct builder *b)
{
    if (b->side == 1) {
        duel_first(b);
        add(b, OP_ARM, 0, 0, 0, 0);
        return;
    }
    add(b, OP_FIRE, 0, 0, 0, 0);
    duel_second(b);
}
