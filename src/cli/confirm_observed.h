/* What the analyses find in a forced run. */
#ifndef FORE_CLI_CONFIRM_OBSERVED_H
#define FORE_CLI_CONFIRM_OBSERVED_H

#include "cli/confirm.h"
#include "explore/program/rerun.h"
#include "explore/program/witness.h"

struct fore_confirm_sight {
    const struct fore_finding *x; /* that is looked for */
    /* the witness that the run followed; NULL: it followed none */
    const struct fore_trace *witness;
    struct fore_moved moved;
    unsigned seed; /* of the run */
    bool seen;     /* the run shows it */
};

/* Looks for the finding in what the run recorded. Other errors that it shows are findings, too,
 * if `adopt` is given; they are added to `f`. */
enum fore_status fore_confirm_observed(struct fore_cli *c, struct fore_findings *f,
                                       const struct fore_confirm *how,
                                       struct fore_confirm_sight *o,
                                       const struct fore_rerun *p,
                                       struct fore_err *e) FORE_MUST_USE;
/* Writes the run, step by step, as a schedule. */
void fore_confirm_put_run(const struct fore_rerun *p, unsigned seed,
                          struct fore_strbuf *out);

#endif
