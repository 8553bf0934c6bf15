/* Exact natural numbers of any size, for counting runs: they are exponentially many. */
#ifndef FORE_BASE_BIG_H
#define FORE_BASE_BIG_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Little-endian limbs without leading zeros; zero has none. Owns its memory. */
struct fore_big {
    uint32_t *limb;
    uint32_t n, cap;
};

void fore_big_release(struct fore_big *x);
void fore_big_set(struct fore_big *x, uint64_t v);
void fore_big_copy(struct fore_big *into, const struct fore_big *from);
void fore_big_add(struct fore_big *into, const struct fore_big *x);
void fore_big_mul_u32(struct fore_big *x, uint32_t by);
int fore_big_cmp(const struct fore_big *a, const struct fore_big *b);
bool fore_big_u64(const struct fore_big *x, uint64_t *v); /* false if it does not fit */
void fore_big_text(const struct fore_big *x, struct fore_strbuf *out); /* decimal */

#endif
