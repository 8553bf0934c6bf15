#include "history/txn/cycles.h"

#include "history/txn/scc.h"

/* How much may be looked at to make a cycle shorter. */
enum { MAX_STEPS = 20000000 };

#define BIT(kind) (1u << FORE_DEP_##kind)

/* A cycle of a kind has an edge of `first` and otherwise edges of `rest`. Cycles of a row do
 * not occur in the rows before it, because there was none. */
static const struct cycle_kind {
    enum fore_txn_anomaly kind;
    unsigned first, rest;
    bool apart; /* no two rw edges are neighbours */
} kinds[] = {
    {FORE_ANOMALY_G0, BIT(WW), BIT(WW), false},
    {FORE_ANOMALY_G1C, BIT(WR), BIT(WW) | BIT(WR), false},
    {FORE_ANOMALY_G_SINGLE, BIT(RW), BIT(WW) | BIT(WR), false},
    {FORE_ANOMALY_G_NONADJACENT, BIT(RW), BIT(WW) | BIT(WR) | BIT(RW), true},
    {FORE_ANOMALY_G2_ITEM, BIT(RW), BIT(WW) | BIT(WR) | BIT(RW), false},
    {FORE_ANOMALY_G0_REALTIME, BIT(WW), BIT(WW) | BIT(TIME), false},
    {FORE_ANOMALY_G1C_REALTIME, BIT(WR), BIT(WW) | BIT(WR) | BIT(TIME), false},
    {FORE_ANOMALY_G_SINGLE_REALTIME, BIT(RW), BIT(WW) | BIT(WR) | BIT(TIME), false},
    {FORE_ANOMALY_G2_REALTIME, BIT(RW), BIT(WW) | BIT(WR) | BIT(RW) | BIT(TIME), false},
};

struct cycle_finder {
    const struct fore_zone *z;
    uint32_t nodes;
    uint32_t *at, *edge;  /* edges by their beginning */
    uint32_t *component;  /* of the edges of this row */
    uint32_t *seen, *via; /* by node and whether the last edge was rw */
    uint32_t stamp;
    uint64_t steps;
    FORE_VEC(uint32_t) queue, depth, path, best;
};

static enum fore_dep_kind kind_of(const struct cycle_finder *f, uint32_t edge)
{
    return f->z->deps.at[f->z->hard.at[edge].tag].kind;
}

/* What rests on real time counts as such, too. */
static bool edge_fits(const struct cycle_finder *f, uint32_t edge, unsigned mask,
                      bool timed)
{
    const struct fore_dep *d = &f->z->deps.at[f->z->hard.at[edge].tag];
    return mask >> d->kind & 1 && (timed || !d->by_time);
}

static void sort_edges(struct cycle_finder *f)
{
    size_t n = f->z->hard.n;
    f->nodes = f->z->n * 2; /* and moments, which are not more than members */
    f->at = fore_calloc((size_t)f->nodes + 2, sizeof *f->at);
    f->edge = fore_calloc(n + 1, sizeof *f->edge);
    for (size_t i = 0; i < n; i++)
        f->at[f->z->hard.at[i].from + 1]++;
    for (uint32_t i = 0; i < f->nodes; i++)
        f->at[i + 1] += f->at[i];
    uint32_t *next = fore_calloc((size_t)f->nodes + 1, sizeof *next);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = f->z->hard.at[i].from;
        f->edge[f->at[from] + next[from]++] = i;
    }
    fore_free(next);
    f->component = fore_calloc((size_t)f->nodes + 1, sizeof *f->component);
    f->seen = fore_calloc(2 * (size_t)f->nodes + 2, sizeof *f->seen);
    f->via = fore_calloc(2 * (size_t)f->nodes + 2, sizeof *f->via);
}

