/* LTL with past and future, by progression. */
#ifndef FORE_SPEC_LTL_H
#define FORE_SPEC_LTL_H

#include "spec/bdd.h"
#include "spec/spec.h"

/* Is every violation of the formula shown by some finite prefix? `*monitored` is then what to
 * watch: the formula, or one of the same meaning. If not, fails with the operator that stands
 * in the way, and names the part that can be monitored. */
enum fore_status fore_ltl_check_safety(struct fore_spec *s, const struct fore_property *p,
                                       const struct fore_node **monitored,
                                       struct fore_err *e) FORE_MUST_USE;

/* What a position can be asked: a bit of the letter, or a temporal operator over
 * functions of other questions. They are the variables of the boolean functions. */
enum fore_ltl_question_kind {
    FORE_LTL_BIT,
    FORE_LTL_NEXT,
    FORE_LTL_UNTIL,
    FORE_LTL_PREVIOUS,
    FORE_LTL_SINCE,
};

struct fore_ltl_question {
    enum fore_ltl_question_kind kind;
    uint32_t a, b;   /* BIT: a is the bit; else functions */
    uint32_t memory; /* PREVIOUS, SINCE: its place in a state */
};

/* A state is the function that the rest of the run must satisfy, and for each past
 * operator the function that says what it was worth one position ago. */
struct fore_ltl {
    struct fore_bdd bdd;
    FORE_VEC(struct fore_ltl_question) questions;
    uint32_t memories;
    struct fore_intern states; /* of 1 + memories words; state ids are these less 1 */
    /* of the step under way */
    FORE_VEC(uint32_t) answers; /* by question; UINT32_MAX: not yet */
    struct fore_map stepped;    /* function -> function */
};

void fore_ltl_init(struct fore_ltl *l);
void fore_ltl_release(struct fore_ltl *l);
/* The formula as a function of questions; bit bit_of[atom] of a letter is that atom. */
uint32_t fore_ltl_function(struct fore_ltl *l, const struct fore_node *n,
                           const uint8_t *bit_of);
/* The first state. `every`: the formula is to hold at every position. No functions may be
 * added after this. */
uint32_t fore_ltl_start(struct fore_ltl *l, uint32_t function, bool every);
uint32_t fore_ltl_step(struct fore_ltl *l, uint32_t state, uint32_t letter);
bool fore_ltl_false(const struct fore_ltl *l, uint32_t state);

#endif
