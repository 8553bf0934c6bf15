/* A hash table of rows of words, open to its searchers: free rows begin with 0. When it
 * may not grow any more, a new row takes the place of an old one: what is forgotten costs time,
 * not truth. */
#ifndef FORE_HISTORY_ROWS_H
#define FORE_HISTORY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_rows {
    uint64_t *rows;
    size_t n, mask, width, max_bytes;
};

/* Where to look for a row first: `hashed` of its words count. */
size_t fore_rows_slot(const struct fore_rows *t, const uint64_t *row, size_t hashed);
void fore_rows_grow(struct fore_rows *t, size_t hashed);
bool fore_rows_may_grow(const struct fore_rows *t);

#endif
