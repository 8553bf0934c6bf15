/* Processes with their stacks, from slabs: a hundred thousand stacks of their own mappings
 * would exceed what the kernel allows one program. */
#ifndef FORE_CSP_STACK_H
#define FORE_CSP_STACK_H

#include "capture/csp/proc.h"

struct fore_proc *fore_stack_take(void); /* NULL: there is no memory */
void fore_stack_give(struct fore_proc *p);
void fore_stack_each(void (*see)(struct fore_proc *p, void *arg), void *arg);
/* Where the usable part of the stack begins and how large it is. */
void *fore_stack_low(const struct fore_proc *p, size_t *size);

#endif
