/* One level of the lattice: states by their key (for cuts: how many relevant events of each
 * thread), each with the values of the variables, and per property the monitor states in
 * which some run reaches it, with the number of those runs and a chain that is one of them. */
#ifndef FORE_ANALYSIS_LATTICE_TIER_H
#define FORE_ANALYSIS_LATTICE_TIER_H

#include "analysis/lattice/watch.h"
#include "base/big.h"
#include "base/vec.h"

#define FORE_TIER_NONE UINT32_MAX

struct fore_mark {
    uint32_t state; /* of the monitor */
    uint32_t next;  /* the state's next mark for the same property */
    uint32_t chain; /* 0: not followed */
};

struct fore_tier {
    uint32_t n, width; /* states; words of a key */
    uint32_t vars, props;
    uint32_t limbs; /* of a count; 0: not counted */
    bool per_mark;  /* runs are counted by monitor state too */
    uint32_t bits;  /* of the largest count of runs */
    FORE_VEC(uint32_t) keys;
    FORE_VEC(uint64_t) hashes;
    FORE_VEC(struct fore_val) values;
    FORE_VEC(uint32_t) letters; /* n x props */
    FORE_VEC(uint64_t) sets;    /* n x props: monitor states, instead of marks */
    FORE_VEC(uint32_t) heads;   /* n x props, into marks */
    FORE_VEC(struct fore_mark) marks;
    FORE_VEC(uint64_t) runs;      /* n x limbs */
    FORE_VEC(uint64_t) mark_runs; /* marks x limbs, if they are counted */
    FORE_VEC(uint64_t) stamps;    /* the last event for which a state was visited, + 1 */
    FORE_VEC(uint32_t) table;     /* of state + 1 */
};

void fore_tier_release(struct fore_tier *l);
void fore_tier_clear(struct fore_tier *l, uint32_t width, const struct fore_watch *w,
                     uint32_t limbs, bool per_mark);
uint32_t fore_tier_find(const struct fore_tier *l, const uint32_t *key, uint64_t hash);
/* A new state without marks and runs; values and letters are for the caller to fill. */
uint32_t fore_tier_push(struct fore_tier *l, const uint32_t *key, uint64_t hash);
/* The mark of `state`, added if there is none (`*fresh`). */
uint32_t fore_tier_mark(struct fore_tier *l, uint32_t s, uint32_t prop, uint32_t state,
                        bool *fresh);
/* Wider keys or counts: what is there is kept. */
void fore_tier_widen(struct fore_tier *l, uint32_t width);
void fore_tier_deepen(struct fore_tier *l, uint32_t limbs);

static inline uint32_t *fore_tier_key(struct fore_tier *l, uint32_t s)
{
    return l->keys.at + (size_t)s * l->width;
}

/* into += from, where `into` has at least as many limbs. */
static inline void fore_count_add(uint64_t *into, uint32_t into_limbs,
                                  const uint64_t *from, uint32_t limbs)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < limbs; i++) {
        uint64_t sum = into[i] + carry, more = sum < carry;
        sum += from[i];
        carry = more | (uint64_t)(sum < from[i]);
        into[i] = sum;
    }
    for (uint32_t i = limbs; carry && i < into_limbs; i++)
        carry = ++into[i] == 0;
}

void fore_tier_add_runs(struct fore_tier *l, uint32_t s, const uint64_t *count,
                        uint32_t limbs);
void fore_count_big(const uint64_t *count, uint32_t limbs, struct fore_big *add_to);

#endif
