/* Feeds a trace to the observer: decides which writes are relevant, and gives the clocks of
 * algorithm A and the values that propositions see. */
#ifndef FORE_ANALYSIS_LATTICE_FEED_H
#define FORE_ANALYSIS_LATTICE_FEED_H

#include "analysis/lattice/chain.h"
#include "analysis/lattice/watch.h"
#include "trace/sink.h"

/* The specification's variable for an object; found by name when first met. */
struct fore_binding {
    const struct fore_spec *spec;
    FORE_VEC(uint32_t) var_of; /* object -> 0: not looked up; 1: none; variable + 2 */
};

void fore_binding_release(struct fore_binding *b);
/* The variable that the event writes, or -1 if it is not relevant. */
int fore_binding_var(struct fore_binding *b, const struct fore_tables *t,
                     const struct fore_event *e);
struct fore_val fore_written_value(const struct fore_event *e);
/* Reads what the trace says about the variables before its first event. */
void fore_binding_initial(const struct fore_spec *s, const struct fore_tables *t,
                          struct fore_val *initial);
/* Fails if the specification names a variable that the trace does not have. */
enum fore_status fore_binding_check(const struct fore_spec *s,
                                    const struct fore_tables *t,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
