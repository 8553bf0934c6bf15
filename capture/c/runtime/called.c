#include "capture/c/runtime/called.h"
#include "capture/c/runtime/blocks.h"
#include "capture/ring/leaf.h"
#include "capture/ring/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a part of a variable, or of memory that a layout describes. */
static void add_leaf(const char *whole, const char *layout, uint64_t offset, char *name,
                     size_t size)
{
    struct fore_leaf leaf = {0};
    fore_leaf_at(whole, layout, offset, &leaf);
    snprintf(name, size, "%s", leaf.name);
    size_t n = strlen(name);
    if (leaf.rest)
        snprintf(name + n, size - n, *whole || n ? "+%llu" : "[%llu]",
                 (unsigned long long)leaf.rest);
}

/* Appends the part of a block at `offset`; merge_name.c has its twin. */
static void add_part(const struct fore_rt_block_found *b, uint64_t offset,
                     const char *layout, uint64_t unit, char *name, size_t size)
{
    bool open = !unit || b->size % unit;
    bool many = unit && b->size > unit && !open && !strstr(layout, "[0,");
    if (many) {
        snprintf(name, size, "[%llu]", (unsigned long long)(offset / unit));
        offset %= unit;
    }
    size_t n = strlen(name);
    if (*layout && (many || offset < unit))
        add_leaf("", layout, offset, name + n, size - n);
    else if (!many || offset)
        snprintf(name + n, size - n, many ? "+%llu" : "[%llu]",
                 (unsigned long long)offset);
}

static void call_by_block(const struct fore_rt_block_found *b, uint64_t offset,
                          char *name, size_t size)
{
    const char *text = strchr(b->site->function, '\n'), *slash;
    bool local = text && text[1] == FORE_RING_LOCAL;
    const char *variable = text && text[1] && text[2] ? text + 3 : "";
    int length = (int)strcspn(variable, " ");
    char *layout;
    uint64_t unit = strtoull(variable + length, &layout, 10);
    layout += *layout == ' ';
    snprintf(name, size, "%.*s@",
             length  ? length
             : local ? 5
                     : 4,
             length  ? variable
             : local ? "local"
                     : "heap");
    size_t n = strlen(name);
    slash = strrchr(b->site->file, '/');
    if (local)
        snprintf(name + n, size - n, "%.*s", (int)strcspn(b->site->function, "\n"),
                 b->site->function);
    else
        snprintf(name + n, size - n, "%s:%u", slash ? slash + 1 : b->site->file,
                 b->site->line);
    n = strlen(name);
    add_part(b, offset, layout, unit, name + n, size - n);
}

void fore_rt_called(const void *address, char *name, size_t size)
{
    const struct fore_c_variable *v = fore_rt_variable_around(address);
    struct fore_rt_block_found b;
    *name = 0;
    if (v)
        add_leaf(v->name, v->layout, (uint64_t)((const char *)address - v->address), name,
                 size);
    else if (fore_rt_block_find(address, &b))
        call_by_block(&b, (uint64_t)((const char *)address - b.start), name, size);
}
