/* The parser behind spec.h: tokens in, nodes out. */
#ifndef FORE_SPEC_PARSE_H
#define FORE_SPEC_PARSE_H

#include "spec/lex.h"
#include "spec/spec.h"

struct fore_definition {
    const char *name;
    const struct fore_node *node;
    struct fore_span span;
};

struct fore_parser {
    struct fore_spec *spec;
    struct fore_lexer lexer;
    struct fore_token token; /* the next one */
    uint32_t end;            /* where the one before it ended */
    FORE_VEC(struct fore_definition) defs;
    bool declared; /* by `var`: no other variables */
    unsigned depth;
    struct fore_err *err;
};

enum { FORE_PARSE_DEPTH = 200 };

enum fore_status fore_parse_advance(struct fore_parser *p) FORE_MUST_USE;
enum fore_status fore_parse_expect(struct fore_parser *p, enum fore_token_kind k,
                                   const char *where) FORE_MUST_USE;
enum fore_status fore_parse_deeper(struct fore_parser *p) FORE_MUST_USE;
const char *
fore_parse_word(struct fore_parser *p); /* text of the token, without quotes */

/* Any expression; numbers are wrapped as nodes of class NUMBER. */
enum fore_status fore_parse_expr(struct fore_parser *p,
                                 const struct fore_node **out) FORE_MUST_USE;
/* One that is true or false. */
enum fore_status fore_parse_formula(struct fore_parser *p,
                                    const struct fore_node **out) FORE_MUST_USE;
enum fore_status fore_parse_ere(struct fore_parser *p, uint32_t *out) FORE_MUST_USE;
uint32_t fore_parse_variable(struct fore_parser *p, const char *name,
                             struct fore_span at);
/* The atom for a state predicate; named if it comes from a definition. */
const struct fore_node *fore_parse_atom(struct fore_parser *p,
                                        const struct fore_node *expr, const char *name,
                                        struct fore_span span);

#endif
