/* Where the report of `foresee go` goes. */
#ifndef FORE_CLI_GO_OUTPUT_H
#define FORE_CLI_GO_OUTPUT_H

#include "cli/cli.h"

/* Standard output is the program's: a report for people goes beside it, and into the stream of `go test -json` as
 * events of that; what programs read needs a file of its own. */
enum fore_status fore_go_output(struct fore_cli *c, struct fore_err *e) FORE_MUST_USE;

#endif
