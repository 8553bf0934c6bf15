/* Finds the smallest part of a Go test binary that shows a finding: the test that it belongs to. */
#ifndef FORE_CLI_GO_SCOPE_H
#define FORE_CLI_GO_SCOPE_H

#include "cli/kept.h"

/* Gives how the program, started as `whole`, runs only the test of the finding, and which
 * goroutines are then that test's. False: it cannot be run alone, as a benchmark. A finding that
 * belongs to no test needs the whole program. */
bool fore_go_scope(struct fore_arena *a, const struct fore_tables *t, const char *test,
                   const struct fore_started *whole, struct fore_started *out);

#endif
