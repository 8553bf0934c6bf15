#include "analysis/lattice/tier.h"

#include <string.h>

void fore_tier_release(struct fore_tier *l)
{
    fore_vec_release(&l->keys);
    fore_vec_release(&l->hashes);
    fore_vec_release(&l->values);
    fore_vec_release(&l->letters);
    fore_vec_release(&l->sets);
    fore_vec_release(&l->heads);
    fore_vec_release(&l->marks);
    fore_vec_release(&l->runs);
    fore_vec_release(&l->mark_runs);
    fore_vec_release(&l->stamps);
    fore_vec_release(&l->table);
}

void fore_tier_clear(struct fore_tier *l, uint32_t width, const struct fore_watch *w,
                     uint32_t limbs, bool per_mark)
{
    fore_vec_clear(&l->keys);
    fore_vec_clear(&l->hashes);
    fore_vec_clear(&l->values);
    fore_vec_clear(&l->letters);
    fore_vec_clear(&l->sets);
    fore_vec_clear(&l->heads);
    fore_vec_clear(&l->marks);
    fore_vec_clear(&l->runs);
    fore_vec_clear(&l->mark_runs);
    fore_vec_clear(&l->stamps);
    if (l->table.n > 64 && l->table.n > 8 * (size_t)l->n)
        fore_vec_clear(
            &l->table); /* a level much smaller than the room: start small again */
    if (l->table.n)
        memset(l->table.at, 0, l->table.n * sizeof *l->table.at);
    l->n = 0;
    l->width = width;
    l->vars = w->vars;
    l->props = w->props;
    l->limbs = limbs;
    l->per_mark = per_mark;
    l->bits = 0;
}

static void insert_state(struct fore_tier *l, uint32_t s)
{
    size_t mask = l->table.n - 1, i = l->hashes.at[s] & mask;
    while (l->table.at[i])
        i = (i + 1) & mask;
    l->table.at[i] = s + 1;
}

static void rehash(struct fore_tier *l)
{
    size_t room = l->table.n ? 2 * l->table.n : 16;
    fore_vec_clear(&l->table);
    fore_vec_ensure(&l->table, room);
    for (uint32_t s = 0; s < l->n; s++)
        insert_state(l, s);
}

uint32_t fore_tier_find(const struct fore_tier *l, const uint32_t *key, uint64_t hash)
{
    size_t mask = l->table.n - 1;
    if (l->table.n == 0)
        return FORE_TIER_NONE;
    for (size_t i = hash & mask; l->table.at[i]; i = (i + 1) & mask) {
        uint32_t s = l->table.at[i] - 1;
        if (l->hashes.at[s] == hash &&
            !memcmp(l->keys.at + (size_t)s * l->width, key, l->width * sizeof *key))
            return s;
    }
    return FORE_TIER_NONE;
}

uint32_t fore_tier_push(struct fore_tier *l, const uint32_t *key, uint64_t hash)
{
    uint32_t s = l->n++;
    memcpy(fore_vec_extend(&l->keys, l->width), key, l->width * sizeof *key);
    fore_vec_push(&l->hashes, hash);
    fore_vec_push(&l->stamps, 0);
    (void)fore_vec_extend(&l->values, l->vars);
    (void)fore_vec_extend(&l->letters, l->props);
    memset(fore_vec_extend(&l->heads, l->props), 0xff, l->props * sizeof *l->heads.at);
    memset(fore_vec_extend(&l->sets, l->props), 0, l->props * sizeof *l->sets.at);
    if (l->limbs)
        memset(fore_vec_extend(&l->runs, l->limbs), 0, l->limbs * sizeof *l->runs.at);
    if (l->n * 2 > l->table.n)
        rehash(l);
    else
        insert_state(l, s);
    return s;
}

uint32_t fore_tier_mark(struct fore_tier *l, uint32_t s, uint32_t prop, uint32_t state,
                        bool *fresh)
{
    uint32_t *head = &l->heads.at[(size_t)s * l->props + prop];
    *fresh = false;
    for (uint32_t m = *head; m != FORE_TIER_NONE; m = l->marks.at[m].next)
        if (l->marks.at[m].state == state)
            return m;
    *fresh = true;
    uint32_t m = (uint32_t)l->marks.n;
    fore_vec_push(&l->marks, (struct fore_mark){state, *head, 0});
    if (l->limbs && l->per_mark)
        memset(fore_vec_extend(&l->mark_runs, l->limbs), 0,
               l->limbs * sizeof *l->mark_runs.at);
    *head = m;
    return m;
}

void fore_tier_widen(struct fore_tier *l, uint32_t width)
{
    if (width <= l->width)
        return;
    fore_vec_ensure(&l->keys, (size_t)l->n * width);
    for (uint32_t s = l->n; s-- > 0;) {
        uint32_t *to = l->keys.at + (size_t)s * width;
        memmove(to, l->keys.at + (size_t)s * l->width, l->width * sizeof *to);
        memset(to + l->width, 0, (width - l->width) * sizeof *to);
    }
    l->keys.n = (size_t)l->n * width;
    l->width = width;
}

static void spread_bits(uint64_t *at, size_t n, uint32_t from, uint32_t to)
{
    for (size_t i = n; i-- > 0;) {
        memmove(at + i * to, at + i * from, from * sizeof *at);
        memset(at + i * to + from, 0, (to - from) * sizeof *at);
    }
}

void fore_tier_deepen(struct fore_tier *l, uint32_t limbs)
{
    if (limbs <= l->limbs || l->limbs == 0)
        return;
    fore_vec_ensure(&l->runs, (size_t)l->n * limbs);
    spread_bits(l->runs.at, l->n, l->limbs, limbs);
    if (l->per_mark) {
        fore_vec_ensure(&l->mark_runs, l->marks.n * limbs);
        spread_bits(l->mark_runs.at, l->marks.n, l->limbs, limbs);
    }
    l->limbs = limbs;
}

void fore_tier_add_runs(struct fore_tier *l, uint32_t s, const uint64_t *count,
                        uint32_t limbs)
{
    uint64_t *runs = l->runs.at + (size_t)s * l->limbs;
    fore_count_add(runs, l->limbs, count, limbs);
    uint32_t top = l->limbs - 1;
    while (top > 0 && !runs[top])
        top--;
    uint32_t bits =
        top * 64 + (runs[top] ? 64 - (uint32_t)__builtin_clzll(runs[top]) : 0);
    l->bits = bits > l->bits ? bits : l->bits;
}

void fore_count_big(const uint64_t *count, uint32_t limbs, struct fore_big *add_to)
{
    struct fore_big value = {0}, part = {0};
    fore_big_set(&value, 0);
    for (uint32_t i = limbs; i-- > 0;) {
        for (int half = 0; half < 2; half++) { /* times 2^32, twice */
            fore_big_mul_u32(&value, 1u << 31);
            fore_big_mul_u32(&value, 2);
            fore_big_set(&part, half ? count[i] & UINT32_MAX : count[i] >> 32);
            fore_big_add(&value, &part);
        }
    }
    fore_big_add(add_to, &value);
    fore_big_release(&value);
    fore_big_release(&part);
}
