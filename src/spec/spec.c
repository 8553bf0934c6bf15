#include "spec/spec.h"

#include "base/bitset.h"
#include "base/option.h"
#include "spec/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The words that a FORE_BITSET over variables or atoms has. */
static size_t words_of_vars(const struct fore_spec *s)
{
    return FORE_BITSET_WORDS(s->symbols.vars.n + 1);
}

int fore_spec_var(const struct fore_spec *s, const char *name)
{
    for (size_t i = 0; i < s->symbols.vars.n; i++)
        if (!strcmp(s->symbols.vars.at[i].name, name))
            return (int)i;
    return -1;
}

/* -- Statements -------------------------------------------------------------------- */

static enum fore_status parse_var(struct fore_parser *p)
{
    p->declared = true;
    do {
        FORE_TRY(fore_parse_advance(p));
        if (p->token.kind == FORE_T_QUOTED || p->token.kind == FORE_T_NAME)
            fore_parse_variable(p, fore_parse_word(p), p->token.span);
        if (p->token.kind == FORE_T_QUOTED)
            p->token.kind = FORE_T_NAME;
        FORE_TRY(fore_parse_expect(p, FORE_T_NAME, "of a variable after `var`"));
    } while (p->token.kind == FORE_T_COMMA);
    return FORE_OK;
}

static enum fore_status check_definition(struct fore_parser *p, const char *name,
                                         struct fore_span at)
{
    for (size_t i = 0; i < p->defs.n; i++)
        if (!strcmp(p->defs.at[i].name, name))
            return fore_source_fail(&p->spec->src, at, FORE_MEANING, p->err,
                                    "`%s` is already defined", name);
    if (fore_spec_var(p->spec, name) >= 0)
        return fore_source_fail(&p->spec->src, at, FORE_MEANING, p->err,
                                "`%s` is used as a variable above; define it before its "
                                "first use",
                                name);
    return FORE_OK;
}

/* -- What other languages write ---------------------------------------------------- */

static const struct {
    const char *word, *instead;
} elsewhere[] = {
    {"and", "a && b"},      {"or", "a || b"},     {"not", "!a"},
    {"implies", "a -> b"},  {"then", "a -> b"},   {"if", "a -> b"},
    {"iff", "a <-> b"},     {"until", "a U b"},   {"since", "a S b"},
    {"eventually", "<> a"}, {"globally", "[] a"}, {"never", "[] !a"},
    {"next", "X a"},        {"once", "O a"},      {"&", "a && b"},
    {"|", "a || b"},        {"<>", "a != b"},     {":=", "a == b"},
};

/* If the words at the span, or before it, are of another language, says how that is said here. */
static enum fore_status refuse_foreign(struct fore_parser *p, struct fore_span at)
{
    const char *text = p->spec->src.text;
    uint32_t end = at.at, from;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        end--;
    for (from = end; from > 0 && isalpha((unsigned char)text[from - 1]); from--)
        ;
    struct fore_span before = {from, end - from};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        const char *word = elsewhere[i].word;
        for (int k = 0; k < 2; k++) {
            struct fore_span s = k ? before : at;
            if (s.n == strlen(word) && memcmp(text + s.at, word, s.n) == 0)
                return fore_source_fail(&p->spec->src, s, FORE_SYNTAX, p->err,
                                        "`%s` is not an operator here; write `%s`", word,
                                        elsewhere[i].instead);
        }
    }
    return FORE_OK;
}

static enum fore_status parse_definition(struct fore_parser *p)
{
    struct fore_span at = p->token.span;
    const char *name = fore_parse_word(p);
    const struct fore_node *n;
    FORE_TRY(fore_parse_advance(p));
    if (p->token.kind != FORE_T_DEFINE)
        FORE_TRY(refuse_foreign(p, at));
    if (p->token.kind == FORE_T_COLON)
        return fore_source_fail(&p->spec->src, at, FORE_SYNTAX, p->err,
                                "a property begins with that word: write "
                                "`property %s: …`",
                                name);
    FORE_TRY(fore_parse_expect(p, FORE_T_DEFINE, "after the name of a proposition"));
    FORE_TRY(check_definition(p, name, at));
    FORE_TRY(fore_parse_expr(p, &n));
    bool temporal = fore_node_has(n, FORE_OPS_FUTURE) || fore_node_has(n, FORE_OPS_PAST);
    if (!temporal && fore_op_class(n->op) != FORE_OPS_NUMBER)
        n = fore_parse_atom(p, n, name, at);
    fore_vec_push(&p->defs, (struct fore_definition){name, n, at});
    return FORE_OK;
}

