/* The part of `convert` that converts histories. */
#ifndef FORE_CLI_CONVERT_HISTORY_H
#define FORE_CLI_CONVERT_HISTORY_H

#include "cli/cli.h"

#include <stdio.h>

/* Is this a conversion between formats of histories? Decided by the target's name, or by the
 * beginning of the file. */
bool fore_convert_is_history(const char *path, const char *to);
/* Reads the history at `path` and writes it to `out`. */
enum fore_status fore_convert_history(struct fore_cli *c, const char *path,
                                      const char *to, FILE *out,
                                      struct fore_err *e) FORE_MUST_USE;

#endif
