/* Memory that is freed all at once. A function that takes an arena returns memory that lives
 * as long as that arena. Under AddressSanitizer every object is its own allocation, so that
 * overruns are caught. */
#ifndef FORE_BASE_ARENA_H
#define FORE_BASE_ARENA_H

#include "base/err.h"

#include <stddef.h>

struct fore_arena {
    struct fore_arena_block *blocks;
    char *next, *end;
    size_t bytes; /* bytes asked for, over the arena's life */
};

#define FORE_ARENA_INIT                                                                  \
    {                                                                                    \
        NULL, NULL, NULL, 0                                                              \
    }

void *fore_arena_alloc(struct fore_arena *a, size_t size); /* 16-byte aligned, cleared */
void *fore_arena_array(struct fore_arena *a, size_t count, size_t size);
char *fore_arena_strndup(struct fore_arena *a, const char *s, size_t n);
char *fore_arena_strdup(struct fore_arena *a, const char *s);
char *fore_arena_printf(struct fore_arena *a, const char *fmt, ...) FORE_PRINTF(2, 3);
void fore_arena_release(struct fore_arena *a); /* leaves it empty and usable */

/* Moves the objects of `from` into `into`; `from` is left empty and usable. */
void fore_arena_join(struct fore_arena *into, struct fore_arena *from);

#define FORE_NEW(arena, type) ((type *)fore_arena_alloc((arena), sizeof(type)))
#define FORE_NEW_ARRAY(arena, type, n)                                                   \
    ((type *)fore_arena_array((arena), (n), sizeof(type)))

#endif
