#include "base/rng.h"

#include "base/hash.h"

void fore_rng_seed(struct fore_rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = fore_hash_u64(seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t fore_rng_next(struct fore_rng *r)
{
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t fore_rng_below(struct fore_rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;
    do
        x = fore_rng_next(r);
    while (x >= limit);
    return x % n;
}