static enum fore_status parse_braced(struct fore_parser *p, struct fore_property *prop)
{
    FORE_TRY(fore_parse_advance(p));
    FORE_TRY(fore_parse_expect(p, FORE_T_LBRACE, "to begin the expression"));
    FORE_TRY(fore_parse_ere(p, &prop->ere));
    return fore_parse_expect(p, FORE_T_RBRACE, "to end the expression");
}

static enum fore_status parse_monitor(struct fore_parser *p, struct fore_property *prop)
{
    FORE_TRY(fore_parse_advance(p));
    prop->object = fore_parse_word(p);
    FORE_TRY(fore_parse_expect(p, FORE_T_QUOTED, "with the path of a shared object"));
    prop->vars = FORE_NEW_ARRAY(&p->spec->arena, uint64_t, FORE_SPEC_MAX_ATOMS);
    enum fore_token_kind lead = FORE_T_LPAREN;
    do { /* the variables, in the order in which the monitor gets them */
        FORE_TRY(fore_parse_expect(p, lead, "before a variable of the monitor"));
        lead = FORE_T_COMMA;
        if (prop->atom_count == FORE_SPEC_MAX_ATOMS)
            return fore_source_fail(&p->spec->src, p->token.span, FORE_LIMIT, p->err,
                                    "a monitor sees at most %d variables",
                                    FORE_SPEC_MAX_ATOMS);
        uint32_t id = fore_parse_variable(p, fore_parse_word(p), p->token.span);
        prop->vars[prop->atom_count++] = id;
        if (p->token.kind == FORE_T_QUOTED)
            p->token.kind = FORE_T_NAME;
        FORE_TRY(fore_parse_expect(p, FORE_T_NAME, "of a variable"));
    } while (p->token.kind == FORE_T_COMMA);
    return fore_parse_expect(p, FORE_T_RPAREN, "after the variables");
}

static enum fore_status parse_body(struct fore_parser *p, struct fore_property *prop)
{
    switch (p->token.kind) {
    case FORE_T_ERE:
        prop->kind = FORE_PROP_ERE;
        return parse_braced(p, prop);
    case FORE_T_MATCH:
        prop->kind = FORE_PROP_MATCH;
        return parse_braced(p, prop);
    case FORE_T_MONITOR:
        prop->kind = FORE_PROP_MONITOR;
        return parse_monitor(p, prop);
    default:
        prop->kind = FORE_PROP_LTL;
        return fore_parse_formula(p, &prop->formula);
    }
}

static enum fore_status parse_property(struct fore_parser *p)
{
    struct fore_property prop = {0};
    FORE_TRY(fore_parse_advance(p));
    prop.name = fore_parse_word(p);
    struct fore_span at = p->token.span;
    FORE_TRY(fore_parse_expect(p, FORE_T_NAME, "of the property"));
    for (size_t i = 0; i < p->spec->props.n; i++)
        if (!strcmp(p->spec->props.at[i].name, prop.name))
            return fore_source_fail(&p->spec->src, at, FORE_MEANING, p->err,
                                    "there is already a property `%s`", prop.name);
    FORE_TRY(fore_parse_expect(p, FORE_T_COLON, "after the name of the property"));
    prop.span.at = p->token.span.at;
    FORE_TRY(parse_body(p, &prop));
    prop.span.n = p->end - prop.span.at;
    fore_vec_push(&p->spec->props, prop);
    return FORE_OK;
}

static enum fore_status parse_statement(struct fore_parser *p)
{
    switch (p->token.kind) {
    case FORE_T_VAR:
        return parse_var(p);
    case FORE_T_PROPERTY:
        return parse_property(p);
    case FORE_T_NAME:
        return parse_definition(p);
    case FORE_T_SEMICOLON:
        return fore_parse_advance(p);
    default:
        FORE_TRY(refuse_foreign(p, p->token.span));
        return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                                "expected `property name: …` or a definition "
                                "`name := …`, found %s",
                                fore_token_text(p->token.kind));
    }
}

/* -- What a property is about ------------------------------------------------------ */

