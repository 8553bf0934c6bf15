#include "base/hash.h"

#include <xxhash.h>

uint64_t fore_hash(const void *data, size_t n)
{
    return XXH3_64bits(data, n);
}

uint64_t fore_hash_more(uint64_t seed, const void *data, size_t n)
{
    return XXH3_64bits_withSeed(data, n, seed);
}
