/* Tests that ask how large a type is: what foresee notes about a lock lies within the lock. */
#ifndef FORE_CLI_GO_SIZES_H
#define FORE_CLI_GO_SIZES_H

#include "cli/cli.h"

/* After tests that failed: says which line asks for the size of a type, if there is one among the test files of the packages
 * whose binaries left a PID.started in `folder`. */
void fore_go_tell_sizes(const struct fore_cli *c, const char *folder);

#endif
