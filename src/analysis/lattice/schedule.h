/* The witness of a property as a trace: all that its writes come after, in an order that the
 * recorded program can take. */
#ifndef FORE_ANALYSIS_LATTICE_SCHEDULE_H
#define FORE_ANALYSIS_LATTICE_SCHEDULE_H

#include "analysis/lattice/chain.h"
#include "finding/finding.h"

/* `steps` in the order of the witness; `mask` is that of their clocks. Fills the finding's
 * witness trace and has it checked; one that does not pass makes the finding only possible. */
enum fore_status fore_schedule_witness(struct fore_findings *f, struct fore_finding *x,
                                       const struct fore_trace *t, unsigned mask,
                                       const struct fore_lattice_steps *steps,
                                       const char *property,
                                       struct fore_err *e) FORE_MUST_USE;

#endif
