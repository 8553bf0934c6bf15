/* Two hash tables, from which everything else is made:
 * a map from 64-bit keys to 64-bit values, and the interning of byte strings as dense ids. */
#ifndef FORE_BASE_MAP_H
#define FORE_BASE_MAP_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_map {
    struct fore_map_slot *slots;
    size_t n, mask; /* mask + 1 slots, or none */
    bool has_zero;  /* the entry of the key 0, which marks free slots */
    uint64_t zero;
};

void fore_map_release(struct fore_map *m);
void fore_map_clear(struct fore_map *m); /* keeps the room */
/* NULL if absent. The pointer is good until the next insertion. */
uint64_t *fore_map_get(const struct fore_map *m, uint64_t key);
/* Inserts 0 if absent. `*fresh`, if wanted, says whether it inserted. */
uint64_t *fore_map_put(struct fore_map *m, uint64_t key, bool *fresh);
bool fore_map_remove(struct fore_map *m, uint64_t key);
/* Removes the entry and gives its value. */
bool fore_map_take(struct fore_map *m, uint64_t key, uint64_t *value);
/* Iterates in table order, which depends on the keys alone; sort before printing.
 * Start with *i = 0; false at the end. */
bool fore_map_next(const struct fore_map *m, size_t *i, uint64_t *key, uint64_t *value);

/* Interned byte strings; ids are dense from 1, 0 is none. Strings may hold any byte and are
 * also NUL-terminated. They live as long as the table. */
struct fore_bytes {
    const char *at;
    size_t n;
};

struct fore_intern {
    struct fore_arena arena;
    FORE_VEC(struct fore_bytes) strings; /* strings.at[0] is the empty string, id 0 */
    struct fore_intern_slot *slots;
    size_t mask;
};

void fore_intern_release(struct fore_intern *t);
uint32_t fore_intern(struct fore_intern *t, const void *s, size_t n);
uint32_t fore_intern_str(struct fore_intern *t, const char *s);
uint32_t fore_intern_find(const struct fore_intern *t, const void *s,
                          size_t n); /* or 0 */
struct fore_bytes fore_intern_bytes(const struct fore_intern *t, uint32_t id);
const char *fore_intern_text(const struct fore_intern *t, uint32_t id); /* "" for 0 */
size_t fore_intern_count(const struct fore_intern *t); /* the largest id */

#endif
