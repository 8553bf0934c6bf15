/* Fixed-width sets of small integers. The words may live anywhere (arena, stack, struct). */
#ifndef FORE_BASE_BITSET_H
#define FORE_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FORE_BITSET_WORDS(bits) (((size_t)(bits) + 63) / 64)

static inline bool fore_bit_has(const uint64_t *w, size_t i)
{
    return w[i / 64] >> (i % 64) & 1;
}

static inline void fore_bit_add(uint64_t *w, size_t i)
{
    w[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void fore_bit_del(uint64_t *w, size_t i)
{
    w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

size_t fore_bits_count(const uint64_t *w, size_t words);
bool fore_bits_subset(const uint64_t *a, const uint64_t *b,
                      size_t words); /* a within b */
bool fore_bits_meet(const uint64_t *a, const uint64_t *b,
                    size_t words); /* have a member in common */
bool fore_bits_or(uint64_t *into, const uint64_t *from, size_t words); /* grew? */
/* The first member >= from, or `words * 64`. */
size_t fore_bits_next(const uint64_t *w, size_t words, size_t from);

#endif
