/* Relays: one thread sets x under a lock; a second one copies it to y, under that lock, and lets the
 * third one go, by something that is neither lock nor value; the third one reads y, and strikes or
 * not. Whoever lets it go passes on what it knows. */
#include "oracle/verdict/build.h"

static void copy_under_lock(struct builder *b)
{
    unsigned reg = fresh_reg(b);
    add(b, OP_LOCK, M, 0, 0, 0);
    add(b, OP_READ, X, reg, 0, 0);
    add(b, OP_WRITE, Y, FROM_REG + reg, 0, 0);
    add(b, OP_UNLOCK, M, 0, 0, 0);
}

static void let_go(struct builder *b)
{
    static const struct insn how[RELAYS] = {
        [RELAY_ROOM] = {OP_RECV, C, 0, 0, 0},
        [RELAY_MEETING] = {OP_RECV, E, 0, 0, 0},
        [RELAY_CLOSE] = {OP_CLOSE, E, 0, 0, 0},
        [RELAY_GROUP] = {OP_WGDONE, 0, 0, 0, 0},
        [RELAY_UNITS] = {OP_RELEASE, 0, 1, 0, 0},
        [RELAY_ROUND] = {OP_BARRIER, 0, 2, 0, 0},
        [RELAY_SIGNAL] = {OP_CSIGNAL, 0, 0, 0, 0},
        [RELAY_TIMER] = {OP_ARM, 0, 0, 0, 0},
        [RELAY_MESSAGE] = {OP_SEND, C, 1, 0, 0},
    };
    struct insn x = how[b->relay];
    if (b->relay == RELAY_ONCE) {
        unsigned at = add(b, OP_ONCE, 0, 0, 0, 0);
        copy_under_lock(b);
        add(b, OP_RAN, 0, 0, 0, 0);
        b->p->code[b->t][at].d = (uint8_t)b->p->length[b->t];
        return;
    }
    copy_under_lock(b);
    add(b, x.op, x.a, x.b, x.c, x.d);
}

static void be_let_go(struct builder *b)
{
    static const struct insn how[RELAYS] = {
        [RELAY_ROOM] = {OP_SEND, C, 1, 0, 0},
        [RELAY_MEETING] = {OP_SEND, E, 1, 0, 0},
        [RELAY_CLOSE] = {OP_RECV, E, 0, 0, 0},
        [RELAY_GROUP] = {OP_WGWAIT, 0, 0, 0, 0},
        [RELAY_UNITS] = {OP_ACQUIRE, 0, 0, 0, 0},
        [RELAY_ROUND] = {OP_BARRIER, 0, 2, 0, 0},
        [RELAY_TIMER] = {OP_FIRE, 0, 0, 0, 0},
        [RELAY_MESSAGE] = {OP_RECV, C, 0, 0, 0},
    };
    struct insn x = how[b->relay];
    if (b->relay == RELAY_ONCE) {
        unsigned at = add(b, OP_ONCE, 0, 0, 0, 0);
        add(b, OP_RAN, 0, 0, 0, 0);
        b->p->code[b->t][at].d = (uint8_t)b->p->length[b->t];
    } else if (b->relay == RELAY_SIGNAL) {
        add(b, OP_LOCK, N, 0, 0, 0);
        add(b, OP_CWAIT, 0, N, 0, 0);
        add(b, OP_UNLOCK, N, 0, 0, 0);
    } else {
        add(b, x.op, x.a, x.b, x.c, x.d);
    }
}

void relay_prepare(struct builder *b)
{
    b->p->capacity[C] = 1;
    if (b->relay == RELAY_MEETING)
        b->p->capacity[E] = 0;
    if (b->relay == RELAY_ROOM)
        add(b, OP_SEND, C, 1, 0, 0);
    if (b->relay == RELAY_GROUP)
        add(b, OP_WGADD, 0, 1, 0, 0);
}

void duel_relay(struct builder *b)
{
    unsigned reg;
    switch (b->side) {
    case 1:
        add(b, OP_LOCK, M, 0, 0, 0);
        add(b, OP_WRITE, X, 1, 0, 0);
        b->held[M] = true;
        if (chance(b, 40))
            add_blow(b, false);
        b->held[M] = false;
        add(b, OP_UNLOCK, M, 0, 0, 0);
        return;
    case 2:
        be_let_go(b);
        reg = fresh_reg(b);
        add(b, OP_READ, Y, reg, 0, 0);
        strike_if(b, reg, true);
        return;
    default:
        let_go(b);
    }
}
