/* Collects the stamps that events leave at an object for the next event there. */
#ifndef FORE_CAUSAL_GATHER_H
#define FORE_CAUSAL_GATHER_H

#include "causal/clock.h"

enum { FORE_GATHER_ROOM = 16 };

/* The join of all stamps that were added: those folded into `sum`, and some recent ones apart,
 * because most of them will turn out to be known already to the event that takes them. */
struct fore_gather {
    struct fore_clock sum;
    struct fore_stamp *recent; /* FORE_GATHER_ROOM of them, NULL until needed */
    uint32_t n;
};

/* `*s` := `now`, with a reference of its own. */
void fore_stamp_put(struct fore_clocks *p, struct fore_stamp *s, struct fore_stamp now);
void fore_stamp_clear(struct fore_clocks *p, struct fore_stamp *s);

void fore_gather_add(struct fore_clocks *p, struct fore_gather *g, struct fore_stamp now);
void fore_gather_add_all(struct fore_clocks *p, struct fore_gather *g,
                         const struct fore_gather *from);
void fore_gather_clear(struct fore_clocks *p, struct fore_gather *g);
void fore_gather_release(struct fore_clocks *p, struct fore_gather *g);

static inline bool fore_gather_empty(const struct fore_gather *g)
{
    return !g->n && !g->sum.root;
}

#endif
