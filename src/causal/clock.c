#include "causal/clock.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

enum { FAN = FORE_CLOCK_FAN, BITS = FORE_CLOCK_BITS, MAX_LEVELS = 8 };

/* Functions on nodes take the level of the node: 0 is a leaf, whose slots are times;
 * above, slots are nodes, each of which the node holds one reference to. A function that
 * is said to consume a node takes over the caller's reference to it. */

void fore_clocks_init(struct fore_clocks *p)
{
    *p = (struct fore_clocks){.n = 1, .cap = 64};
    p->node = fore_calloc(p->cap, sizeof *p->node);
    p->refs = fore_calloc(p->cap, sizeof *p->refs);
}

void fore_clocks_release(struct fore_clocks *p)
{
    fore_free(p->node);
    fore_free(p->refs);
    *p = (struct fore_clocks){0};
}

static uint32_t node_new(struct fore_clocks *p)
{
    uint32_t n = p->spare;
    if (n) {
        p->spare = p->node[n][0];
    } else {
        if (p->n == p->cap) {
            FORE_BUG_IF(p->cap > UINT32_MAX / 2);
            p->cap *= 2;
            p->node = fore_realloc(p->node, p->cap, sizeof *p->node);
            p->refs = fore_realloc(p->refs, p->cap, sizeof *p->refs);
        }
        n = p->n++;
    }
    p->refs[n] = 1;
    p->live++;
    return n;
}

static uint32_t node_keep(struct fore_clocks *p, uint32_t n)
{
    if (n)
        p->refs[n]++;
    return n;
}

static void node_drop(struct fore_clocks *p, uint32_t n, uint32_t level)
{
    if (!n || --p->refs[n])
        return;
    if (level)
        for (int i = 0; i < FAN; i++)
            node_drop(p, p->node[n][i], level - 1);
    p->node[n][0] = p->spare;
    p->spare = n;
    p->live--;
}

/* Consumes n; the result has the same slots and no other owner. */
static uint32_t node_own(struct fore_clocks *p, uint32_t n, uint32_t level)
{
    if (p->refs[n] == 1 && n)
        return n;
    uint32_t own = node_new(p);
    memcpy(p->node[own], p->node[n], sizeof *p->node);
    if (level)
        for (int i = 0; i < FAN; i++)
            node_keep(p, p->node[own][i]);
    if (n)
        p->refs[n]--;
    return own;
}

/* Consumes n. */
static uint32_t node_set(struct fore_clocks *p, uint32_t n, uint32_t level, uint32_t i,
                         uint32_t time)
{
    uint32_t slot = i >> (BITS * level) & (FAN - 1);
    n = node_own(p, n, level);
    if (level) {
        uint32_t child = node_set(p, p->node[n][slot], level - 1, i, time);
        p->node[n][slot] = child;
    } else {
        p->node[n][slot] = time;
    }
    return n;
}

/* Of two equal nodes keeps the one with the smaller number, so that subtrees computed apart are
 * soon shared. Consumes a. */
static uint32_t node_same(struct fore_clocks *p, uint32_t a, uint32_t b, uint32_t level)
{
    if (a < b)
        return a;
    node_keep(p, b);
    node_drop(p, a, level);
    return b;
}

/* Consumes a. */
static uint32_t leaf_merge(struct fore_clocks *p, uint32_t a, uint32_t b)
{
    const uint32_t *x = p->node[a], *y = p->node[b];
    uint32_t out[FAN], not_a = 0, not_b = 0;
    for (int i = 0; i < FAN; i++) {
        out[i] = x[i] > y[i] ? x[i] : y[i];
        not_a |= out[i] ^ x[i];
        not_b |= out[i] ^ y[i];
    }
    if (!not_a && !not_b)
        return node_same(p, a, b, 0);
    if (!not_a)
        return a;
    if (!not_b) {
        node_keep(p, b);
        node_drop(p, a, 0);
        return b;
    }
    if (p->refs[a] != 1) {
        p->refs[a]--;
        a = node_new(p);
    }
    memcpy(p->node[a], out, sizeof out);
    return a;
}

/* The upper bound of a and b. Consumes a. The slots of the result that differ
 * from a's are in `out` with a reference of their own, marked in `changed`, until it is
 * known whether the result is a, b or a new node. */
static uint32_t node_merge(struct fore_clocks *p, uint32_t a, uint32_t b, uint32_t level)
{
    if (a == b)
        return a;
    if (!b)
        return a;
    if (!a)
        return node_keep(p, b);
    if (!level)
        return leaf_merge(p, a, b);
    uint32_t out[FAN], changed = 0;
    memcpy(out, p->node[a], sizeof out);
    for (int i = 0; i < FAN; i++) {
        uint32_t x = out[i], y = p->node[b][i];
        if (x == y || !y)
            continue;
        out[i] = node_merge(p, node_keep(p, x), y, level - 1);
        if (out[i] == x)
            node_drop(p, x, level - 1);
        else
            changed |= 1u << i;
    }
    bool is_b = memcmp(out, p->node[b], sizeof out) == 0;
    if (!changed || is_b) {
        for (int i = 0; i < FAN; i++)
            if (changed >> i & 1)
                node_drop(p, out[i], level - 1);
        if (!changed)
            return is_b ? node_same(p, a, b, level) : a;
        node_keep(p, b);
        node_drop(p, a, level);
        return b;
    }
    a = node_own(p, a, level);
    for (int i = 0; i < FAN; i++)
        if (changed >> i & 1) {
            node_drop(p, p->node[a][i], level - 1);
            p->node[a][i] = out[i];
        }
    return a;
}

