/* The graph of solve.h: edges come and go like a stack, and an edge that would close a
 * forbidden cycle is refused. A topological order is kept up to date (Pearce and Kelly), so
 * that most edges cost nothing. */
#ifndef FORE_HISTORY_TXN_CYCLE_FREE_H
#define FORE_HISTORY_TXN_CYCLE_FREE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* An edge that is in the graph; lists of a node's edges are linked through it. */
struct fore_held_edge {
    uint32_t from, to, id;
    uint32_t next_out, next_in; /* indices + 1 */
    bool last;
};

struct fore_cycle_free {
    uint32_t n;
    uint32_t *position, *node_at;     /* the order and its inverse */
    uint32_t *out, *in, *out_last;    /* heads of lists, index + 1 */
    uint32_t *forward, *backward;     /* marks: stamp when reached */
    uint32_t *via_forward, *via_back; /* the edge by which it was reached, + 1 */
    uint32_t stamp;
    size_t n_last; /* edges that are `last` */
    FORE_VEC(struct fore_held_edge) edges;
    FORE_VEC(uint32_t) reached, behind;
    FORE_VEC(uint64_t) spots, moved;
    FORE_VEC(uint32_t) cycle; /* ids of the edges of the cycle that was refused */
};

void fore_cycle_free_init(struct fore_cycle_free *g, uint32_t nodes);
void fore_cycle_free_release(struct fore_cycle_free *g);
/* False, with `g->cycle` filled (the refused edge first, in order), if that closes one. */
bool fore_cycle_free_add(struct fore_cycle_free *g, uint32_t from, uint32_t to,
                         uint32_t id, bool last);
void fore_cycle_free_pop(struct fore_cycle_free *g); /* the edge added last */
/* Uses the positions as a first order; only while there are no edges. */
void fore_cycle_free_sort(struct fore_cycle_free *g, const uint32_t *positions);

#endif
