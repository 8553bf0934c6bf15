/* The command that go starts in place of its compiler and of vet. */
#ifndef FORE_CLI_GO_TOOL_H
#define FORE_CLI_GO_TOOL_H

#include "base/err.h"

/* Becomes the tool words[0], with other files if structures in them are filled up to a cache
 * line (capture/go/padding.h). Returns only if that fails, or with `*status` if the tool has run
 * already: a compiler of a package that a specification concerns is run with other files first
 * (capture/go/watcher.h). */
enum fore_status fore_go_tool(const char *const *words, int *status,
                              struct fore_err *e) FORE_MUST_USE;

#endif
