#ifndef FORE_CLI_REPLAY_FORCED_H
#define FORE_CLI_REPLAY_FORCED_H

#include "cli/kept.h"

/* Replays a finding of a program of `foresee cc` or `foresee go`; returns the exit status. */
int fore_replay_forced(struct fore_cli *c, struct fore_findings *f,
                       struct fore_finding *x, const struct fore_started *program,
                       struct fore_err *e);

#endif
