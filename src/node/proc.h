/* Reads what the kernel says about a process. */
#ifndef FORE_NODE_PROC_H
#define FORE_NODE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads a small file of the process, such as "status"; "" if there is none. */
const char *fore_proc_read(pid_t pid, const char *name, char *text, size_t size);
/* The value behind `name:` in a text of lines, "" if there is none. */
const char *fore_proc_value(const char *text, const char *name);
/* Has the process, a child of ours, ended? With this status or, below 0, by that signal. It is not
 * reaped. */
bool fore_proc_ended(pid_t pid, int *status);

#endif
