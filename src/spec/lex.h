/* Tokens of the specification language. */
#ifndef FORE_SPEC_LEX_H
#define FORE_SPEC_LEX_H

#include "spec/source.h"

#define FORE_TOKEN_LIST(X)                                                               \
    X(EOF, "end of file")                                                                \
    X(NAME, "a name")                                                                    \
    X(QUOTED, "a quoted name")                                                           \
    X(NUMBER, "a number")                                                                \
    X(LPAREN, "`(`")                                                                     \
    X(RPAREN, "`)`")                                                                     \
    X(LBRACE, "`{`")                                                                     \
    X(RBRACE, "`}`")                                                                     \
    X(LBRACKET, "`[`")                                                                   \
    X(RBRACKET, "`]`")                                                                   \
    X(COMMA, "`,`")                                                                      \
    X(COLON, "`:`")                                                                      \
    X(SEMICOLON, "`;`")                                                                  \
    X(DEFINE, "`:=`")                                                                    \
    X(NOT, "`!`")                                                                        \
    X(AND, "`&&`")                                                                       \
    X(OR, "`||`")                                                                        \
    X(AMP, "`&`")                                                                        \
    X(BAR, "`|`")                                                                        \
    X(QUESTION, "`?`")                                                                   \
    X(IMPLIES, "`->`")                                                                   \
    X(IFF, "`<->`")                                                                      \
    X(BOX, "`[]`")                                                                       \
    X(DIAMOND, "`<>`")                                                                   \
    X(EQ, "`==`")                                                                        \
    X(NE, "`!=`")                                                                        \
    X(LT, "`<`")                                                                         \
    X(LE, "`<=`")                                                                        \
    X(GT, "`>`")                                                                         \
    X(GE, "`>=`")                                                                        \
    X(PLUS, "`+`")                                                                       \
    X(MINUS, "`-`")                                                                      \
    X(STAR, "`*`")                                                                       \
    X(SLASH, "`/`")                                                                      \
    X(PERCENT, "`%`")                                                                    \
    X(NEXT, "`X`")                                                                       \
    X(UNTIL, "`U`")                                                                      \
    X(WEAK, "`W`")                                                                       \
    X(RELEASE, "`R`")                                                                    \
    X(PREVIOUS, "`Y`")                                                                   \
    X(ONCE, "`O`")                                                                       \
    X(HISTORICALLY, "`H`")                                                               \
    X(SINCE, "`S`")                                                                      \
    X(START, "`start`")                                                                  \
    X(END, "`end`")                                                                      \
    X(TRUE, "`true`")                                                                    \
    X(FALSE, "`false`")                                                                  \
    X(PROPERTY, "`property`")                                                            \
    X(VAR, "`var`")                                                                      \
    X(ERE, "`ere`")                                                                      \
    X(MATCH, "`match`")                                                                  \
    X(MONITOR, "`monitor`")

enum fore_token_kind {
#define X(name, text) FORE_T_##name,
    FORE_TOKEN_LIST(X)
#undef X
};

struct fore_token {
    enum fore_token_kind kind;
    struct fore_span span;
    struct fore_val num; /* NUMBER */
};

struct fore_lexer {
    struct fore_source src;
    uint32_t at;
};

const char *fore_token_text(enum fore_token_kind k);
enum fore_status fore_lex_next(struct fore_lexer *l, struct fore_token *t,
                               struct fore_err *e) FORE_MUST_USE;
/* Does it read as a name without quotes? */
bool fore_lex_plain_name(const char *name);

#endif
