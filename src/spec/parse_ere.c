/* Expressions over letters:
 *   alt = and {"|" and}    and = cat {"&" cat}    cat = unary {unary}
 *   unary = "!" unary | item {"*" | "+" | "?" | "{" n ["," [m]] "}"}
 *   item = "{" [formula {"," formula}] "}" | "(" [alt] ")" */
#include "spec/parse.h"

enum { MOST_REPEATS = 1000 };

static enum fore_status parse_letter(struct fore_parser *p, uint32_t *out)
{
    const struct fore_node *pred = NULL, *next;
    struct fore_span begin = p->token.span;
    FORE_TRY(fore_parse_advance(p));
    while (p->token.kind != FORE_T_RBRACE) {
        FORE_TRY(fore_parse_formula(p, &next));
        if (fore_node_has(next, FORE_OPS_FUTURE) || fore_node_has(next, FORE_OPS_PAST))
            return fore_source_fail(&p->spec->src, next->span, FORE_MEANING, p->err,
                                    "a letter says what holds in one state; temporal "
                                    "operators cannot stand in it");
        pred = pred ? fore_node_new(&p->spec->arena, FORE_OP_AND, pred, next, next->span)
                    : next;
        if (p->token.kind != FORE_T_COMMA)
            break;
        FORE_TRY(fore_parse_advance(p));
    }
    FORE_TRY(fore_parse_expect(p, FORE_T_RBRACE, "to close the letter"));
    if (!pred)
        pred = fore_node_new(&p->spec->arena, FORE_OP_TRUE, NULL, NULL, begin);
    *out = fore_ere_letter(&p->spec->ere, &p->spec->symbols, pred);
    return FORE_OK;
}

static enum fore_status parse_item(struct fore_parser *p, uint32_t *out)
{
    if (p->token.kind == FORE_T_LBRACE)
        return parse_letter(p, out);
    if (p->token.kind != FORE_T_LPAREN)
        return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                                "expected a letter `{…}`, `(` or `!`, found %s",
                                fore_token_text(p->token.kind));
    FORE_TRY(fore_parse_advance(p));
    *out = FORE_ERE_ID_EMPTY;
    if (p->token.kind != FORE_T_RPAREN)
        FORE_TRY(fore_parse_ere(p, out));
    return fore_parse_expect(p, FORE_T_RPAREN, "to close the parenthesis");
}

/* `{` begins a repetition only if a number and then `,` or `}` follow. */
static bool at_repetition(struct fore_parser *p)
{
    struct fore_lexer ahead = p->lexer;
    struct fore_token t;
    if (p->token.kind != FORE_T_LBRACE || fore_lex_next(&ahead, &t, NULL) != FORE_OK ||
        t.kind != FORE_T_NUMBER || fore_lex_next(&ahead, &t, NULL) != FORE_OK)
        return false;
    return t.kind == FORE_T_COMMA || t.kind == FORE_T_RBRACE;
}

static enum fore_status parse_count(struct fore_parser *p, int64_t *out)
{
    struct fore_val v = p->token.num;
    if (p->token.kind == FORE_T_NUMBER && (v.real || v.i > MOST_REPEATS))
        return fore_source_fail(&p->spec->src, p->token.span, FORE_LIMIT, p->err,
                                "a repetition count is a whole number up to %d",
                                MOST_REPEATS);
    *out = v.i;
    return fore_parse_expect(p, FORE_T_NUMBER, "as the repetition count");
}

static uint32_t repeat_term(struct fore_ere *e, uint32_t t, int64_t from, int64_t to)
{
    uint32_t tail = to < 0 ? fore_ere_star(e, t) : FORE_ERE_ID_EMPTY;
    for (int64_t i = from; i < to; i++)
        tail = fore_ere_alt(e, FORE_ERE_ID_EMPTY, fore_ere_cat(e, t, tail));
    for (int64_t i = 0; i < from; i++)
        tail = fore_ere_cat(e, t, tail);
    return tail;
}

static enum fore_status parse_repetition(struct fore_parser *p, uint32_t *t)
{
    int64_t from = 0, to;
    struct fore_span begin = p->token.span;
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(parse_count(p, &from));
    to = from;
    if (p->token.kind == FORE_T_COMMA) {
        to = -1; /* without end */
        FORE_TRY(fore_parse_advance(p));
        if (p->token.kind == FORE_T_NUMBER)
            FORE_TRY(parse_count(p, &to));
    }
    FORE_TRY(fore_parse_expect(p, FORE_T_RBRACE, "to close the repetition"));
    if (to >= 0 && to < from)
        return fore_source_fail(&p->spec->src, begin, FORE_MEANING, p->err,
                                "the repetition ends below its beginning");
    *t = repeat_term(&p->spec->ere, *t, from, to);
    return FORE_OK;
}

static enum fore_status parse_unary(struct fore_parser *p, uint32_t *out)
{
    struct fore_ere *e = &p->spec->ere;
    if (p->token.kind == FORE_T_NOT) {
        FORE_TRY(fore_parse_deeper(p));
        FORE_TRY(fore_parse_advance(p));
        FORE_TRY(parse_unary(p, out));
        p->depth--;
        *out = fore_ere_not(e, *out);
        return FORE_OK;
    }
    FORE_TRY(parse_item(p, out));
    for (;;) {
        if (p->token.kind == FORE_T_STAR)
            *out = fore_ere_star(e, *out);
        else if (p->token.kind == FORE_T_PLUS)
            *out = fore_ere_cat(e, *out, fore_ere_star(e, *out));
        else if (p->token.kind == FORE_T_QUESTION)
            *out = fore_ere_alt(e, FORE_ERE_ID_EMPTY, *out);
        else if (!at_repetition(p))
            return FORE_OK;
        if (p->token.kind == FORE_T_LBRACE)
            FORE_TRY(parse_repetition(p, out));
        else
            FORE_TRY(fore_parse_advance(p));
    }
}

static bool begins_item(const struct fore_parser *p)
{
    return p->token.kind == FORE_T_LBRACE || p->token.kind == FORE_T_LPAREN ||
           p->token.kind == FORE_T_NOT;
}

static enum fore_status parse_cat(struct fore_parser *p, uint32_t *out)
{
    uint32_t next;
    FORE_TRY(parse_unary(p, out));
    while (begins_item(p)) {
        FORE_TRY(parse_unary(p, &next));
        *out = fore_ere_cat(&p->spec->ere, *out, next);
    }
    return FORE_OK;
}

static enum fore_status parse_and(struct fore_parser *p, uint32_t *out)
{
    uint32_t next;
    FORE_TRY(parse_cat(p, out));
    while (p->token.kind == FORE_T_AMP) {
        FORE_TRY(fore_parse_advance(p));
        FORE_TRY(parse_cat(p, &next));
        *out = fore_ere_and(&p->spec->ere, *out, next);
    }
    return FORE_OK;
}

enum fore_status fore_parse_ere(struct fore_parser *p, uint32_t *out)
{
    uint32_t next;
    FORE_TRY(fore_parse_deeper(p));
    FORE_TRY(parse_and(p, out));
    while (p->token.kind == FORE_T_BAR) {
        FORE_TRY(fore_parse_advance(p));
        FORE_TRY(parse_and(p, &next));
        *out = fore_ere_alt(&p->spec->ere, *out, next);
    }
    p->depth--;
    return FORE_OK;
}
