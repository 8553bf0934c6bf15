#include "base/map.h"

#include "base/err.h"
#include "base/hash.h"

#include <string.h>

/* 16 bytes: tables are large and probed at random, so their size is their cost. */
struct fore_map_slot {
    uint64_t key, value; /* key 0: free */
};

void fore_map_release(struct fore_map *m)
{
    fore_free(m->slots);
    *m = (struct fore_map){0};
}

void fore_map_clear(struct fore_map *m)
{
    if (m->slots && m->n)
        memset(m->slots, 0, (m->mask + 1) * sizeof *m->slots);
    m->n = 0;
    m->has_zero = false;
}

/* The slot of `key`, or the free slot where it belongs. Linear probing. */
static struct fore_map_slot *probe(const struct fore_map *m, uint64_t key)
{
    size_t i = fore_hash_u64(key) & m->mask;
    while (m->slots[i].key && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

uint64_t *fore_map_get(const struct fore_map *m, uint64_t key)
{
    if (!key)
        return m->has_zero ? (uint64_t *)&m->zero : NULL;
    if (!m->slots)
        return NULL;
    struct fore_map_slot *s = probe(m, key);
    return s->key ? &s->value : NULL;
}

static void grow_slots(struct fore_map *m)
{
    struct fore_map_slot *old = m->slots;
    size_t had = old ? m->mask + 1 : 0, slots = had ? had * 2 : 16;
    m->slots = fore_calloc(slots, sizeof *m->slots);
    m->mask = slots - 1;
    for (size_t i = 0; i < had; i++)
        if (old[i].key)
            *probe(m, old[i].key) = old[i];
    fore_free(old);
}

static uint64_t *put_zero(struct fore_map *m, bool *fresh)
{
    if (fresh)
        *fresh = !m->has_zero;
    if (!m->has_zero) {
        m->zero = 0;
        m->n++;
    }
    m->has_zero = true;
    return &m->zero;
}

uint64_t *fore_map_put(struct fore_map *m, uint64_t key, bool *fresh)
{
    if (!key)
        return put_zero(m, fresh);
    if (!m->slots || m->n * 4 >= (m->mask + 1) * 3)
        grow_slots(m);
    struct fore_map_slot *s = probe(m, key);
    if (fresh)
        *fresh = !s->key;
    if (!s->key) {
        *s = (struct fore_map_slot){key, 0};
        m->n++;
    }
    return &s->value;
}

/* Removal moves later members of the cluster back, so no tombstones are needed. */
static void close_hole(struct fore_map *m, size_t hole)
{
    for (size_t i = (hole + 1) & m->mask; m->slots[i].key; i = (i + 1) & m->mask) {
        size_t home = fore_hash_u64(m->slots[i].key) & m->mask;
        if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].key = 0;
    m->n--;
}

bool fore_map_take(struct fore_map *m, uint64_t key, uint64_t *value)
{
    bool had_zero = m->has_zero;
    if (!key) {
        *value = m->zero;
        m->has_zero = false;
        m->n -= had_zero;
        return had_zero;
    }
    struct fore_map_slot *s = m->slots ? probe(m, key) : NULL;
    if (!s || !s->key)
        return false;
    *value = s->value;
    close_hole(m, (size_t)(s - m->slots));
    return true;
}

bool fore_map_remove(struct fore_map *m, uint64_t key)
{
    uint64_t value;
    return fore_map_take(m, key, &value);
}

/* *i is 0 for the key 0, and then a slot's number plus one. */
bool fore_map_next(const struct fore_map *m, size_t *i, uint64_t *key, uint64_t *value)
{
    if (*i == 0 && m->has_zero) {
        *i = 1;
        *key = 0;
        *value = m->zero;
        return true;
    }
    for (*i += *i == 0; m->slots && *i - 1 <= m->mask; ++*i) {
        const struct fore_map_slot *s = &m->slots[*i - 1];
        if (!s->key)
            continue;
        *key = s->key;
        *value = s->value;
        ++*i;
        return true;
    }
    return false;
}

void fore_intern_release(struct fore_intern *t)
{
    fore_arena_release(&t->arena);
    fore_vec_release(&t->strings);
    fore_free(t->slots);
    *t = (struct fore_intern){0};
}

/* The hash beside the id spares most comparisons, and all hashing when the table grows. */
struct fore_intern_slot {
    uint32_t id; /* 0: free */
    uint32_t hash;
};

/* The slot of the string, or the free one where it belongs. */
static struct fore_intern_slot *intern_probe(const struct fore_intern *t, const void *s,
                                             size_t n, uint32_t hash)
{
    size_t i = hash & t->mask;
    for (; t->slots[i].id; i = (i + 1) & t->mask) {
        if (t->slots[i].hash != hash)
            continue;
        const struct fore_bytes *b = &t->strings.at[t->slots[i].id];
        if (b->n == n && memcmp(b->at, s, n) == 0)
            break;
    }
    return &t->slots[i];
}

static void intern_grow(struct fore_intern *t)
{
    struct fore_intern_slot *old = t->slots;
    size_t had = old ? t->mask + 1 : 0, slots = had ? had * 2 : 64;
    t->slots = fore_calloc(slots, sizeof *t->slots);
    t->mask = slots - 1;
    for (size_t k = 0; k < had; k++) {
        size_t i = old[k].hash & t->mask;
        while (old[k].id && t->slots[i].id)
            i = (i + 1) & t->mask;
        if (old[k].id)
            t->slots[i] = old[k];
    }
    fore_free(old);
}

uint32_t fore_intern(struct fore_intern *t, const void *s, size_t n)
{
    if (!t->strings.n)
        fore_vec_push(&t->strings, (struct fore_bytes){"", 0});
    if (!t->slots || t->strings.n * 2 >= t->mask + 1)
        intern_grow(t);
    uint32_t hash = (uint32_t)fore_hash(s, n);
    struct fore_intern_slot *slot = intern_probe(t, s, n, hash);
    if (!slot->id) {
        FORE_BUG_IF(t->strings.n >= UINT32_MAX);
        *slot = (struct fore_intern_slot){(uint32_t)t->strings.n, hash};
        char *copy = fore_arena_strndup(&t->arena, s, n);
        fore_vec_push(&t->strings, (struct fore_bytes){copy, n});
    }
    return slot->id;
}

uint32_t fore_intern_str(struct fore_intern *t, const char *s)
{
    return fore_intern(t, s, strlen(s));
}

uint32_t fore_intern_find(const struct fore_intern *t, const void *s, size_t n)
{
    return t->slots ? intern_probe(t, s, n, (uint32_t)fore_hash(s, n))->id : 0;
}

struct fore_bytes fore_intern_bytes(const struct fore_intern *t, uint32_t id)
{
    if (!id)
        return (struct fore_bytes){"", 0};
    FORE_BUG_IF(id >= t->strings.n);
    return t->strings.at[id];
}

const char *fore_intern_text(const struct fore_intern *t, uint32_t id)
{
    return fore_intern_bytes(t, id).at;
}

size_t fore_intern_count(const struct fore_intern *t)
{
    return t->strings.n ? t->strings.n - 1 : 0;
}
