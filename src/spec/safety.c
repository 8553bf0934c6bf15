/* Which formulas are safety properties. After negations are pushed inwards, a formula without
 * U and <> is one, and its violations are found by progression [kv]. So the check looks for a
 * strong operator in a positive place, or a weak one in a negative place. The part that can be
 * monitored is the formula with each of those weakened. Where that means the same, as for
 * (p U q) || [] p and p W q, the formula was one too, and the weaker one is watched. */
#include "spec/ltl.h"

#include "spec/tableau.h"

enum polarity { POSITIVE = 1, NEGATIVE = 2, BOTH = 3 };

static unsigned flip(unsigned polarity)
{
    return (polarity & POSITIVE ? NEGATIVE : 0u) | (polarity & NEGATIVE ? POSITIVE : 0u);
}

static unsigned polarity_of_operand(const struct fore_node *n, bool second,
                                    unsigned polarity)
{
    switch (n->op) {
    case FORE_OP_NOT:
        return flip(polarity);
    case FORE_OP_IMPLIES:
        return second ? polarity : flip(polarity);
    case FORE_OP_IFF:
    case FORE_OP_START: /* p and not p before */
    case FORE_OP_END:
        return BOTH;
    case FORE_OP_INTERVAL:
        return second ? flip(polarity) : polarity;
    default:
        return polarity;
    }
}

/* Does the operator, in this place, promise something without saying by when? */
static bool promises(const struct fore_node *n, unsigned polarity)
{
    switch (n->op) {
    case FORE_OP_UNTIL:
    case FORE_OP_EVENTUALLY:
        return polarity & POSITIVE;
    case FORE_OP_WEAK:
    case FORE_OP_RELEASE:
    case FORE_OP_ALWAYS:
        return polarity & NEGATIVE;
    default:
        return false;
    }
}

static const struct fore_node *find_promise(const struct fore_node *n, unsigned polarity)
{
    if (!n)
        return NULL;
    if (promises(n, polarity))
        return n;
    const struct fore_node *a =
        find_promise(n->a, polarity_of_operand(n, false, polarity));
    return a ? a : find_promise(n->b, polarity_of_operand(n, true, polarity));
}

/* -- Weakening --------------------------------------------------------------------- */

static const struct fore_node *make_node(struct fore_arena *a, enum fore_node_op op,
                                         const struct fore_node *x,
                                         const struct fore_node *y)
{
    return fore_node_new(a, op, x, y, (struct fore_span){0, 0});
}

static bool is_op(const struct fore_node *n, enum fore_node_op op)
{
    return n && n->op == op;
}

/* Constants out, so that what is left reads well. */
static const struct fore_node *fold_node(struct fore_arena *a, enum fore_node_op op,
                                         const struct fore_node *x,
                                         const struct fore_node *y)
{
    switch (op) {
    case FORE_OP_NOT:
        if (is_op(x, FORE_OP_TRUE) || is_op(x, FORE_OP_FALSE))
            return make_node(a, is_op(x, FORE_OP_TRUE) ? FORE_OP_FALSE : FORE_OP_TRUE,
                             NULL, NULL);
        break;
    case FORE_OP_AND:
        if (is_op(x, FORE_OP_TRUE) || is_op(y, FORE_OP_FALSE))
            return y;
        if (is_op(y, FORE_OP_TRUE) || is_op(x, FORE_OP_FALSE))
            return x;
        break;
    case FORE_OP_OR:
        if (is_op(x, FORE_OP_FALSE) || is_op(y, FORE_OP_TRUE))
            return y;
        if (is_op(y, FORE_OP_FALSE) || is_op(x, FORE_OP_TRUE))
            return x;
        break;
    case FORE_OP_IMPLIES:
        if (is_op(x, FORE_OP_FALSE))
            return make_node(a, FORE_OP_TRUE, NULL, NULL);
        if (is_op(x, FORE_OP_TRUE) || is_op(y, FORE_OP_TRUE))
            return y;
        break;
    case FORE_OP_ALWAYS:
    case FORE_OP_NEXT:
    case FORE_OP_HISTORICALLY:
        if (is_op(x, FORE_OP_TRUE))
            return x;
        break;
    case FORE_OP_WEAK:
        if (is_op(x, FORE_OP_TRUE) || is_op(y, FORE_OP_TRUE))
            return make_node(a, FORE_OP_TRUE, NULL, NULL);
        break;
    default:
        break;
    }
    return make_node(a, op, x, y);
}

