/* The name of memory, for messages while the program runs. What is recorded
 * is named when it is read, see src/ring/merge_name.c; the names are the same, but for the number
 * of a block among those that were made at one place. */
#ifndef FORE_C_CALLED_H
#define FORE_C_CALLED_H

#include <stddef.h>

/* total, tank[3].level, head@list.c:12.next, sum@main; "" if nothing is known. */
void fore_rt_called(const void *address, char *name, size_t size);

#endif
