#ifndef FORE_CLI_REPLAY_FORCED_H
#define FORE_CLI_REPLAY_FORCED_H

#include "cli/cli.h"

/* Of a program of `foresee cc`; the exit status. */
int fore_replay_forced(struct fore_cli *c, struct fore_findings *f,
                       struct fore_finding *x, char *const *argv, struct fore_err *e);

#endif
