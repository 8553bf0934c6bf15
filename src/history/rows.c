#include "history/rows.h"

#include "base/mem.h"

#include <string.h>

size_t fore_rows_slot(const struct fore_rows *t, const uint64_t *row, size_t hashed)
{
    uint64_t h = 0;
    for (size_t i = 0; i < hashed; i++)
        h = (h ^ row[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 32;
    return h & t->mask;
}

void fore_rows_grow(struct fore_rows *t, size_t hashed)
{
    struct fore_rows old = *t;
    t->mask = old.rows ? old.mask * 2 + 1 : 63;
    t->rows = fore_calloc((t->mask + 1) * t->width, sizeof *t->rows);
    for (size_t i = 0; old.rows && i <= old.mask; i++) {
        const uint64_t *row = old.rows + i * t->width;
        if (!row[0])
            continue;
        size_t at = fore_rows_slot(t, row, hashed);
        while (t->rows[at * t->width])
            at = (at + 1) & t->mask;
        memcpy(t->rows + at * t->width, row, t->width * sizeof *row);
    }
    fore_free(old.rows);
}

bool fore_rows_may_grow(const struct fore_rows *t)
{
    return !t->rows || (t->mask + 1) * 2 * t->width * sizeof *t->rows <= t->max_bytes;
}
