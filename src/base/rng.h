/* A seeded pseudo-random sequence (xoshiro256**), the same on every machine. */
#ifndef FORE_BASE_RNG_H
#define FORE_BASE_RNG_H

#include <stdint.h>

struct fore_rng {
    uint64_t s[4];
};

void fore_rng_seed(struct fore_rng *r, uint64_t seed);
uint64_t fore_rng_next(struct fore_rng *r);
uint64_t fore_rng_below(struct fore_rng *r, uint64_t n); /* uniform in [0, n), n > 0 */

#endif
