#include "capture/c/runtime/called.h"
#include "capture/c/runtime/blocks.h"
#include "capture/ring/leaf.h"
#include "capture/ring/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void call_by_variable(const struct fore_c_variable *v, uint64_t offset, char *name,
                             size_t size)
{
    struct fore_leaf leaf;
    fore_leaf_at(v->name, v->layout, offset, &leaf);
    snprintf(name, size, "%s", leaf.name);
    size_t n = strlen(name);
    if (leaf.rest)
        snprintf(name + n, size - n, "+%llu", (unsigned long long)leaf.rest);
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
    struct fore_leaf_block block = {.layout = layout, .unit = unit, .size = b->size};
    fore_leaf_in_block(&block, offset, name + n, size - n);
}

void fore_rt_called(const void *address, char *name, size_t size)
{
    const struct fore_c_variable *v = fore_rt_variable_around(address);
    struct fore_rt_block_found b;
    *name = 0;
    if (v)
        call_by_variable(v, (uint64_t)((const char *)address - v->address), name, size);
    else if (fore_rt_block_find(address, &b))
        call_by_block(&b, (uint64_t)((const char *)address - b.start), name, size);
}
