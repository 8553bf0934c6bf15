#include "oracle/verdict/build.h"

unsigned below(struct builder *b, unsigned n)
{
    return (unsigned)fore_rng_below(b->r, n);
}

bool chance(struct builder *b, unsigned percent)
{
    return below(b, 100) < percent;
}

unsigned add(struct builder *b, enum op op, unsigned x, unsigned y, unsigned z,
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

unsigned fresh_reg(struct builder *b)
{
    return b->reg = b->reg % (REGS - 1) + 1;
}

/* if register == value; returns what if_end needs. */
unsigned if_begin(struct builder *b, unsigned reg, unsigned value, bool negated)
{
    unsigned before = b->p->length[b->t];
    unsigned at = add(b, OP_IF, reg, value, negated, 0);
    return b->p->length[b->t] > before ? at : CODE;
}

void if_end(struct builder *b, unsigned at)
{
    if (at < CODE)
        b->p->code[b->t][at].d = (uint8_t)b->p->length[b->t];
}

bool has_room(const struct builder *b, int ops)
{
    return b->ops >= ops && b->p->length[b->t] + 2u * (unsigned)ops + WAIT_ROOM < CODE;
}

/* ---- what is risky ------------------------------------------------------------------------- */

void add_inner_lock(struct builder *b)
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

void add_select(struct builder *b, bool otherwise)
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

void add_risk(struct builder *b)
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

void add_decision(struct builder *b, unsigned reg)
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

void add_content(struct builder *b)
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
