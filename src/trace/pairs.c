#include "trace/pairs.h"

void fore_pairs_release(struct fore_pairs *p)
{
    fore_map_release(&p->index);
    fore_vec_release(&p->all);
    fore_map_release(&p->early);
}

struct fore_pair *fore_pairs_of(struct fore_pairs *p, uint32_t thread, uint32_t chan)
{
    uint64_t *at = fore_map_put(&p->index, (uint64_t)thread << 32 | chan, NULL);
    if (!*at) {
        fore_vec_push(&p->all, (struct fore_pair){thread, chan, .next = 1});
        *at = p->all.n;
    }
    return &p->all.at[*at - 1];
}

/* Sends are mostly taken in order, so only the exceptions are kept. */
bool fore_pairs_take(struct fore_pairs *p, struct fore_pair *pair, uint64_t k)
{
    uint64_t number = (uint64_t)(pair - p->all.at) << 32;
    bool fresh = true;
    if (k < pair->next)
        return false;
    if (k > pair->next)
        fore_map_put(&p->early, number | k, &fresh);
    else
        while (fore_map_remove(&p->early, number | ++pair->next))
            ;
    if (k > pair->last)
        pair->last = k;
    return fresh;
}
