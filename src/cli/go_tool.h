/* What the go command starts in place of its compiler and of vet. */
#ifndef FORE_CLI_GO_TOOL_H
#define FORE_CLI_GO_TOOL_H

#include "base/err.h"

/* Becomes the tool words[0], which is given other files where structures are filled up to a cache line
 * (capture/go/padding.h). Returns only if that fails. */
enum fore_status fore_go_tool(const char *const *words, struct fore_err *e) FORE_MUST_USE;

#endif
