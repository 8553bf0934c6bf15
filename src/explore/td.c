/* Explores:  as DP, but at most one receive waits in a backtrack set at a time.
 * Sound:     yes.   Complete: no, as DP.
 * Source:    [ds2], section 2.2.5. */
#include "explore/walk.h"

static void add_since(struct fore_walk *k, uint32_t i, uint32_t j)
{
    fore_walk_add_since(k, i, j);
}

const struct fore_scheduler fore_scheduler_td = {
    .name = "TD",
    .summary = "TransDPOR",
    .paper = true,
    .freezes = true,
    .are_dependent = fore_same_actor,
    .add = add_since,
};
