/* Explores:  as TD, but the receive that is added is the one that began the causal chain, found
 *            by going back from sender to receiver.
 * Sound:     yes.   Complete: no, as DP.
 * Source:    [ds2], section 2.2.6. LiViola (section 2.2.7) restricts dependence further, to
 *            receives that the harness lists and that concern the same key. */
#include "explore/walk.h"

static void add(struct fore_walk *k, uint32_t i, uint32_t j)
{
    const struct fore_actors *w = &k->s->world;
    uint32_t root = j;
    for (uint32_t b = j - 1; b > i; b--)
        if (k->rule->did_enable(w, b, root))
            root = b;
    uint32_t msg = w->steps.at[root - 1].msg;
    if (root != j && fore_actors_was_pending(w, msg, i))
        fore_walk_add(k, i, msg);
}

const struct fore_scheduler fore_scheduler_ir = {
    .name = "IR",
    .summary = "IRed: TransDPOR with precise causes",
    .run = fore_walk_run,
    .resumes = true,
    .freezes = true,
    .are_dependent = fore_same_actor,
    .did_enable = fore_sender_received,
    .add = add,
};

static bool same_key(const struct fore_actors *w, uint32_t i, uint32_t j)
{
    const struct foresee_received *a = &w->msgs.at[w->steps.at[i - 1].msg].r;
    const struct foresee_received *b = &w->msgs.at[w->steps.at[j - 1].msg].r;
    int8_t ka = w->harness->keys[a->kind], kb = w->harness->keys[b->kind];
    if (!fore_same_actor(w, i, j) || ka == FORE_KEY_UNLISTED || kb == FORE_KEY_UNLISTED)
        return false;
    return ka == FORE_KEY_ANY || kb == FORE_KEY_ANY || a->field[ka] == b->field[kb];
}

const struct fore_scheduler fore_scheduler_lv = {
    .name = "LV",
    .summary = "LiViola: IRed on the keys that the harness lists",
    .run = fore_walk_run,
    .resumes = true,
    .freezes = true,
    .are_dependent = same_key,
    .did_enable = fore_sender_received,
    .add = add,
};
