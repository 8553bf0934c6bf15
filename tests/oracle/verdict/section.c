/* Sections: what a guard keeps apart. */
#include "oracle/verdict/build.h"

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
    unsigned reg = fresh_reg(b), got = fresh_reg(b), at = CODE;
    if (b->held[RW])
        return;
    b->held[RW] = true;
    /* With writers first a writer that waits makes a try fail, which no closure knows. */
    if (b->p->locks[RW] == LOCK_READERS_FIRST && chance(b, 30)) {
        add(b, OP_TRYRLOCK, RW, got, 0, 0);
        at = if_begin(b, got, 1, false);
    } else {
        add(b, OP_RLOCK, RW, 0, 0, 0);
    }
    if (b->side) {
        add_contents(b);
    } else {
        add(b, OP_READ, X, reg, 0, 0);
        if (chance(b, 40))
            add_decision(b, reg);
    }
    if (chance(b, 25) &&
        has_room(b, 3)) { /* readers in readers: deadlock with writers first */
        add(b, OP_RLOCK, RW, 0, 0, 0);
        add(b, OP_RUNLOCK, RW, 0, 0, 0);
    }
    b->held[RW] = false;
    add(b, OP_RUNLOCK, RW, 0, 0, 0);
    if_end(b, at);
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

void add_section(struct builder *b)
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
        if (b->side == 2 || (!b->side && chance(b, 50)))
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
