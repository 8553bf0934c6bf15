#include "spec/parse.h"

#include "base/option.h"

#include <string.h>

enum fore_status fore_parse_advance(struct fore_parser *p)
{
    p->end = p->token.span.at + p->token.span.n;
    return fore_lex_next(&p->lexer, &p->token, p->err);
}

enum fore_status fore_parse_expect(struct fore_parser *p, enum fore_token_kind k,
                                   const char *where)
{
    if (p->token.kind != k)
        return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                                "expected %s %s, found %s", fore_token_text(k), where,
                                fore_token_text(p->token.kind));
    return fore_parse_advance(p);
}

enum fore_status fore_parse_deeper(struct fore_parser *p)
{
    if (++p->depth > FORE_PARSE_DEPTH)
        return fore_source_fail(&p->spec->src, p->token.span, FORE_LIMIT, p->err,
                                "nested more than %d deep; use definitions (`p := …`)",
                                FORE_PARSE_DEPTH);
    return FORE_OK;
}

const char *fore_parse_word(struct fore_parser *p)
{
    struct fore_span s = p->token.span;
    uint32_t quotes = p->token.kind == FORE_T_QUOTED;
    return fore_arena_strndup(&p->spec->arena, p->spec->src.text + s.at + quotes,
                              s.n - 2 * quotes);
}

uint32_t fore_parse_variable(struct fore_parser *p, const char *name, struct fore_span at)
{
    int known = fore_spec_var(p->spec, name);
    if (known >= 0)
        return (uint32_t)known;
    fore_vec_push(&p->spec->symbols.vars, (struct fore_variable){name, at});
    return (uint32_t)p->spec->symbols.vars.n - 1;
}

const struct fore_node *fore_parse_atom(struct fore_parser *p,
                                        const struct fore_node *expr, const char *name,
                                        struct fore_span span)
{
    struct fore_symbols *s = &p->spec->symbols;
    bool named = name;
    if (!named) {
        struct fore_strbuf text = FORE_STRBUF_INIT;
        fore_node_text(s, expr, &text);
        name = fore_arena_strndup(&p->spec->arena, text.at, text.n);
        fore_strbuf_release(&text);
    }
    uint32_t id = 0;
    while (id < s->atoms.n &&
           (s->atoms.at[id].named != named || strcmp(s->atoms.at[id].name, name)))
        id++;
    if (id == s->atoms.n)
        fore_vec_push(&s->atoms, (struct fore_atom){name, expr, named});
    struct fore_node *n = fore_node_new(&p->spec->arena, FORE_OP_ATOM, NULL, NULL, span);
    n->id = id;
    return n;
}

/* -- Kinds of expressions ---------------------------------------------------------- */

static bool is_number(const struct fore_node *n)
{
    return fore_op_class(n->op) == FORE_OPS_NUMBER;
}

static enum fore_status to_formula(struct fore_parser *p, const struct fore_node **n)
{
    if (!is_number(*n))
        return FORE_OK;
    if ((*n)->op != FORE_OP_VAR)
        return fore_source_fail(&p->spec->src, (*n)->span, FORE_MEANING, p->err,
                                "this is a number where a proposition is needed; compare "
                                "it, as in `w > 26`");
    *n = fore_parse_atom(p, *n, NULL, (*n)->span);
    return FORE_OK;
}

static enum fore_status to_number(struct fore_parser *p, const struct fore_node **n)
{
    if (is_number(*n))
        return FORE_OK;
    if ((*n)->op == FORE_OP_TRUE || (*n)->op == FORE_OP_FALSE) {
        struct fore_node *one =
            fore_node_new(&p->spec->arena, FORE_OP_NUM, NULL, NULL, (*n)->span);
        one->num = fore_val_int((*n)->op == FORE_OP_TRUE);
        *n = one;
        return FORE_OK;
    }
    return fore_source_fail(
        &p->spec->src, (*n)->span, FORE_MEANING, p->err,
        "this is a proposition where a number is needed; propositions "
        "are compared by `<->`");
}

static struct fore_span join_spans(struct fore_span a, struct fore_span b)
{
    return (struct fore_span){a.at, b.at + b.n - a.at};
}

static enum fore_status make_binary(struct fore_parser *p, enum fore_node_op op,
                                    const struct fore_node *a, const struct fore_node *b,
                                    const struct fore_node **out)
{
    bool numbers =
        fore_op_class(op) == FORE_OPS_NUMBER || fore_op_class(op) == FORE_OPS_COMPARE;
    FORE_TRY(numbers ? to_number(p, &a) : to_formula(p, &a));
    FORE_TRY(numbers ? to_number(p, &b) : to_formula(p, &b));
    struct fore_span span = join_spans(a->span, b->span);
    *out = fore_node_new(&p->spec->arena, op, a, b, span);
    if (fore_op_class(op) == FORE_OPS_COMPARE)
        *out = fore_parse_atom(p, *out, NULL, span);
    return FORE_OK;
}

/* -- Primaries --------------------------------------------------------------------- */

