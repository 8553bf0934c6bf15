#include "analysis/channel/groups.h"

#include "base/hash.h"

enum {
    MOST_PAIRS = 200000,     /* kept to be verified one by one */
    MOST_GROUPS = 4096,      /* of operations without a place */
    MOST_WORK = 3 * 1000000, /* steps of runs for pairs beyond the first of a group */
};

static bool take_pair(struct fore_comm_sink *s, struct fore_comm_pair x)
{
    struct fore_groups *g =
        (struct fore_groups *)((char *)s - offsetof(struct fore_groups, sink));
    fore_groups_add(g, x);
    return true;
}

void fore_groups_init(struct fore_groups *g, const struct fore_comm *c, bool keep)
{
    *g = (struct fore_groups){.c = c, .sink = {take_pair}, .keep = keep};
}

void fore_groups_release(struct fore_groups *g)
{
    fore_vec_release(&g->list);
    fore_map_release(&g->index);
    fore_vec_release(&g->pairs);
    fore_vec_release(&g->of);
}

/* Operations without a place get groups of their own, as long as there are not too many. */
static uint64_t group_key(const struct fore_groups *g, struct fore_comm_pair x)
{
    uint32_t a = fore_comm_where(g->c->p, x.a), b = fore_comm_where(g->c->p, x.b);
    uint64_t h = fore_hash_mix(x.rule, (uint64_t)a << 32 | b);
    if (a && b)
        return h;
    bool crowded = g->list.n >= MOST_GROUPS;
    h = fore_hash_mix(h, x.chan);
    h = fore_hash_mix(h, crowded || a ? 0 : x.a + 1ull);
    return fore_hash_mix(h, crowded || b ? 0 : x.b + 1ull);
}

static uint32_t group_of(struct fore_groups *g, struct fore_comm_pair x)
{
    bool fresh;
    uint64_t *at = fore_map_put(&g->index, group_key(g, x), &fresh);
    if (fresh) {
        *at = g->list.n;
        fore_vec_push(&g->list,
                      (struct fore_comm_group){.rule = x.rule,
                                               .where_a = fore_comm_where(g->c->p, x.a),
                                               .where_b = fore_comm_where(g->c->p, x.b),
                                               .exact = true});
    }
    return (uint32_t)*at;
}

/* Keeps examples from early in the run, where witnesses are short. */
static void add_sample(struct fore_comm_group *x, struct fore_comm_pair p)
{
    if (x->samples < FORE_GROUP_SAMPLES)
        x->sample[x->samples++] = p;
}

static void add_to(struct fore_groups *g, uint32_t at, struct fore_comm_pair x)
{
    g->list.at[at].count++;
    add_sample(&g->list.at[at], x);
    if (!g->keep)
        return;
    if (g->pairs.n >= MOST_PAIRS) {
        g->overflow = true;
        return;
    }
    fore_vec_push(&g->pairs, x);
    fore_vec_push(&g->of, at);
}

void fore_groups_add(struct fore_groups *g, struct fore_comm_pair x)
{
    add_to(g, group_of(g, x), x);
}

static struct fore_comm_pair pair_with(const struct fore_comm_range *r, uint32_t other)
{
    struct fore_comm_pair x = r->x;
    x.a = r->op_is_a ? r->op : other;
    x.b = r->op_is_a ? other : r->op;
    return x;
}

/* Is the operation among ops[lo .. hi - 1], which are sorted? */
static bool is_among(const uint32_t *ops, uint32_t lo, uint32_t hi, uint32_t op)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ops[mid] == op)
            return true;
        if (ops[mid] < op)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

void fore_groups_range(struct fore_groups *g, const struct fore_comm_range *r)
{
    const uint32_t *ops = g->c->ops + r->lane->first;
    bool placed = r->lane->where && fore_comm_where(g->c->p, r->op);
    bool one_by_one = (g->keep && !g->overflow) || !placed;
    uint32_t n = r->hi - r->lo, seen = 0, at = placed ? *r->group : FORE_NO_GROUP;
    if (r->except != FORE_NO_OP && is_among(ops, r->lo, r->hi, r->except))
        n--;
    for (uint32_t i = r->lo; i < r->hi && seen < (one_by_one ? n : 1); i++) {
        if (ops[i] == r->except)
            continue;
        if (at == FORE_NO_GROUP || !placed)
            at = group_of(g, pair_with(r, ops[i]));
        add_to(g, at, pair_with(r, ops[i]));
        seen++;
    }
    if (seen < n) /* the rest is of the same group */
        g->list.at[at].count += n - seen;
    *r->group = at;
}

/* ---- verification -------------------------------------------------------------------------- */

/* The first example that has a run becomes the example. */
static void verify_samples(struct fore_comm_group *x, struct fore_reach *r)
{
    for (uint32_t i = 0; i < x->samples && !x->verified; i++)
        if (fore_reach_find(r, x->sample[i])) {
            x->sample[0] = x->sample[i];
            x->verified = true;
        }
}

static void verify_pair(struct fore_groups *g, struct fore_reach *r, size_t i,
                        uint64_t work)
{
    struct fore_comm_group *x = &g->list.at[g->of.at[i]];
    if (x->verified && (work > MOST_WORK || fore_budget_spent(r->budget))) {
        x->count++;
        x->exact = false;
    } else if (work > 4 * (uint64_t)MOST_WORK) {
        g->unlooked |= !fore_comm_is_note(x->rule);
    } else if (fore_reach_find(r, g->pairs.at[i])) {
        if (!x->verified)
            x->sample[0] = g->pairs.at[i];
        x->verified = true;
        x->count++;
    }
}

/* Runs every pair that was kept, of notes or of errors; a group with pairs for which there is no
 * time is left inexact. */
static void verify_pairs(struct fore_groups *g, struct fore_reach *r, bool notes)
{
    uint64_t start = r->effort;
    for (size_t i = 0; i < g->pairs.n; i++)
        if (fore_comm_is_note(g->list.at[g->of.at[i]].rule) == notes)
            verify_pair(g, r, i, r->effort - start);
}

static void verify_groups(struct fore_groups *g, struct fore_reach *r, bool notes)
{
    for (size_t i = 0; i < g->list.n; i++)
        if (fore_comm_is_note(g->list.at[i].rule) == notes) {
            verify_samples(&g->list.at[i], r);
            g->list.at[i].exact = !g->keep;
        }
}

/* Drops a group of which only the examples were tried, without finding a run. */
static void drop_unverified(struct fore_groups *g, const struct fore_budget *for_notes)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->list.n; i++) {
        const struct fore_comm_group *x = &g->list.at[i];
        bool note = fore_comm_is_note(x->rule);
        g->sampled |= !x->verified && !note && g->overflow && x->count > x->samples;
        g->untold += !x->verified && note && for_notes && for_notes->spent;
        if (x->verified)
            g->list.at[kept++] = *x;
    }
    g->list.n = kept;
    fore_map_clear(&g->index);
}

void fore_groups_verify(struct fore_groups *g, struct fore_reach *r,
                        struct fore_budget *(*for_notes)(void *ctx), void *ctx)
{
    struct fore_budget *whole = r->budget;
    bool each = g->keep && !g->overflow;
    for (size_t i = 0; i < g->list.n && each; i++)
        g->list.at[i].count = 0;
    (each ? verify_pairs : verify_groups)(g, r, false);
    if (for_notes)
        r->budget = for_notes(ctx);
    (each ? verify_pairs : verify_groups)(g, r, true);
    drop_unverified(g, for_notes ? r->budget : NULL);
    r->budget = whole; /* errors are told with it */
}