static void lift(struct fore_clocks *p, struct fore_clock *c, uint32_t levels)
{
    for (; c->levels < levels; c->levels++) {
        if (!c->root)
            continue;
        uint32_t up = node_new(p);
        memset(p->node[up], 0, sizeof *p->node);
        p->node[up][0] = c->root;
        c->root = up;
    }
}

static uint32_t levels_for(uint32_t thread)
{
    uint32_t levels = 1;
    while (levels < MAX_LEVELS && (thread - 1) >> (BITS * levels))
        levels++;
    return levels;
}

struct fore_clock fore_clock_keep(struct fore_clocks *p, struct fore_clock c)
{
    node_keep(p, c.root);
    return c;
}

void fore_clock_drop(struct fore_clocks *p, struct fore_clock *c)
{
    if (c->root)
        node_drop(p, c->root, c->levels - 1);
    *c = (struct fore_clock){0, 0};
}

void fore_clock_set(struct fore_clocks *p, struct fore_clock *c, uint32_t thread,
                    uint32_t time)
{
    lift(p, c, levels_for(thread));
    c->root = node_set(p, c->root, c->levels - 1, thread - 1, time);
}

void fore_clock_raise(struct fore_clocks *p, struct fore_clock *c, uint32_t thread,
                      uint32_t time)
{
    if (fore_clock_get(p, *c, thread) >= time)
        return;
    if (c->levels == 1 && c->root && p->refs[c->root] == 1 && thread <= FAN)
        p->node[c->root][thread - 1] = time;
    else
        fore_clock_set(p, c, thread, time);
}

static void merge_clocks(struct fore_clocks *p, struct fore_clock *into,
                         struct fore_clock from)
{
    if (into->levels == from.levels) {
        if (into->root != from.root)
            into->root = node_merge(p, into->root, from.root, from.levels - 1);
        return;
    }
    uint32_t levels = into->levels > from.levels ? into->levels : from.levels;
    struct fore_clock other = fore_clock_keep(p, from);
    lift(p, &other, levels);
    lift(p, into, levels);
    into->root = node_merge(p, into->root, other.root, levels - 1);
    fore_clock_drop(p, &other);
}

void fore_clock_join(struct fore_clocks *p, struct fore_clock *into,
                     struct fore_clock from)
{
    if (from.root && !into->root && into->levels <= from.levels)
        *into = fore_clock_keep(p, from);
    else if (from.root)
        merge_clocks(p, into, from);
}

static bool node_next(const struct fore_clocks *p, uint32_t n, uint32_t level,
                      uint32_t *i, uint32_t *time)
{
    if (!n)
        return false;
    for (uint32_t slot = *i >> (BITS * level) & (FAN - 1); slot < FAN; slot++) {
        uint32_t below = p->node[n][slot];
        uint32_t next = ((*i >> (BITS * level)) + 1) << (BITS * level);
        if (!level && below) {
            *time = below;
            return true;
        }
        if (level && node_next(p, below, level - 1, i, time))
            return true;
        *i = next;
    }
    return false;
}

bool fore_clock_next(const struct fore_clocks *p, struct fore_clock c, uint32_t *thread,
                     uint32_t *time)
{
    uint32_t i = *thread - 1;
    if (!c.root || (c.levels < MAX_LEVELS && i >> (BITS * c.levels)))
        return false;
    if (!node_next(p, c.root, c.levels - 1, &i, time))
        return false;
    *thread = i + 1;
    return true;
}

struct news {
    const struct fore_clocks *p;
    void (*each)(void *ctx, uint32_t thread, uint32_t time);
    void *ctx;
};

static void node_news(const struct news *w, uint32_t a, uint32_t b, uint32_t level,
                      uint32_t first)
{
    if (a == b)
        return;
    for (uint32_t i = 0; i < FAN; i++) {
        uint32_t x = w->p->node[a][i], y = w->p->node[b][i];
        if (level)
            node_news(w, x, y, level - 1, first + (i << (BITS * level)));
        else if (x > y)
            w->each(w->ctx, first + i, x);
    }
}

void fore_clock_news(struct fore_clocks *p, struct fore_clock a, struct fore_clock b,
                     void (*each)(void *ctx, uint32_t thread, uint32_t time), void *ctx)
{
    if (!a.root)
        return;
    struct news w = {p, each, ctx};
    struct fore_clock other = fore_clock_keep(p, b);
    lift(p, &other, a.levels);
    uint32_t n = other.root;
    for (uint32_t levels = other.levels; levels > a.levels; levels--)
        n = p->node[n][0];
    node_news(&w, a.root, n, a.levels - 1, 1);
    fore_clock_drop(p, &other);
}

struct fore_clock fore_stamp_clock(struct fore_clocks *p, struct fore_stamp s)
{
    struct fore_clock c = fore_clock_keep(p, s.past);
    if (s.thread)
        fore_clock_raise(p, &c, s.thread, s.time);
    return c;
}
