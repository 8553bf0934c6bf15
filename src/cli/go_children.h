/* Processes that tests start, such as their own binary again: their findings are reported under
 * the test that started them, and their exit status alone fails nothing, because that test has
 * seen it. */
#ifndef FORE_CLI_GO_CHILDREN_H
#define FORE_CLI_GO_CHILDREN_H

#include "cli/go_rings.h"
#include "finding/finding.h"

/* The findings from `from` on are those of `child`, whose parent was recorded, too. */
void fore_go_excuse_child(struct fore_findings *f, size_t from,
                          const struct fore_go_ring *child);

#endif
