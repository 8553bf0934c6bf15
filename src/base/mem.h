/* Heap memory that never comes back NULL: when it runs out, the process says so and aborts. */
#ifndef FORE_BASE_MEM_H
#define FORE_BASE_MEM_H

#include <stddef.h>

void *fore_alloc(size_t size);                /* not cleared */
void *fore_calloc(size_t count, size_t size); /* cleared; checks the product */
void *fore_realloc(void *p, size_t count, size_t size);
void fore_free(void *p);
char *fore_strdup(const char *s);

#endif
