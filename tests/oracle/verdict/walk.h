/* Claims about random runs of the recorded operations. The analyses propose only candidates that
 * their rules look for; here any state of the lax machine is one, so that every clause of the verdict
 * is reached. */
#ifndef FORE_TESTS_ORACLE_VERDICT_WALK_H
#define FORE_TESTS_ORACLE_VERDICT_WALK_H

#include "oracle/verdict/world.h"

/* What the machine says the program can do: these threads are at these operations at once
 * and, if `stuck`, stay there for ever. */
struct assertion {
    struct waits at;
    bool stuck, if_race_free;
};

struct assertions {
    FORE_VEC(struct assertion) list;
};

struct walk_totals {
    unsigned claims, predicted;
};

/* Appends what is predicted after `walks` random walks over the trace, without the clauses
 * `ablated`. */
void walk_trace(const struct fore_strbuf *text, uint32_t ablated, unsigned walks,
                struct fore_rng *r, struct assertions *out, struct walk_totals *n);

/* The part of the run that a random operation needs can be run alone. Returns how often it cannot.
 * `spared`: a kind of event (trace/event.h) whose needs are not followed; 0: none. */
unsigned walk_closures(const struct fore_strbuf *text, unsigned spared, unsigned tries,
                       struct fore_rng *r);

#endif
