/* Formulas: one kind of node for numbers, propositions and temporal operators. Nodes live
 * in the specification's arena and may be shared. */
#ifndef FORE_SPEC_AST_H
#define FORE_SPEC_AST_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "spec/value.h"

#include <stdbool.h>
#include <stdint.h>

enum fore_op_class {
    FORE_OPS_NUMBER,
    FORE_OPS_COMPARE, /* only inside an atom */
    FORE_OPS_BOOLEAN,
    FORE_OPS_FUTURE,
    FORE_OPS_PAST,
};

/* X(name, text, class, operands, precedence for printing) */
#define FORE_OP_LIST(X)                                                                  \
    X(NUM, "", NUMBER, 0, 11)                                                            \
    X(VAR, "", NUMBER, 0, 11)                                                            \
    X(NEG, "-", NUMBER, 1, 10)                                                           \
    X(ADD, "+", NUMBER, 2, 8)                                                            \
    X(SUB, "-", NUMBER, 2, 8)                                                            \
    X(MUL, "*", NUMBER, 2, 9)                                                            \
    X(DIV, "/", NUMBER, 2, 9)                                                            \
    X(MOD, "%", NUMBER, 2, 9)                                                            \
    X(EQ, "==", COMPARE, 2, 7)                                                           \
    X(NE, "!=", COMPARE, 2, 7)                                                           \
    X(LT, "<", COMPARE, 2, 7)                                                            \
    X(LE, "<=", COMPARE, 2, 7)                                                           \
    X(GT, ">", COMPARE, 2, 7)                                                            \
    X(GE, ">=", COMPARE, 2, 7)                                                           \
    X(FALSE, "false", BOOLEAN, 0, 11)                                                    \
    X(TRUE, "true", BOOLEAN, 0, 11)                                                      \
    X(ATOM, "", BOOLEAN, 0, 11)                                                          \
    X(NOT, "!", BOOLEAN, 1, 6)                                                           \
    X(AND, "&&", BOOLEAN, 2, 4)                                                          \
    X(OR, "||", BOOLEAN, 2, 3)                                                           \
    X(IMPLIES, "->", BOOLEAN, 2, 2)                                                      \
    X(IFF, "<->", BOOLEAN, 2, 1)                                                         \
    X(NEXT, "X ", FUTURE, 1, 6)                                                          \
    X(ALWAYS, "[] ", FUTURE, 1, 6)                                                       \
    X(EVENTUALLY, "<> ", FUTURE, 1, 6)                                                   \
    X(UNTIL, "U", FUTURE, 2, 5)                                                          \
    X(WEAK, "W", FUTURE, 2, 5)                                                           \
    X(RELEASE, "R", FUTURE, 2, 5)                                                        \
    X(PREVIOUS, "Y ", PAST, 1, 6)                                                        \
    X(ONCE, "O ", PAST, 1, 6)                                                            \
    X(HISTORICALLY, "H ", PAST, 1, 6)                                                    \
    X(SINCE, "S", PAST, 2, 5)                                                            \
    X(START, "start", PAST, 1, 11)                                                       \
    X(END, "end", PAST, 1, 11)                                                           \
    X(INTERVAL, "[,)", PAST, 2, 11)

enum fore_node_op {
#define X(name, text, class, operands, prec) FORE_OP_##name,
    FORE_OP_LIST(X)
#undef X
        FORE_OPS
};

struct fore_span {
    uint32_t at, n; /* bytes of the source */
};

struct fore_node {
    enum fore_node_op op;
    uint32_t id; /* VAR: variable; ATOM: atom */
    struct fore_val num;
    struct fore_span span;
    const struct fore_node *a, *b;
};

/* An atomic proposition: a state predicate with the name it was defined by, or its text.
 */
struct fore_atom {
    const char *name;
    const struct fore_node *expr; /* numbers, comparisons, booleans, other atoms */
    bool named;
};

struct fore_variable {
    const char *name;
    struct fore_span span; /* where it is first used */
};

/* What nodes refer to by id. */
struct fore_symbols {
    FORE_VEC(struct fore_variable) vars;
    FORE_VEC(struct fore_atom) atoms;
};

enum fore_op_class fore_op_class(enum fore_node_op op);
unsigned fore_op_operands(enum fore_node_op op);

struct fore_node *fore_node_new(struct fore_arena *a, enum fore_node_op op,
                                const struct fore_node *x, const struct fore_node *y,
                                struct fore_span span);
/* Is there an operator of this class in it? Definitions behind atoms have no temporal
 * ones. */
bool fore_node_has(const struct fore_node *n, enum fore_op_class class);
void fore_node_text(const struct fore_symbols *s, const struct fore_node *n,
                    struct fore_strbuf *out);
/* Adds the variables of n, through atoms, to a bitset over variables. */
void fore_node_vars(const struct fore_symbols *s, const struct fore_node *n,
                    uint64_t *set);

/* The values are those of all variables, by id. */
bool fore_atom_holds(const struct fore_symbols *s, uint32_t atom,
                     const struct fore_val *vals);

#endif
