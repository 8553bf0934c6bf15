/* Explores:  as IR, but only receives that the harness lists, and that concern the same key, are
 *            dependent.
 * Sound:     yes.   Complete: no, as DP, and less so.
 * Source:    [ds2], section 2.2.7. */
#include "explore/walk.h"

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
    .paper = true,
    .freezes = true,
    .are_dependent = same_key,
    .did_enable = fore_sender_received,
};