static enum fore_status unknown_name(struct fore_parser *p, const char *name)
{
    FORE_VEC(const char *) known = {0};
    for (size_t i = 0; i < p->defs.n; i++)
        fore_vec_push(&known, p->defs.at[i].name);
    for (size_t i = 0; i < p->spec->symbols.vars.n; i++)
        fore_vec_push(&known, p->spec->symbols.vars.at[i].name);
    const char *near = fore_nearest(name, known.at, known.n);
    fore_vec_release(&known);
    return fore_source_fail(&p->spec->src, p->token.span, FORE_MEANING, p->err,
                            near ? "`%s` is not declared by `var`; did you mean `%s`?"
                                 : "`%s` is not declared by `var`",
                            name, near);
}

static enum fore_status parse_name(struct fore_parser *p, const struct fore_node **out)
{
    const char *name = fore_parse_word(p);
    bool quoted = p->token.kind == FORE_T_QUOTED;
    for (size_t i = 0; i < p->defs.n && !quoted; i++) {
        if (strcmp(p->defs.at[i].name, name))
            continue;
        struct fore_node *copy = FORE_NEW(&p->spec->arena, struct fore_node);
        *copy = *p->defs.at[i].node;
        copy->span = p->token.span;
        *out = copy;
        return fore_parse_advance(p);
    }
    if (p->declared && fore_spec_var(p->spec, name) < 0)
        return unknown_name(p, name);
    struct fore_node *n =
        fore_node_new(&p->spec->arena, FORE_OP_VAR, NULL, NULL, p->token.span);
    n->id = fore_parse_variable(p, name, p->token.span);
    *out = n;
    return fore_parse_advance(p);
}

static enum fore_status parse_constant(struct fore_parser *p, enum fore_node_op op,
                                       const struct fore_node **out)
{
    struct fore_node *n = fore_node_new(&p->spec->arena, op, NULL, NULL, p->token.span);
    n->num = p->token.num;
    *out = n;
    return fore_parse_advance(p);
}

static enum fore_status parse_edge(struct fore_parser *p, enum fore_node_op op,
                                   const struct fore_node **out)
{
    struct fore_span begin = p->token.span;
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(fore_parse_expect(p, FORE_T_LPAREN,
                               op == FORE_OP_START ? "after `start`" : "after `end`"));
    const struct fore_node *a;
    FORE_TRY(fore_parse_formula(p, &a));
    struct fore_span span = join_spans(begin, p->token.span);
    FORE_TRY(fore_parse_expect(p, FORE_T_RPAREN, "to close it"));
    *out = fore_node_new(&p->spec->arena, op, a, NULL, span);
    return FORE_OK;
}

static enum fore_status parse_interval(struct fore_parser *p,
                                       const struct fore_node **out)
{
    struct fore_span begin = p->token.span;
    const struct fore_node *a, *b;
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(fore_parse_formula(p, &a));
    FORE_TRY(fore_parse_expect(p, FORE_T_COMMA, "in the interval `[p, q)`"));
    FORE_TRY(fore_parse_formula(p, &b));
    struct fore_span span = join_spans(begin, p->token.span);
    FORE_TRY(fore_parse_expect(p, FORE_T_RPAREN, "to close the interval `[p, q)`"));
    *out = fore_node_new(&p->spec->arena, FORE_OP_INTERVAL, a, b, span);
    return FORE_OK;
}

static enum fore_status parse_parentheses(struct fore_parser *p,
                                          const struct fore_node **out)
{
    struct fore_span begin = p->token.span;
    const struct fore_node *inner;
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(fore_parse_expr(p, &inner));
    struct fore_node *copy = FORE_NEW(&p->spec->arena, struct fore_node);
    *copy = *inner;
    copy->span = join_spans(begin, p->token.span);
    *out = copy;
    return fore_parse_expect(p, FORE_T_RPAREN, "to close the parenthesis");
}

static enum fore_status parse_primary(struct fore_parser *p, const struct fore_node **out)
{
    switch (p->token.kind) {
    case FORE_T_NAME:
    case FORE_T_QUOTED:
        return parse_name(p, out);
    case FORE_T_NUMBER:
        return parse_constant(p, FORE_OP_NUM, out);
    case FORE_T_TRUE:
        return parse_constant(p, FORE_OP_TRUE, out);
    case FORE_T_FALSE:
        return parse_constant(p, FORE_OP_FALSE, out);
    case FORE_T_START:
        return parse_edge(p, FORE_OP_START, out);
    case FORE_T_END:
        return parse_edge(p, FORE_OP_END, out);
    case FORE_T_LBRACKET:
        return parse_interval(p, out);
    case FORE_T_LPAREN:
        return parse_parentheses(p, out);
    default:
        return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                                "expected a proposition, a variable or `(`, found %s",
                                fore_token_text(p->token.kind));
    }
}

/* -- Operators, by precedence ------------------------------------------------------ */

struct operator_row {
    enum fore_token_kind token;
    enum fore_node_op op;
    int precedence;
    bool right; /* associates to the right */
};

