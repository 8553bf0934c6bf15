/* Explores:  receives of different actors in one order only (dynamic partial order
 *            reduction, as the paper's tool has it).
 * Sound:     yes.   Complete: no: histories also depend on the order of responses and
 *            invocations at different actors.
 * Source:    [ds2], section 2.2.4. */
#include "explore/walk.h"

#include "base/bitset.h"

/* Something that ran since then and was pending there; if there is none, everything. */
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
    .add = add,
};
