/* Vector clocks over any number of threads, as values that share what they have in
 * common.
 *
 * A clock is a persistent tree of 64-byte nodes: sixteen times in a leaf, sixteen
 * children above. Copying one costs nothing, joining two looks only at the nodes in which
 * they differ, so the entries of finished threads, which all clocks come to share, cost
 * nothing more. An entry that is absent is 0. docs/theory/clocks.md has the reasons and
 * the figures.
 *
 * A `struct fore_clock` holds one reference to its tree: copy it with fore_clock_keep,
 * give it back with fore_clock_drop. A zeroed one is the empty clock. */
#ifndef FORE_CAUSAL_CLOCK_H
#define FORE_CAUSAL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORE_CLOCK_FAN = 16, FORE_CLOCK_BITS = 4 };

struct fore_clock {
    uint32_t root;   /* node, 0: all entries are 0 */
    uint32_t levels; /* height of the tree; 0 with root 0 */
};

/* Holds the nodes of many clocks. */
struct fore_clocks {
    uint32_t (*node)[FORE_CLOCK_FAN]; /* node[0] is the empty subtree */
    uint32_t *refs;
    uint32_t n, cap; /* nodes used so far, room */
    uint32_t spare;  /* head of the list of freed nodes */
    uint32_t live;   /* nodes in use */
};

/* What one thread knew at one of its events: `past`, and itself up to `time`. */
struct fore_stamp {
    struct fore_clock past;
    uint32_t thread, time;
};

void fore_clocks_init(struct fore_clocks *p);
void fore_clocks_release(struct fore_clocks *p); /* all its clocks are gone */

struct fore_clock fore_clock_keep(struct fore_clocks *p, struct fore_clock c);
void fore_clock_drop(struct fore_clocks *p, struct fore_clock *c); /* leaves it empty */

/* entry := time; entry := max(entry, time). */
void fore_clock_set(struct fore_clocks *p, struct fore_clock *c, uint32_t thread,
                    uint32_t time);
void fore_clock_raise(struct fore_clocks *p, struct fore_clock *c, uint32_t thread,
                      uint32_t time);
/* The least upper bound. `from` keeps its reference. */
void fore_clock_join(struct fore_clocks *p, struct fore_clock *into,
                     struct fore_clock from);
/* The first entry of a thread >= *thread that is not 0; false if there is none. Start
 * with *thread = 1, go on with *thread + 1. */
bool fore_clock_next(const struct fore_clocks *p, struct fore_clock c, uint32_t *thread,
                     uint32_t *time);

/* Calls `each` for the entries in which `a` is larger than `b`, in ascending order; what the
 * two share is not looked at. */
void fore_clock_news(struct fore_clocks *p, struct fore_clock a, struct fore_clock b,
                     void (*each)(void *ctx, uint32_t thread, uint32_t time), void *ctx);

static inline uint32_t fore_clock_get(const struct fore_clocks *p, struct fore_clock c,
                                      uint32_t thread)
{
    uint32_t i = thread - 1, n = c.root;
    if (c.levels < 8 && i >> (FORE_CLOCK_BITS * c.levels))
        return 0;
    for (uint32_t level = c.levels; level-- > 0;)
        n = p->node[n][i >> (FORE_CLOCK_BITS * level) & (FORE_CLOCK_FAN - 1)];
    return n;
}

static inline uint32_t fore_stamp_get(const struct fore_clocks *p, struct fore_stamp s,
                                      uint32_t thread)
{
    return thread == s.thread ? s.time : fore_clock_get(p, s.past, thread);
}

/* The stamp as a clock of its own, for the caller to drop. */
struct fore_clock fore_stamp_clock(struct fore_clocks *p, struct fore_stamp s);

#endif
