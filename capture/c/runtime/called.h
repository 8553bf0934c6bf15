/* Names memory in messages while the program runs. Recorded memory is named when the recording
 * is read, see src/ring/merge_name.c; the names are the same, except for the number of a block
 * among those made at one place. */
#ifndef FORE_C_CALLED_H
#define FORE_C_CALLED_H

#include <stddef.h>

/* Writes names like total, tank[3].level, head@list.c:12.next, sum@main; "" if none is known. */
void fore_rt_called(const void *address, char *name, size_t size);

#endif
