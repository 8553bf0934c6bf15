/* LTL with past and future, by progression. */
#ifndef FORE_SPEC_LTL_H
#define FORE_SPEC_LTL_H

#include "spec/bdd.h"
#include "spec/spec.h"

/* Is every violation of the formula shown by some finite prefix? If an operator stands in
 * the way, fails with the reason, pointing at it, and names the part that can be
 * monitored. */
enum fore_status fore_ltl_check_safety(const struct fore_spec *s,
                                       const struct fore_property *p,
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

void fore_ltl_init(struct fore_ltl *l, const struct fore_property *p,
                   const uint8_t *bit_of, uint32_t *start);
void fore_ltl_release(struct fore_ltl *l);
uint32_t fore_ltl_step(struct fore_ltl *l, uint32_t state, uint32_t letter);
bool fore_ltl_false(const struct fore_ltl *l, uint32_t state);

#endif
