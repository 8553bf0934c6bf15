/* Explores:  receives of different actors in one order only (dynamic partial order
 *            reduction, as the paper's tool has it).
 * Sound:     yes.   Complete: no: histories also depend on the order of responses and
 *            invocations at different actors.
 * Source:    [ds2], section 2.2.4. */
#include "explore/walk.h"

/* Something that ran since then and was pending there; if there is none, everything. */
static void add_dependence(struct fore_walk *k, uint32_t i, uint32_t j)
{
    const struct fore_actors *w = &k->s->world;
    if (fore_walk_add_since(k, i, j))
        return;
    for (uint32_t msg = 1; msg < w->msgs.n; msg++)
        if (fore_actors_was_pending(w, msg, i))
            fore_walk_add(k, i, msg);
}

const struct fore_scheduler fore_scheduler_dp = {
    .name = "DP",
    .summary = "dynamic partial order reduction, the paper's",
    .paper = true,
    .root_whole = true,
    .are_dependent = fore_same_actor,
    .add = add_dependence,
};
