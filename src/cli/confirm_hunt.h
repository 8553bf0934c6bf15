/* Before a finding is taken back: some runs that follow nothing, in which it may show after all. */
#ifndef FORE_CLI_CONFIRM_HUNT_H
#define FORE_CLI_CONFIRM_HUNT_H

#include "cli/confirm.h"

/* Runs the program on schedules that chance makes. If one shows it, the finding is confirmed, and that
 * run is what `replay` does again. */
enum fore_status fore_confirm_hunt(struct fore_cli *c, struct fore_findings *f,
                                   struct fore_finding *x,
                                   const struct fore_started *program,
                                   const struct fore_confirm *how,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
