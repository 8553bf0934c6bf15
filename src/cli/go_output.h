/* Decides where the report of `foresee go` goes. */
#ifndef FORE_CLI_GO_OUTPUT_H
#define FORE_CLI_GO_OUTPUT_H

#include "cli/cli.h"

/* Standard output belongs to the program: a report for people goes to standard error, or into
 * the stream of `go test -json` as its events; a format for programs needs a file of its own. */
enum fore_status fore_go_output(struct fore_cli *c, struct fore_err *e) FORE_MUST_USE;

#endif
