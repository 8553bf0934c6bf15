#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *p, size_t wanted)
{
    if (!p && wanted) {
        fprintf(stderr, "foresee: out of memory (%zu bytes wanted)\n", wanted);
        abort();
    }
    return p;
}

void *fore_alloc(size_t size)
{
    return or_die(malloc(size ? size : 1), size ? size : 1);
}

void *fore_calloc(size_t count, size_t size)
{
    if (!count || !size)
        count = size = 1;
    return or_die(calloc(count, size), count * size);
}

void *fore_realloc(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return or_die(NULL, SIZE_MAX);
    size_t bytes = count * size;
    return or_die(realloc(p, bytes ? bytes : 1), bytes ? bytes : 1);
}

void fore_free(void *p)
{
    free(p);
}

char *fore_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(fore_alloc(n), s, n);
}
