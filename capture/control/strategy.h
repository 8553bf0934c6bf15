/* Strategies choose which of the threads that may go on does. One meaning for every host: the
 * same seed makes the same choices on the same program. Nothing but arithmetic; a thread's share
 * of the state is its `mark`, one word that the host keeps and that begins as 0.
 *
 *   free    the thread that ran goes on; when it cannot, yields, or has gone on for very long, the next one in
 *           order of creation
 *   random  any of them, each equally likely
 *   pct     the one of the highest priority; d-1 times in a run the running thread falls below all others
 *   pos     a random priority for each pending operation, drawn anew for those that depend on the
 *           operation that was done
 *   delay   as free, but d times in a run the thread that would go on is passed over
 *
 * Sources: [pct], [pos], [delay] in docs/theory/papers.bib. */
#ifndef FORE_CONTROL_STRATEGY_H
#define FORE_CONTROL_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_goer {
    uint64_t *mark;
    uint32_t thread; /* in order of creation */
    uint64_t
        object; /* the object of its next operation; 0: nothing that others could touch */
    bool writes; /* and changes */
    bool yields; /* it asks for others to go first */
};

/* name, whether it has a depth, function. */
#define FORE_STRATEGIES(X)                                                               \
    X(free, false)                                                                       \
    X(random, false)                                                                     \
    X(pct, true)                                                                         \
    X(pos, false)                                                                        \
    X(delay, true)

enum fore_strategy_kind {
#define X(name, depth) FORE_STRATEGY_##name,
    FORE_STRATEGIES(X)
#undef X
        FORE_STRATEGY_KINDS
};

struct fore_strategy {
    enum fore_strategy_kind kind;
    uint64_t state;      /* of the generator */
    uint32_t depth;      /* of pct and delay */
    uint32_t falls;      /* how often a thread has fallen */
    uint64_t choices;    /* how often there were two or more to choose from */
    uint64_t length;     /* how many there are in a run, as far as is known */
    uint64_t change[16]; /* the choices before which something changes: pct, delay */
};

/* After this many choices a thread that was passed over all the time gets its turn: otherwise a
 * thread that loops until another one stops it would loop for ever. */
enum { FORE_STRATEGY_PATIENCE = 4000 };

/* splitmix64 */
static inline uint64_t fore_strategy_random(struct fore_strategy *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t fore_strategy_below(struct fore_strategy *s, size_t n)
{
    return (uint32_t)((fore_strategy_random(s) >> 32) * (uint64_t)n >> 32);
}

static inline void fore_strategy_start(struct fore_strategy *s,
                                       enum fore_strategy_kind kind, uint32_t depth,
                                       uint64_t seed, uint64_t length)
{
    enum { MOST = sizeof s->change / sizeof *s->change };
    *s = (struct fore_strategy){.kind = kind, .state = seed, .length = length};
    fore_strategy_random(s);
    s->depth = depth > MOST ? MOST : depth;
    if (!s->length)
        s->length = 100;
    for (uint32_t i = 0; i < s->depth; i++)
        s->change[i] = 1 + fore_strategy_random(s) % s->length;
}

static inline bool fore_strategy_changes(const struct fore_strategy *s, uint32_t from)
{
    for (uint32_t i = from; i < s->depth; i++)
        if (s->change[i] == s->choices)
            return true;
    return false;
}

/* The first thread in cyclic order after this one; this one only if there is no other. */
static inline size_t fore_strategy_next(const struct fore_goer *c, size_t n,
                                        uint32_t thread)
{
    size_t best = n, first = 0;
    for (size_t i = 0; i < n; i++) {
        if (c[i].thread < c[first].thread)
            first = i;
        if (c[i].thread > thread && (best == n || c[i].thread < c[best].thread))
            best = i;
    }
    return best < n ? best : first;
}

static inline size_t fore_strategy_pick_free(struct fore_strategy *s,
                                             const struct fore_goer *c, size_t n,
                                             uint32_t running)
{
    bool passes = s->choices % FORE_STRATEGY_PATIENCE == 0;
    for (size_t i = 0; i < n && !passes; i++)
        if (c[i].thread == running && !c[i].yields)
            return i;
    return fore_strategy_next(c, n, running);
}

static inline size_t fore_strategy_pick_random(struct fore_strategy *s,
                                               const struct fore_goer *c, size_t n,
                                               uint32_t running)
{
    size_t at = fore_strategy_below(s, n);
    (void)running;
    return c[at].yields ? fore_strategy_below(s, n) : at;
}

static inline size_t fore_strategy_highest(const struct fore_goer *c, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (*c[i].mark > *c[best].mark)
            best = i;
    return best;
}

/* Priorities that were drawn are above FALLEN; a thread that falls gets the next lower one below it. Two
 * threads that wait for each other in turns would starve the rest, so priorities do not last
 * for ever. */
static inline size_t fore_strategy_pick_pct(struct fore_strategy *s,
                                            const struct fore_goer *c, size_t n,
                                            uint32_t running)
{
    const uint64_t fallen = (uint64_t)1 << 32;
    bool anew = s->choices % (4 * s->length + 200) == 0;
    (void)running;
    for (size_t i = 0; i < n; i++)
        if (!*c[i].mark || anew)
            *c[i].mark = fallen + (fore_strategy_random(s) >> 1 | fallen);
    size_t best = fore_strategy_highest(c, n);
    if (c[best].yields || fore_strategy_changes(s, 1)) {
        *c[best].mark = fallen - ++s->falls;
        best = fore_strategy_highest(c, n);
    }
    return best;
}

static inline size_t fore_strategy_pick_pos(struct fore_strategy *s,
                                            const struct fore_goer *c, size_t n,
                                            uint32_t running)
{
    bool anew = s->choices % FORE_STRATEGY_PATIENCE == 0;
    (void)running;
    for (size_t i = 0; i < n; i++)
        if (!*c[i].mark || anew || (*c[i].mark == 1 && !c[i].yields))
            *c[i].mark = fore_strategy_random(s) | 1;
    size_t best = fore_strategy_highest(c, n);
    if (c[best].yields) { /* if all have yielded, they take turns */
        size_t yields = best;
        *c[best].mark = 1;
        best = fore_strategy_highest(c, n);
        if (*c[best].mark == 1)
            best = fore_strategy_next(c, n, c[yields].thread);
    }
    for (size_t i = 0; i < n; i++)
        if (i == best || (c[i].object && c[i].object == c[best].object &&
                          (c[i].writes || c[best].writes)))
            *c[i].mark = 0;
    return best;
}

static inline size_t fore_strategy_pick_delay(struct fore_strategy *s,
                                              const struct fore_goer *c, size_t n,
                                              uint32_t running)
{
    size_t at = fore_strategy_pick_free(s, c, n, running);
    return fore_strategy_changes(s, 0) ? fore_strategy_next(c, n, c[at].thread) : at;
}

/* Returns the index of the thread that goes on; `running` did the last step. n is at least 1. */
static inline size_t fore_strategy_pick(struct fore_strategy *s,
                                        const struct fore_goer *c, size_t n,
                                        uint32_t running)
{
    static size_t (*const pick[])(struct fore_strategy *, const struct fore_goer *,
                                  size_t, uint32_t) = {
#define X(name, depth) fore_strategy_pick_##name,
        FORE_STRATEGIES(X)
#undef X
    };
    if (n == 1) {
        if (s->kind == FORE_STRATEGY_pos)
            *c->mark = 0;
        return 0;
    }
    s->choices++;
    return pick[s->kind](s, c, n, running);
}

#endif
