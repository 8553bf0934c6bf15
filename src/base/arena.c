#include "base/arena.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ONE_BY_ONE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_BY_ONE 1
#endif
#endif
#ifndef ONE_BY_ONE
#define ONE_BY_ONE 0
#endif

enum { ALIGN = 16, BLOCK = 64 * 1024 };

struct fore_arena_block {
    struct fore_arena_block *older;
    _Alignas(16) char data[];
};

static char *new_block(struct fore_arena *a, size_t size)
{
    struct fore_arena_block *b = fore_alloc(sizeof *b + size);
    b->older = a->blocks;
    a->blocks = b;
    return b->data;
}

static char *take_bytes(struct fore_arena *a, size_t size)
{
    FORE_BUG_IF(size > SIZE_MAX / 2);
    a->bytes += size;
    if (ONE_BY_ONE)
        return new_block(a, size);
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (size > BLOCK / 4)
        return new_block(a, size);
    if ((size_t)(a->end - a->next) < size) {
        a->next = new_block(a, BLOCK);
        a->end = a->next + BLOCK;
    }
    char *p = a->next;
    a->next += size;
    return p;
}

void *fore_arena_alloc(struct fore_arena *a, size_t size)
{
    return memset(take_bytes(a, size), 0, size);
}

void *fore_arena_array(struct fore_arena *a, size_t count, size_t size)
{
    FORE_BUG_IF(size && count > SIZE_MAX / 2 / size);
    return fore_arena_alloc(a, count * size);
}

char *fore_arena_strndup(struct fore_arena *a, const char *s, size_t n)
{
    char *p = take_bytes(a, n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *fore_arena_strdup(struct fore_arena *a, const char *s)
{
    return fore_arena_strndup(a, s, strlen(s));
}

char *fore_arena_printf(struct fore_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    FORE_BUG_IF(n < 0);
    char *p = fore_arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return p;
}

void fore_arena_release(struct fore_arena *a)
{
    while (a->blocks) {
        struct fore_arena_block *b = a->blocks;
        a->blocks = b->older;
        fore_free(b);
    }
    *a = (struct fore_arena)FORE_ARENA_INIT;
}

void fore_arena_join(struct fore_arena *into, struct fore_arena *from)
{
    struct fore_arena_block **oldest = &into->blocks;
    while (*oldest)
        oldest = &(*oldest)->older;
    *oldest = from->blocks;
    into->bytes += from->bytes;
    *from = (struct fore_arena)FORE_ARENA_INIT;
}
