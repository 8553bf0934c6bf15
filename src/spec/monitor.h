/* Monitors: letters in, verdict out. A monitor is deterministic; its states are small
 * numbers, made when they are first reached. From a bad state there is no way back.
 *
 * Predicts: nothing; decides for one finite run whether it is a bad prefix.
 * Sound:    yes. Complete: for automata that were made explicit, at the first bad prefix;
 *           for those too large for that, as soon as progression shows it.
 * Cost:     a table look-up per step once explicit.   Source: [jmpax], section 2; [brz].
 */
#ifndef FORE_SPEC_MONITOR_H
#define FORE_SPEC_MONITOR_H

#include "spec/dfa.h"
#include "spec/letters.h"
#include "spec/spec.h"

struct fore_monitor;

/* What `foresee spec` prints. Sizes are 0 if the automaton was too large to make
 * explicit. */
struct fore_monitor_size {
    uint32_t derived;           /* states before minimisation */
    uint32_t minimal;           /* over the letters that can occur */
    uint32_t minimal_all;       /* over all letters */
    uint32_t letters, possible; /* all, and those that can occur */
};

/* Refuses what is not a safety property. The specification must outlive the monitor. */
enum fore_status fore_monitor_new(struct fore_spec *s, const struct fore_property *p,
                                  struct fore_monitor **out,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_monitor_free(struct fore_monitor *m);

uint32_t fore_monitor_start(const struct fore_monitor *m); /* before the first letter */
/* `letter` as fore_monitor_letter gives it; a shared object looks at `vals` instead. */
uint32_t fore_monitor_step(struct fore_monitor *m, uint32_t state, uint32_t letter,
                           const struct fore_val *vals);
uint32_t fore_monitor_letter(const struct fore_monitor *m, const struct fore_val *vals);
bool fore_monitor_bad(const struct fore_monitor *m, uint32_t state);
/* A shared object that crashed or did not answer: what happened. */
enum fore_status fore_monitor_failure(const struct fore_monitor *m,
                                      struct fore_err *e) FORE_MUST_USE;

struct fore_monitor_size fore_monitor_size(const struct fore_monitor *m);
/* NULL if it is not explicit. `possible`: minimal over the letters that can occur. */
const struct fore_dfa *fore_monitor_dfa(const struct fore_monitor *m, bool possible);
/* The automaton as a Graphviz digraph; false if it is not explicit. */
bool fore_monitor_dot(const struct fore_monitor *m, struct fore_strbuf *out);

#endif