enum { UNARY = 6, COMPARISON = 7, TIGHTEST = 10 };

static const struct operator_row binary[] = {
    {FORE_T_IFF, FORE_OP_IFF, 1, false},
    {FORE_T_IMPLIES, FORE_OP_IMPLIES, 2, true},
    {FORE_T_OR, FORE_OP_OR, 3, false},
    {FORE_T_AND, FORE_OP_AND, 4, false},
    {FORE_T_UNTIL, FORE_OP_UNTIL, 5, true},
    {FORE_T_WEAK, FORE_OP_WEAK, 5, true},
    {FORE_T_RELEASE, FORE_OP_RELEASE, 5, true},
    {FORE_T_SINCE, FORE_OP_SINCE, 5, true},
    {FORE_T_EQ, FORE_OP_EQ, COMPARISON, false},
    {FORE_T_NE, FORE_OP_NE, COMPARISON, false},
    {FORE_T_LT, FORE_OP_LT, COMPARISON, false},
    {FORE_T_LE, FORE_OP_LE, COMPARISON, false},
    {FORE_T_GT, FORE_OP_GT, COMPARISON, false},
    {FORE_T_GE, FORE_OP_GE, COMPARISON, false},
    {FORE_T_PLUS, FORE_OP_ADD, 8, false},
    {FORE_T_MINUS, FORE_OP_SUB, 8, false},
    {FORE_T_STAR, FORE_OP_MUL, 9, false},
    {FORE_T_SLASH, FORE_OP_DIV, 9, false},
    {FORE_T_PERCENT, FORE_OP_MOD, 9, false},
};

/* The operand of a temporal operator or a negation reaches over comparisons. */
static const struct operator_row prefix[] = {
    {FORE_T_NOT, FORE_OP_NOT, COMPARISON, true},
    {FORE_T_BOX, FORE_OP_ALWAYS, COMPARISON, true},
    {FORE_T_DIAMOND, FORE_OP_EVENTUALLY, COMPARISON, true},
    {FORE_T_NEXT, FORE_OP_NEXT, COMPARISON, true},
    {FORE_T_PREVIOUS, FORE_OP_PREVIOUS, COMPARISON, true},
    {FORE_T_ONCE, FORE_OP_ONCE, COMPARISON, true},
    {FORE_T_HISTORICALLY, FORE_OP_HISTORICALLY, COMPARISON, true},
    {FORE_T_MINUS, FORE_OP_NEG, TIGHTEST, true},
};

static const struct operator_row *row_of(const struct operator_row *rows, size_t n,
                                         enum fore_token_kind k)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].token == k)
            return &rows[i];
    return NULL;
}

static enum fore_status parse_binary(struct fore_parser *p, int least,
                                     const struct fore_node **out);

static enum fore_status parse_prefix(struct fore_parser *p, const struct fore_node **out)
{
    const struct operator_row *row =
        row_of(prefix, sizeof prefix / sizeof *prefix, p->token.kind);
    if (!row)
        return parse_primary(p, out);
    struct fore_span begin = p->token.span;
    const struct fore_node *a;
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(parse_binary(p, row->precedence, &a));
    FORE_TRY(row->op == FORE_OP_NEG ? to_number(p, &a) : to_formula(p, &a));
    *out = fore_node_new(&p->spec->arena, row->op, a, NULL, join_spans(begin, a->span));
    return FORE_OK;
}

static enum fore_status parse_chained(struct fore_parser *p)
{
    uint32_t at = p->token.span.at;
    bool arrow = at + 2 <= p->spec->src.n && !memcmp(p->spec->src.text + at, "=>", 2);
    return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                            arrow ? "`=>` is no implication; write `a -> b`"
                                  : "comparisons do not chain; write `a < b && b < c`");
}

static enum fore_status parse_binary(struct fore_parser *p, int least,
                                     const struct fore_node **out)
{
    FORE_TRY(fore_parse_deeper(p));
    const struct fore_node *left, *right;
    FORE_TRY(parse_prefix(p, &left));
    bool compared = false;
    for (;;) {
        const struct operator_row *row =
            row_of(binary, sizeof binary / sizeof *binary, p->token.kind);
        if (!row || row->precedence < least)
            break;
        if (compared && row->precedence == COMPARISON)
            return parse_chained(p);
        compared = row->precedence == COMPARISON;
        FORE_TRY(fore_parse_advance(p));
        FORE_TRY(
            parse_binary(p, row->right ? row->precedence : row->precedence + 1, &right));
        FORE_TRY(make_binary(p, row->op, left, right, &left));
    }
    p->depth--;
    *out = left;
    return FORE_OK;
}

enum fore_status fore_parse_expr(struct fore_parser *p, const struct fore_node **out)
{
    return parse_binary(p, 0, out);
}

enum fore_status fore_parse_formula(struct fore_parser *p, const struct fore_node **out)
{
    FORE_TRY(fore_parse_expr(p, out));
    return to_formula(p, out);
}
