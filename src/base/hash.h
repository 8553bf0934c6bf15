/* Fingerprints: xxHash, the same on every machine and in every run. */
#ifndef FORE_BASE_HASH_H
#define FORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t fore_hash(const void *data, size_t n);
uint64_t fore_hash_more(uint64_t seed, const void *data, size_t n);

/* A cheap, well-mixed hash of one word (the finaliser of splitmix64). */
static inline uint64_t fore_hash_u64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Not symmetric: mixing a into the hash of b differs from mixing b into the hash of a. */
static inline uint64_t fore_hash_mix(uint64_t seed, uint64_t x)
{
    return fore_hash_u64(seed * 0xd6e8feb86659fd93u + fore_hash_u64(x));
}

#endif
