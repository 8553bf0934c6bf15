/* Before a finding is withdrawn: some free runs, in which it may show after all. */
#ifndef FORE_CLI_CONFIRM_HUNT_H
#define FORE_CLI_CONFIRM_HUNT_H

#include "cli/confirm.h"

/* Runs the program on random schedules. If one of these runs shows the finding, it is confirmed,
 * and `replay` repeats that run. */
enum fore_status fore_confirm_hunt(struct fore_cli *c, struct fore_findings *f,
                                   struct fore_finding *x,
                                   const struct fore_started *program,
                                   const struct fore_confirm *how,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
