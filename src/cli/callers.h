/* Where in the source an address of a program is, as binutils or LLVM say. */
#ifndef FORE_CLI_CALLERS_H
#define FORE_CLI_CALLERS_H

#include <stddef.h>

/* `callers` are lines as "/bin/program+0x1234", innermost first. The place, "main.c:7", of the first whose
 * source can be read, or else of the first that has one; "" if none has, or if nobody here can tell. */
void fore_callers_place(const char *callers, char *out, size_t size);

#endif
