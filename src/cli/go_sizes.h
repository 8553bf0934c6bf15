/* Finds tests that ask how large a type is, because foresee's notes about a lock lie within the
 * lock and make it larger. */
#ifndef FORE_CLI_GO_SIZES_H
#define FORE_CLI_GO_SIZES_H

#include "cli/cli.h"

/* After tests that failed: reports a line that asks for the size of a type, if there is one in
 * the test files of the packages whose binaries left a PID.started in `folder`. */
void fore_go_tell_sizes(const struct fore_cli *c, const char *folder);

#endif
