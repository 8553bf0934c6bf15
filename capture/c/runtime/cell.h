/* A cell of the shadow: the two words of 4 bytes or of 8, and where to find their unit. For the
 * files that change cells: shadow.c, shared.c, handed.c and memory.c. */
#ifndef FORE_C_CELL_H
#define FORE_C_CELL_H

#include "capture/c/runtime/places.h"

#define FORE_RT_INDEX 0x110000000000ul /* for each 4 bytes, the number of their unit */
#define FORE_RT_INDEX_HALVES                                                             \
    ((FORE_C_SHADOWED + 1) /                                                             \
     2) /* words of the second 4 bytes are this far behind those of the first */
#define TAG (~(uint64_t)0 << FORE_C_TAG)
#define NARROW ((uint64_t)15 << FORE_C_MASK) /* mask of 4 bytes; the mask of 8 is 0 */
/* Its tag belongs to no thread. */
#define SHARED ((uint64_t)1 << FORE_C_TAG | 1)

struct cell {
    uint64_t *w, *r;
    uint32_t *index;
    char *p; /* the first byte */
};

static inline uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void store(uint64_t *word, uint64_t to)
{
    __atomic_store_n(word, to, __ATOMIC_RELAXED);
}

static inline uint64_t offset_of(const void *p)
{
    return (uint64_t)(uintptr_t)p & FORE_C_SHADOWED & ~(uint64_t)3;
}

/* 8 bytes are two cells; or one, which has words of its own and the number of the first of the two. */
static inline uint32_t *index_at(const char *p)
{
    uint32_t *index = (uint32_t *)FORE_RT_INDEX + (offset_of(p) >> 3);
    return offset_of(p) & 4 ? index + FORE_RT_INDEX_HALVES / sizeof *index : index;
}

static inline struct cell wide_cell_at(const char *p)
{
    char *first = (char *)((uintptr_t)p & ~(uintptr_t)7);
    uint64_t *w = (uint64_t *)(FORE_C_WIDE + offset_of(first) * 2);
    return (struct cell){w, w + 1, index_at(first), first};
}

static inline struct cell narrow_cell_at(const char *p)
{
    uint64_t *w = (uint64_t *)(FORE_C_SHADOW + offset_of(p) * 4);
    return (struct cell){w, w + 1, index_at(p), (char *)((uintptr_t)p & ~(uintptr_t)3)};
}

static inline struct cell cell_at(const char *p)
{
    struct cell wide = wide_cell_at(p);
    return load(wide.w) ? wide : narrow_cell_at(p);
}

static inline bool is_owned(uint64_t word)
{
    return tag_of(word) >= FORE_RT_FIRST_TAG;
}

/* Is it an access, and not only an owner? */
static inline bool is_noted(uint64_t word)
{
    return is_owned(word) && word >> FORE_C_SITE & FORE_C_SITES;
}

static inline bool is_wide(uint64_t w)
{
    return w && !(w & NARROW);
}

static inline bool is_shared(const struct cell *c)
{
    return (load(c->w) & ~NARROW) == SHARED;
}

/* Are the n bytes at p within the cell, and is it shared? */
static inline bool shares_all(const struct cell *c, const char *p, size_t n)
{
    bool outside = n == 8 ? (uintptr_t)p & 7 : ((uintptr_t)p & 3) + n > 4;
    return load(c->w) == (SHARED | (n == 8 ? 0 : NARROW)) && !outside;
}

/* Has another thread written all of it, and done nothing else with it? */
static inline bool fore_rt_is_filled(const struct cell *c, uint64_t bytes)
{
    uint64_t w = load(c->w), r = load(c->r);
    return is_noted(w) && (w & NARROW) == bytes &&
           tag_of(w) != tag_of(foresee_rt_stamp) && tag_of(r) == tag_of(w) &&
           !is_noted(r) && !__atomic_load_n(c->index, __ATOMIC_RELAXED);
}

#endif
