#include "base/bitset.h"

size_t fore_bits_count(const uint64_t *w, size_t words)
{
    size_t n = 0;
    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(w[i]);
    return n;
}

bool fore_bits_subset(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & ~b[i])
            return false;
    return true;
}

bool fore_bits_meet(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

bool fore_bits_or(uint64_t *into, const uint64_t *from, size_t words)
{
    uint64_t grew = 0;
    for (size_t i = 0; i < words; i++) {
        grew |= from[i] & ~into[i];
        into[i] |= from[i];
    }
    return grew != 0;
}

size_t fore_bits_next(const uint64_t *w, size_t words, size_t from)
{
    for (size_t i = from / 64; i < words; i++) {
        uint64_t word = i == from / 64 ? w[i] & (~(uint64_t)0 << (from % 64)) : w[i];
        if (word)
            return i * 64 + (size_t)__builtin_ctzll(word);
    }
    return words * 64;
}
