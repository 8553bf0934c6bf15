#include "spec/bdd.h"

#include "base/hash.h"

void fore_bdd_init(struct fore_bdd *b)
{
    *b = (struct fore_bdd){0};
    for (uint32_t i = 0; i < 2; i++) /* constants lie below every variable */
        fore_vec_push(&b->nodes, (struct fore_bdd_node){UINT32_MAX, i, i});
}

void fore_bdd_release(struct fore_bdd *b)
{
    fore_vec_release(&b->nodes);
    fore_vec_release(&b->ite_args);
    fore_map_release(&b->by_hash);
    fore_map_release(&b->ites);
}

static uint32_t make_node(struct fore_bdd *b, uint32_t var, uint32_t low, uint32_t high)
{
    if (low == high)
        return low;
    uint64_t key = fore_hash_mix(fore_hash_mix(var, low), high);
    for (;; key++) {
        bool fresh;
        uint64_t *slot = fore_map_put(&b->by_hash, key, &fresh);
        if (fresh) {
            *slot = b->nodes.n;
            fore_vec_push(&b->nodes, (struct fore_bdd_node){var, low, high});
            return (uint32_t)*slot;
        }
        struct fore_bdd_node n = b->nodes.at[*slot];
        if (n.var == var && n.low == low && n.high == high)
            return (uint32_t)*slot;
    }
}

uint32_t fore_bdd_var(struct fore_bdd *b, uint32_t var)
{
    return make_node(b, var, FORE_BDD_FALSE, FORE_BDD_TRUE);
}

/* The slot of (f, g, h) in the table of results: four words, the last one the result. */
static size_t remembered(struct fore_bdd *b, uint32_t f, uint32_t g, uint32_t h,
                         bool *fresh)
{
    uint64_t key = fore_hash_mix(fore_hash_mix(f, g), h);
    for (;; key++) {
        uint64_t *slot = fore_map_put(&b->ites, key, fresh);
        if (*fresh) {
            *slot = b->ite_args.n;
            uint32_t *args = fore_vec_extend(&b->ite_args, 4);
            args[0] = f;
            args[1] = g;
            args[2] = h;
            return (size_t)*slot;
        }
        const uint32_t *args = b->ite_args.at + *slot;
        if (args[0] == f && args[1] == g && args[2] == h)
            return (size_t)*slot;
    }
}

static uint32_t cofactor(const struct fore_bdd *b, uint32_t f, uint32_t var, bool high)
{
    struct fore_bdd_node n = b->nodes.at[f];
    if (n.var != var)
        return f;
    return high ? n.high : n.low;
}

uint32_t fore_bdd_ite(struct fore_bdd *b, uint32_t f, uint32_t g, uint32_t h)
{
    if (f == FORE_BDD_TRUE || g == h)
        return g;
    if (f == FORE_BDD_FALSE)
        return h;
    if (g == FORE_BDD_TRUE && h == FORE_BDD_FALSE)
        return f;
    bool fresh;
    size_t slot = remembered(b, f, g, h, &fresh);
    if (!fresh)
        return b->ite_args.at[slot + 3];
    uint32_t var = b->nodes.at[f].var;
    if (b->nodes.at[g].var < var)
        var = b->nodes.at[g].var;
    if (b->nodes.at[h].var < var)
        var = b->nodes.at[h].var;
    uint32_t low = fore_bdd_ite(b, cofactor(b, f, var, false), cofactor(b, g, var, false),
                                cofactor(b, h, var, false));
    uint32_t high = fore_bdd_ite(b, cofactor(b, f, var, true), cofactor(b, g, var, true),
                                 cofactor(b, h, var, true));
    uint32_t result = make_node(b, var, low, high);
    b->ite_args.at[slot + 3] = result;
    return result;
}
