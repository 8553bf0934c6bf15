/* The formula is evaluated on the finite run with three values (false, not yet known, true),
 * by the textbook recurrences; then the falsehood is followed down to the smallest part that
 * explains it. */
#include "spec/explain.h"

#include <string.h>

enum truth { NO, OPEN, YES };

enum { MOST_CELLS = 1 << 24 };

/* Truth of one node at every position. */
struct values {
    const struct fore_node *node;
    struct values *a, *b;
    uint8_t *at;
};

struct evaluation {
    struct fore_arena arena;
    const uint32_t *letters;
    const uint8_t *bit_of;
    size_t n, cells;
};

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t most(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static uint8_t opposite(uint8_t a)
{
    return (uint8_t)(YES - a);
}

static uint8_t boolean(enum fore_node_op op, uint8_t a, uint8_t b)
{
    switch (op) {
    case FORE_OP_TRUE:
        return YES;
    case FORE_OP_NOT:
        return opposite(a);
    case FORE_OP_AND:
        return least(a, b);
    case FORE_OP_OR:
        return most(a, b);
    case FORE_OP_IMPLIES:
        return most(opposite(a), b);
    case FORE_OP_IFF:
        return least(most(opposite(a), b), most(opposite(b), a));
    default:
        return NO;
    }
}

/* `next` is the node's own value one position later, `a_next` its operand's. */
static uint8_t future(enum fore_node_op op, uint8_t a, uint8_t b, uint8_t a_next,
                      uint8_t next)
{
    switch (op) {
    case FORE_OP_NEXT:
        return a_next;
    case FORE_OP_ALWAYS:
        return least(a, next);
    case FORE_OP_EVENTUALLY:
        return most(a, next);
    case FORE_OP_RELEASE:
        return least(b, most(a, next));
    default: /* UNTIL, WEAK: alike until the run ends */
        return most(b, least(a, next));
    }
}

/* `last` is the node's own value one position earlier, `a_last` its operand's. */
static uint8_t past(enum fore_node_op op, uint8_t a, uint8_t b, uint8_t a_last,
                    uint8_t last, bool first)
{
    switch (op) {
    case FORE_OP_PREVIOUS:
        return first ? NO : a_last;
    case FORE_OP_ONCE:
        return first ? a : most(a, last);
    case FORE_OP_HISTORICALLY:
        return first ? a : least(a, last);
    case FORE_OP_SINCE:
        return first ? b : most(b, least(a, last));
    case FORE_OP_START:
        return first ? NO : least(a, opposite(a_last));
    case FORE_OP_END:
        return first ? NO : least(opposite(a), a_last);
    default: /* INTERVAL */
        return least(opposite(b), first ? a : most(a, last));
    }
}

static struct values *evaluate(struct evaluation *e, const struct fore_node *n)
{
    struct values *v = FORE_NEW(&e->arena, struct values);
    v->node = n;
    e->cells += e->n;
    if (e->cells > MOST_CELLS)
        return NULL;
    v->at = fore_arena_alloc(&e->arena, e->n + 1);
    if ((n->a && !(v->a = evaluate(e, n->a))) || (n->b && !(v->b = evaluate(e, n->b))))
        return NULL;
    enum fore_op_class class = fore_op_class(n->op);
    v->at[e->n] = OPEN;
    for (size_t k = 0; k < e->n; k++) {
        size_t i = class == FORE_OPS_FUTURE ? e->n - 1 - k : k;
        uint8_t a = v->a ? v->a->at[i] : (uint8_t)NO,
                b = v->b ? v->b->at[i] : (uint8_t)NO;
        if (n->op == FORE_OP_ATOM)
            v->at[i] = e->letters[i] >> e->bit_of[n->id] & 1 ? YES : NO;
        else if (class == FORE_OPS_FUTURE)
            v->at[i] = future(n->op, a, b, v->a->at[i + 1], v->at[i + 1]);
        else if (class == FORE_OPS_PAST)
            v->at[i] = past(n->op, a, b, i ? v->a->at[i - 1] : (uint8_t)NO,
                            i ? v->at[i - 1] : (uint8_t)NO, i == 0);
        else
            v->at[i] = boolean(n->op, a, b);
    }
    return v;
}

/* The first position from `from` on at which it is false; n if there is none. */
static size_t first_false(const struct values *v, size_t from, size_t n)
{
    while (from < n && v->at[from] != NO)
        from++;
    return from;
}

static struct fore_blame descend_to_blame(const struct values *v, size_t at, size_t n)
{
    for (;;) {
        const struct values *down = NULL;
        size_t to = at;
        switch (v->node->op) {
        case FORE_OP_AND:
            down = v->a->at[at] == NO ? v->a : v->b;
            break;
        case FORE_OP_IMPLIES:
            down = v->b;
            break;
        case FORE_OP_ALWAYS:
            down = v->a;
            to = first_false(v->a, at, n);
            break;
        case FORE_OP_HISTORICALLY:
            down = v->a;
            to = first_false(v->a, 0, n);
            break;
        case FORE_OP_NEXT:
            down = v->a;
            to = at + 1;
            break;
        default:
            break;
        }
        if (!down || to >= n || down->at[to] != NO)
            return (struct fore_blame){v->node, at};
        v = down;
        at = to;
    }
}

struct fore_blame fore_explain(const struct fore_spec *s, const struct fore_property *p,
                               const uint32_t *letters, size_t n)
{
    struct fore_blame blame = {NULL, n ? n - 1 : 0};
    if (p->kind != FORE_PROP_LTL || n == 0)
        return blame;
    struct evaluation e = {.letters = letters, .n = n};
    uint8_t *bit_of = fore_arena_alloc(&e.arena, s->symbols.atoms.n + 1);
    for (uint32_t k = 0; k < p->atom_count; k++)
        bit_of[p->atoms[k]] = (uint8_t)k;
    e.bit_of = bit_of;
    const struct values *v = evaluate(&e, p->formula);
    if (v) {
        bool every = !fore_node_has(p->formula, FORE_OPS_FUTURE);
        size_t at = every ? first_false(v, 0, n) : 0;
        if (at < n && v->at[at] == NO)
            blame = descend_to_blame(v, at, n);
    }
    fore_arena_release(&e.arena);
    return blame;
}