static void find_row_components(struct cycle_finder *f, unsigned mask,
                                struct fore_budget *budget)
{
    uint32_t *at = fore_calloc((size_t)f->nodes + 2, sizeof *at);
    uint32_t *targets = fore_calloc(f->z->hard.n + 1, sizeof *targets), n = 0;
    for (uint32_t node = 0; node < f->nodes; node++) {
        for (uint32_t i = f->at[node]; i < f->at[node + 1]; i++)
            if (edge_fits(f, f->edge[i], mask, mask & BIT(TIME)))
                targets[n++] = f->z->hard.at[f->edge[i]].to;
        at[node + 1] = n;
    }
    fore_scc(at, targets, f->nodes, f->component, budget);
    fore_free(at);
    fore_free(targets);
}

static void keep_path(struct cycle_finder *f, uint32_t first, uint32_t state)
{
    fore_vec_clear(&f->best);
    for (uint32_t k; (k = f->via[state]);) {
        fore_vec_push(&f->best, k - 1);
        uint32_t from = f->z->hard.at[k - 1].from;
        state = f->path.at[state];
        FORE_BUG_IF(state >> 1 != from);
    }
    fore_vec_push(&f->best, first);
    for (size_t i = 0, j = f->best.n; i + 1 < j--; i++) {
        uint32_t swap = f->best.at[i];
        f->best.at[i] = f->best.at[j];
        f->best.at[j] = swap;
    }
}

/* A shortest way back from the end of `first` to its beginning, if it is shorter than the
 * best so far. */
static void close_cycle(struct cycle_finder *f, const struct cycle_kind *row,
                        uint32_t first)
{
    const struct fore_guarded_edge *e = &f->z->hard.at[first];
    uint32_t start = e->to << 1 | (kind_of(f, first) == FORE_DEP_RW);
    f->stamp++;
    fore_vec_clear(&f->queue);
    fore_vec_clear(&f->depth);
    fore_vec_push(&f->queue, start);
    fore_vec_push(&f->depth, 1);
    f->seen[start] = f->stamp;
    f->via[start] = 0;
    for (size_t i = 0; i < f->queue.n; i++) {
        uint32_t state = f->queue.at[i], node = state >> 1;
        if (node == e->from && !(row->apart && state & 1)) {
            if (!f->best.n || f->depth.at[i] < f->best.n)
                keep_path(f, first, state);
            return;
        }
        if (f->best.n && f->depth.at[i] + 1 >= f->best.n)
            return;
        for (uint32_t k = f->at[node]; k < f->at[node + 1]; k++, f->steps++) {
            uint32_t to = f->z->hard.at[f->edge[k]].to;
            enum fore_dep_kind kind = kind_of(f, f->edge[k]);
            uint32_t next = to << 1 | (row->apart && kind == FORE_DEP_RW);
            if (!edge_fits(f, f->edge[k], row->rest, row->rest & BIT(TIME)) ||
                (row->apart && state & next & 1) ||
                f->component[to] != f->component[e->from] || f->seen[next] == f->stamp)
                continue;
            f->seen[next] = f->stamp;
            f->via[next] = f->edge[k] + 1;
            f->path.at[next] = state;
            fore_vec_push(&f->queue, next);
            fore_vec_push(&f->depth, f->depth.at[i] + 1);
        }
    }
}

static bool find_of_kind(struct cycle_finder *f, const struct cycle_kind *row,
                         struct fore_budget *budget)
{
    fore_vec_clear(&f->best);
    f->steps = 0;
    find_row_components(f, row->first | row->rest, budget);
    for (uint32_t i = 0; i < f->z->hard.n; i++) {
        const struct fore_guarded_edge *e = &f->z->hard.at[i];
        if (fore_budget_spent(budget) || f->steps > MAX_STEPS)
            break;
        if (!edge_fits(f, i, row->first, row->rest & BIT(TIME)) ||
            f->component[e->from] != f->component[e->to])
            continue;
        close_cycle(f, row, i);
    }
    return f->best.n;
}

/* Moments between transactions become one step of real time. */
static void add_shown(struct fore_dep_cycle *c, const struct fore_dep *d)
{
    if (d->kind == FORE_DEP_SELF)
        return;
    if (d->kind == FORE_DEP_TIME && c->deps.n &&
        fore_vec_last(&c->deps).to == FORE_NO_TXN)
        fore_vec_last(&c->deps).to = d->to;
    else
        fore_vec_push(&c->deps, *d);
}

