/* Finds the place in the source for an address of a program, as binutils or LLVM know it. */
#ifndef FORE_CLI_CALLERS_H
#define FORE_CLI_CALLERS_H

#include <stddef.h>

/* `callers` are lines as "/bin/program+0x1234", innermost first. Gives the place, "main.c:7", of
 * the first caller whose source can be read, or else of the first that has a place; "" if none
 * has, or no tool is installed. */
void fore_callers_place(const char *callers, char *out, size_t size);

#endif