static const struct fore_node *weaken(struct fore_arena *a, const struct fore_node *n,
                                      unsigned polarity)
{
    if (!n || fore_op_operands(n->op) == 0)
        return n;
    if (n->op == FORE_OP_IFF && find_promise(n, polarity)) /* as two implications */
        return fold_node(a, FORE_OP_AND,
                         weaken(a, make_node(a, FORE_OP_IMPLIES, n->a, n->b), polarity),
                         weaken(a, make_node(a, FORE_OP_IMPLIES, n->b, n->a), polarity));
    if ((n->op == FORE_OP_START || n->op == FORE_OP_END) && find_promise(n, polarity))
        return make_node(a, polarity == NEGATIVE ? FORE_OP_FALSE : FORE_OP_TRUE, NULL,
                         NULL);
    const struct fore_node *x = weaken(a, n->a, polarity_of_operand(n, false, polarity));
    const struct fore_node *y = weaken(a, n->b, polarity_of_operand(n, true, polarity));
    if (!promises(n, polarity))
        return fold_node(a, n->op, x, y);
    switch (n->op) {
    case FORE_OP_UNTIL:
        return fold_node(a, FORE_OP_WEAK, x, y);
    case FORE_OP_EVENTUALLY:
        return make_node(a, FORE_OP_TRUE, NULL, NULL);
    case FORE_OP_ALWAYS:
        return make_node(a, FORE_OP_FALSE, NULL, NULL);
    case FORE_OP_WEAK:
        return fold_node(a, FORE_OP_UNTIL, x, y);
    default: /* RELEASE: p R q is q W (p && q) */
        return fold_node(a, FORE_OP_UNTIL, y, fold_node(a, FORE_OP_AND, x, y));
    }
}

static enum fore_status refuse_property(const struct fore_spec *s,
                                        const struct fore_property *p,
                                        const struct fore_node *why,
                                        const struct fore_node *weak, struct fore_err *e)
{
    struct fore_strbuf part = FORE_STRBUF_INIT, op = FORE_STRBUF_INIT;
    fore_node_text(&s->symbols, why, &op);
    if (weak->op == FORE_OP_TRUE) {
        fore_strbuf_puts(&part, "nothing of it can be monitored");
    } else {
        fore_strbuf_puts(&part, "the part that can be monitored is `");
        fore_node_text(&s->symbols, weak, &part);
        fore_strbuf_putc(&part, '`');
    }
    bool positive = why->op == FORE_OP_UNTIL || why->op == FORE_OP_EVENTUALLY;
    enum fore_status status = fore_source_fail(
        &s->src, why->span, FORE_MEANING, e,
        "`%s` is not a safety property: %s`%.120s` promises something without saying by "
        "when, so no finite run can break it for good; %s",
        p->name, positive ? "" : "denied, ", op.at, part.at);
    fore_strbuf_release(&part);
    fore_strbuf_release(&op);
    return status;
}

/* Does the weaker formula imply the formula? Then they mean the same. */
static bool implies(const struct fore_spec *s, const struct fore_property *p,
                    const struct fore_node *weak)
{
    struct fore_ltl l;
    uint8_t *bit_of = fore_calloc(s->symbols.atoms.n + 1, sizeof *bit_of);
    for (uint32_t k = 0; k < p->atom_count; k++)
        bit_of[p->atoms[k]] = (uint8_t)k;
    fore_ltl_init(&l);
    uint32_t strong = fore_ltl_function(&l, p->formula, bit_of);
    uint32_t weaker = fore_ltl_function(&l, weak, bit_of);
    bool decided;
    bool differ = fore_ltl_satisfiable(
        &l, fore_bdd_and(&l.bdd, weaker, fore_bdd_not(&l.bdd, strong)), &decided);
    fore_ltl_release(&l);
    fore_free(bit_of);
    return decided && !differ;
}

enum fore_status fore_ltl_check_safety(struct fore_spec *s, const struct fore_property *p,
                                       const struct fore_node **monitored,
                                       struct fore_err *e)
{
    const struct fore_node *why = find_promise(p->formula, POSITIVE);
    *monitored = p->formula;
    if (!why)
        return FORE_OK;
    *monitored = weaken(&s->arena, p->formula, POSITIVE);
    return implies(s, p, *monitored) ? FORE_OK
                                     : refuse_property(s, p, why, *monitored, e);
}