/* Begins with the smallest transaction, so that the same cycle looks the same. */
static void turn_cycle(struct fore_dep_cycle *c)
{
    size_t n = c->deps.n, least = 0;
    struct fore_dep *turned = fore_calloc(n + 1, sizeof *turned);
    for (size_t i = 1; i < n; i++)
        if (c->deps.at[i].from < c->deps.at[least].from)
            least = i;
    for (size_t i = 0; i < n; i++)
        turned[i] = c->deps.at[(least + i) % n];
    memcpy(c->deps.at, turned, n * sizeof *turned);
    fore_free(turned);
}

static void take_edges(struct fore_dep_cycle *c, const struct fore_zone *z,
                       const struct fore_guarded_edge *edges, size_t n)
{
    size_t start = 0; /* not at a moment */
    while (start < n && z->deps.at[edges[start].tag].from == FORE_NO_TXN)
        start++;
    for (size_t i = 0; i < n; i++)
        add_shown(c, &z->deps.at[edges[(start + i) % n].tag]);
    if (c->deps.n)
        turn_cycle(c);
}

static void name_cycle(struct fore_dep_cycle *c)
{
    size_t rw = 0, wr = 0, time = 0, n = c->deps.n;
    bool apart = true;
    for (size_t i = 0; i < n; i++) {
        enum fore_dep_kind kind = c->deps.at[i].kind;
        rw += kind == FORE_DEP_RW;
        wr += kind == FORE_DEP_WR;
        time += c->deps.at[i].by_time;
        apart = apart &&
                !(kind == FORE_DEP_RW && c->deps.at[(i + 1) % n].kind == FORE_DEP_RW);
    }
    if (time)
        c->kind = rw > 1 ? FORE_ANOMALY_G2_REALTIME
                  : rw   ? FORE_ANOMALY_G_SINGLE_REALTIME
                  : wr   ? FORE_ANOMALY_G1C_REALTIME
                         : FORE_ANOMALY_G0_REALTIME;
    else
        c->kind = rw > 1 ? apart ? FORE_ANOMALY_G_NONADJACENT : FORE_ANOMALY_G2_ITEM
                  : rw   ? FORE_ANOMALY_G_SINGLE
                  : wr   ? FORE_ANOMALY_G1C
                         : FORE_ANOMALY_G0;
}

void fore_dep_cycle_take(struct fore_dep_cycle *c, const struct fore_zone *z,
                         const struct fore_guarded_edge *edges, size_t n)
{
    *c = (struct fore_dep_cycle){0};
    take_edges(c, z, edges, n);
    name_cycle(c);
}

bool fore_dep_cycle_find(struct fore_dep_cycle *c, const struct fore_zone *z,
                         enum fore_txn_level level, struct fore_budget *budget)
{
    struct cycle_finder f = {.z = z};
    bool found = false;
    *c = (struct fore_dep_cycle){0};
    sort_edges(&f);
    fore_vec_ensure(&f.path, 2 * (size_t)f.nodes + 2);
    for (size_t k = 0; !found && k < sizeof kinds / sizeof *kinds; k++) {
        if (fore_txn_anomaly_level(kinds[k].kind) > level)
            continue;
        found = find_of_kind(&f, &kinds[k], budget);
        c->kind = kinds[k].kind;
    }
    FORE_VEC(struct fore_guarded_edge) edges = {0};
    for (size_t i = 0; found && i < f.best.n; i++)
        fore_vec_push(&edges, z->hard.at[f.best.at[i]]);
    if (found)
        take_edges(c, z, edges.at, edges.n);
    fore_vec_release(&edges);
    fore_free(f.at);
    fore_free(f.edge);
    fore_free(f.component);
    fore_free(f.seen);
    fore_free(f.via);
    fore_vec_release(&f.queue);
    fore_vec_release(&f.depth);
    fore_vec_release(&f.path);
    fore_vec_release(&f.best);
    return found;
}

void fore_dep_cycle_release(struct fore_dep_cycle *c)
{
    fore_vec_release(&c->deps);
}
