/* Verbs that run users' code (an object from a shared object) do so in a child, and report when
 * it crashes or does not return. */
#ifndef FORE_CLI_SUPERVISE_H
#define FORE_CLI_SUPERVISE_H

#include "cli/cli.h"

/* Runs the verb, in a child if --object names a shared object. */
int fore_cli_run(struct fore_cli *c, struct fore_err *e);

#endif
