#include "base/hash.h"

/* Most keys are short: a call of the library would take longer than the hash. */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t fore_hash(const void *data, size_t n)
{
    return XXH3_64bits(data, n);
}

uint64_t fore_hash_more(uint64_t seed, const void *data, size_t n)
{
    return XXH3_64bits_withSeed(data, n, seed);
}
