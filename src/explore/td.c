/* Explores:  as DP, but at most one receive waits in a backtrack set at a time.
 * Sound:     yes.   Complete: no, as DP.
 * Source:    [ds2], section 2.2.5. */
#include "explore/walk.h"

#include "base/bitset.h"

/* The first that ran since then and was pending there, as the supposed cause. */
static void add(struct fore_walk *k, uint32_t i, uint32_t j)
{
    const struct fore_actors *w = &k->s->world;
    for (uint32_t b = i + 1; b < j; b++) {
        uint32_t msg = w->steps.at[b - 1].msg;
        if (fore_actors_was_pending(w, msg, i) &&
            !fore_bit_has(fore_walk_explored(k, i), msg) &&
            !fore_bit_has(fore_walk_backtrack(k, i), msg)) {
            fore_walk_add(k, i, msg);
            return;
        }
    }
}

const struct fore_scheduler fore_scheduler_td = {
    .name = "TD",
    .summary = "TransDPOR",
    .paper = true,
    .freezes = true,
    .are_dependent = fore_same_actor,
    .add = add,
};
