#ifndef FORE_CLI_JUDGE_HISTORY_H
#define FORE_CLI_JUDGE_HISTORY_H

#include "cli/cli.h"

/* Judges the history that is the witness of a finding about a history; returns the exit status. */
int fore_judge_history(struct fore_cli *c, const struct fore_finding *x,
                       struct fore_err *e);

#endif
