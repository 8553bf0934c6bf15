#include "spec/ast.h"

#include "base/bitset.h"
#include "spec/lex.h"

static const struct {
    const char *text;
    enum fore_op_class class;
    unsigned operands;
    int precedence;
} ops[] = {
#define X(name, text, class, operands, prec) {text, FORE_OPS_##class, operands, prec},
    FORE_OP_LIST(X)
#undef X
};

enum fore_op_class fore_op_class(enum fore_node_op op)
{
    return ops[op].class;
}

unsigned fore_op_operands(enum fore_node_op op)
{
    return ops[op].operands;
}

struct fore_node *fore_node_new(struct fore_arena *a, enum fore_node_op op,
                                const struct fore_node *x, const struct fore_node *y,
                                struct fore_span span)
{
    struct fore_node *n = FORE_NEW(a, struct fore_node);
    *n = (struct fore_node){.op = op, .span = span, .a = x, .b = y};
    return n;
}

bool fore_node_has(const struct fore_node *n, enum fore_op_class class)
{
    return n && (ops[n->op].class == class || fore_node_has(n->a, class) ||
                 fore_node_has(n->b, class));
}

static bool right_associative(enum fore_node_op op)
{
    return op == FORE_OP_IMPLIES || ops[op].precedence == 5;
}

static void node_text(const struct fore_symbols *s, const struct fore_node *n, int outer,
                      struct fore_strbuf *out);

static void text_binary(const struct fore_symbols *s, const struct fore_node *n,
                        struct fore_strbuf *out)
{
    int p = ops[n->op].precedence;
    bool right = right_associative(n->op);
    node_text(s, n->a, right ? p + 1 : p, out);
    fore_strbuf_printf(out, " %s ", ops[n->op].text);
    node_text(s, n->b, right ? p : p + 1, out);
}

static void text_inner(const struct fore_symbols *s, const struct fore_node *n,
                       struct fore_strbuf *out)
{
    switch (n->op) {
    case FORE_OP_NUM:
        fore_spec_val_text(n->num, out);
        break;
    case FORE_OP_VAR:
        fore_strbuf_printf(out,
                           fore_lex_plain_name(s->vars.at[n->id].name) ? "%s" : "\"%s\"",
                           s->vars.at[n->id].name);
        break;
    case FORE_OP_ATOM:
        fore_strbuf_puts(out, s->atoms.at[n->id].name);
        break;
    case FORE_OP_START:
    case FORE_OP_END:
        fore_strbuf_printf(out, "%s(", ops[n->op].text);
        node_text(s, n->a, 0, out);
        fore_strbuf_putc(out, ')');
        break;
    case FORE_OP_INTERVAL:
        fore_strbuf_putc(out, '[');
        node_text(s, n->a, 0, out);
        fore_strbuf_puts(out, ", ");
        node_text(s, n->b, 0, out);
        fore_strbuf_putc(out, ')');
        break;
    default:
        if (ops[n->op].operands == 2) {
            text_binary(s, n, out);
            break;
        }
        fore_strbuf_puts(out, ops[n->op].text);
        if (ops[n->op].operands == 1)
            node_text(s, n->a, ops[n->op].precedence, out);
    }
}

static void node_text(const struct fore_symbols *s, const struct fore_node *n, int outer,
                      struct fore_strbuf *out)
{
    int p = ops[n->op].precedence;
    if (n->op == FORE_OP_ATOM && !s->atoms.at[n->id].named)
        p = ops[s->atoms.at[n->id].expr->op].precedence;
    /* A comparison below a temporal operator would need none, but reads better with them.
     */
    bool parentheses = p < outer || (p == 7 && outer == 6);
    if (parentheses)
        fore_strbuf_putc(out, '(');
    text_inner(s, n, out);
    if (parentheses)
        fore_strbuf_putc(out, ')');
}

void fore_node_text(const struct fore_symbols *s, const struct fore_node *n,
                    struct fore_strbuf *out)
{
    node_text(s, n, 0, out);
}

void fore_node_vars(const struct fore_symbols *s, const struct fore_node *n,
                    uint64_t *set)
{
    if (!n)
        return;
    if (n->op == FORE_OP_VAR)
        fore_bit_add(set, n->id);
    if (n->op == FORE_OP_ATOM)
        fore_node_vars(s, s->atoms.at[n->id].expr, set);
    fore_node_vars(s, n->a, set);
    fore_node_vars(s, n->b, set);
}

static struct fore_val node_number(const struct fore_node *n, const struct fore_val *vals)
{
    switch (n->op) {
    case FORE_OP_NUM:
        return n->num;
    case FORE_OP_VAR:
        return vals[n->id];
    case FORE_OP_NEG:
        return fore_val_arith('-', fore_val_int(0), node_number(n->a, vals));
    default:
        return fore_val_arith(ops[n->op].text[0], node_number(n->a, vals),
                              node_number(n->b, vals));
    }
}

static bool compare_values(const struct fore_node *n, const struct fore_val *vals)
{
    struct fore_val a = node_number(n->a, vals), b = node_number(n->b, vals);
    switch (n->op) {
    case FORE_OP_EQ:
        return fore_val_same(a, b);
    case FORE_OP_NE:
        return !fore_val_same(a, b);
    case FORE_OP_LT:
        return fore_val_less(a, b);
    case FORE_OP_LE:
        return fore_val_less_equal(a, b);
    case FORE_OP_GT:
        return fore_val_less(b, a);
    default:
        return fore_val_less_equal(b, a);
    }
}

static bool node_holds(const struct fore_symbols *s, const struct fore_node *n,
                       const struct fore_val *vals)
{
    switch (n->op) {
    case FORE_OP_FALSE:
        return false;
    case FORE_OP_TRUE:
        return true;
    case FORE_OP_ATOM:
        return node_holds(s, s->atoms.at[n->id].expr, vals);
    case FORE_OP_NOT:
        return !node_holds(s, n->a, vals);
    case FORE_OP_AND:
        return node_holds(s, n->a, vals) && node_holds(s, n->b, vals);
    case FORE_OP_OR:
        return node_holds(s, n->a, vals) || node_holds(s, n->b, vals);
    case FORE_OP_IMPLIES:
        return !node_holds(s, n->a, vals) || node_holds(s, n->b, vals);
    case FORE_OP_IFF:
        return node_holds(s, n->a, vals) == node_holds(s, n->b, vals);
    default:
        return ops[n->op].class == FORE_OPS_COMPARE ? compare_values(n, vals)
                                                    : fore_val_true(node_number(n, vals));
    }
}

bool fore_atom_holds(const struct fore_symbols *s, uint32_t atom,
                     const struct fore_val *vals)
{
    return node_holds(s, s->atoms.at[atom].expr, vals);
}