static enum fore_status close_property(struct fore_spec *s, struct fore_property *p,
                                       struct fore_err *e)
{
    uint64_t *vars = FORE_NEW_ARRAY(&s->arena, uint64_t, words_of_vars(s));
    if (p->kind == FORE_PROP_MONITOR) {
        p->atoms = FORE_NEW_ARRAY(&s->arena, uint32_t, p->atom_count + 1);
        for (uint32_t i = 0; i < p->atom_count; i++) {
            p->atoms[i] = (uint32_t)p->vars[i];
            fore_bit_add(vars, p->atoms[i]);
        }
        p->vars = vars;
        return FORE_OK;
    }
    size_t words = FORE_BITSET_WORDS(s->symbols.atoms.n + 1);
    uint64_t *atoms = FORE_NEW_ARRAY(&s->arena, uint64_t, words);
    if (p->kind == FORE_PROP_LTL)
        fore_pred_atoms(p->formula, atoms);
    else
        fore_ere_atoms(&s->ere, p->ere, atoms);
    size_t count = fore_bits_count(atoms, words);
    if (count > FORE_SPEC_MAX_ATOMS)
        return fore_source_fail(&s->src, p->span, FORE_LIMIT, e,
                                "%zu different propositions; at most %d can be monitored",
                                count, FORE_SPEC_MAX_ATOMS);
    p->atoms = FORE_NEW_ARRAY(&s->arena, uint32_t, count + 1);
    for (size_t i = fore_bits_next(atoms, words, 0); i < words * 64;
         i = fore_bits_next(atoms, words, i + 1)) {
        p->atoms[p->atom_count++] = (uint32_t)i;
        fore_node_vars(&s->symbols, s->symbols.atoms.at[i].expr, vars);
    }
    p->vars = vars;
    return FORE_OK;
}

static enum fore_status parse_all(struct fore_parser *p)
{
    FORE_TRY(fore_parse_advance(p));
    while (p->token.kind != FORE_T_EOF)
        FORE_TRY(parse_statement(p));
    if (p->spec->props.n == 0)
        return fore_source_fail(&p->spec->src, p->token.span, FORE_SYNTAX, p->err,
                                "there is no property; expected `property name: …`");
    for (size_t i = 0; i < p->spec->props.n; i++)
        FORE_TRY(close_property(p->spec, &p->spec->props.at[i], p->err));
    return FORE_OK;
}

enum fore_status fore_spec_parse(struct fore_spec *s, const char *file, const char *text,
                                 size_t n, struct fore_err *e)
{
    *s = (struct fore_spec){.arena = FORE_ARENA_INIT};
    fore_ere_init(&s->ere);
    if (n > (size_t)1 << 24)
        return fore_fail(e, FORE_LIMIT, "%s: a specification may have 16 MiB", file);
    s->src = (struct fore_source){fore_arena_strdup(&s->arena, file),
                                  fore_arena_strndup(&s->arena, text, n), n};
    struct fore_parser p = {.spec = s, .lexer = {.src = s->src}, .err = e};
    enum fore_status status = parse_all(&p);
    fore_vec_release(&p.defs);
    return status;
}

enum fore_status fore_spec_load(struct fore_spec *s, const char *path, struct fore_err *e)
{
    *s = (struct fore_spec){.arena = FORE_ARENA_INIT};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    enum fore_status status = fore_strbuf_read_file(&text, path, e);
    if (status == FORE_OK)
        status = fore_spec_parse(s, path, text.at, text.n, e);
    fore_strbuf_release(&text);
    return status;
}

void fore_spec_release(struct fore_spec *s)
{
    fore_vec_release(&s->symbols.vars);
    fore_vec_release(&s->symbols.atoms);
    fore_vec_release(&s->props);
    fore_ere_release(&s->ere);
    fore_arena_release(&s->arena);
}

enum fore_status fore_spec_check_names(const struct fore_spec *s,
                                       const char *const *known, size_t count,
                                       struct fore_err *e)
{
    for (size_t v = 0; v < s->symbols.vars.n; v++) {
        const char *name = s->symbols.vars.at[v].name;
        size_t i = 0;
        while (i < count && strcmp(known[i], name))
            i++;
        if (i < count)
            continue;
        const char *near = fore_nearest(name, known, count);
        return fore_source_fail(&s->src, s->symbols.vars.at[v].span, FORE_MEANING, e,
                                near ? "the trace has no variable `%s`; did you mean "
                                       "`%s`?"
                                     : "the trace has no variable `%s`",
                                name, near);
    }
    return FORE_OK;
}

const char *fore_property_kind_text(const struct fore_property *p)
{
    if (p->kind == FORE_PROP_ERE)
        return "ERE, bad prefixes";
    if (p->kind == FORE_PROP_MATCH)
        return "ERE, good runs";
    if (p->kind == FORE_PROP_MONITOR)
        return "shared object";
    bool past = fore_node_has(p->formula, FORE_OPS_PAST);
    if (fore_node_has(p->formula, FORE_OPS_FUTURE))
        return past ? "LTL, past and future" : "LTL, future";
    return past ? "LTL, past, in every state" : "state predicate, in every state";
}
