#include "base/big.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

void fore_big_release(struct fore_big *x)
{
    fore_free(x->limb);
    *x = (struct fore_big){0};
}

static void ensure_limbs(struct fore_big *x, uint32_t limbs)
{
    if (limbs <= x->cap)
        return;
    x->cap = (uint32_t)fore_vec_grown(x->cap, limbs);
    x->limb = fore_realloc(x->limb, x->cap, sizeof *x->limb);
}

void fore_big_set(struct fore_big *x, uint64_t v)
{
    ensure_limbs(x, 2);
    x->limb[0] = (uint32_t)v;
    x->limb[1] = (uint32_t)(v >> 32);
    x->n = v >> 32 ? 2 : v ? 1 : 0;
}

void fore_big_copy(struct fore_big *into, const struct fore_big *from)
{
    ensure_limbs(into, from->n);
    if (from->n)
        memcpy(into->limb, from->limb, from->n * sizeof *from->limb);
    into->n = from->n;
}

void fore_big_add(struct fore_big *into, const struct fore_big *x)
{
    uint32_t n = into->n > x->n ? into->n : x->n;
    uint64_t carry = 0;
    ensure_limbs(into, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        carry +=
            (i < into->n ? into->limb[i] : 0) + (uint64_t)(i < x->n ? x->limb[i] : 0);
        into->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    into->n = n;
    if (carry)
        into->limb[into->n++] = (uint32_t)carry;
}

void fore_big_mul_u32(struct fore_big *x, uint32_t by)
{
    uint64_t carry = 0;
    if (!by)
        x->n = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        carry += (uint64_t)x->limb[i] * by;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        ensure_limbs(x, x->n + 1);
        x->limb[x->n++] = (uint32_t)carry;
    }
}

int fore_big_cmp(const struct fore_big *a, const struct fore_big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (uint32_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

bool fore_big_u64(const struct fore_big *x, uint64_t *v)
{
    if (x->n > 2)
        return false;
    *v = (x->n > 0 ? x->limb[0] : 0) | (uint64_t)(x->n > 1 ? x->limb[1] : 0) << 32;
    return true;
}

/* Divides by 10^9 repeatedly; the remainders are the digits, last group first. */
void fore_big_text(const struct fore_big *x, struct fore_strbuf *out)
{
    FORE_VEC(uint32_t) groups = {0};
    struct fore_big q = {0};
    fore_big_copy(&q, x);
    while (q.n) {
        uint64_t rest = 0;
        for (uint32_t i = q.n; i-- > 0;) {
            rest = rest << 32 | q.limb[i];
            q.limb[i] = (uint32_t)(rest / 1000000000u);
            rest %= 1000000000u;
        }
        while (q.n && !q.limb[q.n - 1])
            q.n--;
        fore_vec_push(&groups, (uint32_t)rest);
    }
    fore_strbuf_printf(out, "%u", groups.n ? fore_vec_last(&groups) : 0u);
    for (size_t i = groups.n; i-- > 1;)
        fore_strbuf_printf(out, "%09u", groups.at[i - 1]);
    fore_vec_release(&groups);
    fore_big_release(&q);
}
