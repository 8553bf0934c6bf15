#include "history/txn/guess.h"

#include "base/sort.h"
#include "history/op.h"
#include "history/txn/scc.h"

enum { MAX_PASSES = 8 };

/* The write that ended last before the reader did; the initial value if there is none. */
static uint32_t likely_source(const struct fore_txn_index *x,
                              const struct fore_txn_reading *r)
{
    const struct fore_txns *h = x->h;
    uint32_t best = r->initial ? 0 : r->write, best_time = 0;
    for (uint32_t w = r->write; w; w = x->writes.at[w - 1].next) {
        const struct fore_txn *t = &h->list.at[x->writes.at[w - 1].txn];
        uint32_t time = t->end == FORE_NEVER ? t->begin : t->end;
        if (fore_txn_may_read(x, w - 1, r->txn) && time < h->list.at[r->txn].end &&
            time > best_time) {
            best = w;
            best_time = time;
        }
    }
    return best;
}

/* When a transaction took effect, at the latest: before it ended, and before the transactions that read
 * what it wrote. Sixteen steps fit between two events. The caller frees. */
static uint64_t *latest_effects(const struct fore_txn_index *x)
{
    const struct fore_txns *h = x->h;
    uint64_t *latest = fore_calloc(h->list.n + 1, sizeof *latest);
    for (uint32_t t = 0; t < h->list.n; t++) {
        const struct fore_txn *txn = &h->list.at[t];
        uint32_t time = txn->end == FORE_NEVER ? txn->begin : txn->end;
        latest[t] = (uint64_t)time << 4 | 15;
    }
    for (int changed = 1, pass = 0; changed && pass < MAX_PASSES; pass++) {
        changed = 0;
        for (size_t i = x->readings.n; i-- > 0;) {
            const struct fore_txn_reading *r = &x->readings.at[i];
            if (!r->write || r->unclear)
                continue;
            uint64_t *writer = &latest[x->writes.at[r->write - 1].txn];
            if (*writer >= latest[r->txn] && latest[r->txn]) {
                *writer = latest[r->txn] - 1;
                changed = 1;
            }
        }
    }
    return latest;
}

static void sort_others(struct fore_txn_guess *g, uint32_t key)
{
    struct fore_txn_versions *v = &g->x->versions[key];
    uint64_t *ranks = fore_calloc(v->others.n + 1, sizeof *ranks);
    for (size_t i = 0; i < v->others.n; i++)
        ranks[i] = g->rank[v->others.at[i]];
    fore_sort_u64(ranks, v->others.n);
    for (size_t i = 0; i < v->others.n; i++)
        v->others.at[i] = (uint32_t)ranks[i];
    fore_free(ranks);
}

void fore_txn_guess_init(struct fore_txn_guess *g, struct fore_txn_index *x)
{
    const struct fore_txns *h = x->h;
    *g = (struct fore_txn_guess){.x = x};
    g->rank = fore_calloc(h->list.n + 1, sizeof *g->rank);
    g->chosen = fore_calloc(x->readings.n + 1, sizeof *g->chosen);
    uint64_t *order = latest_effects(x);
    _Static_assert(FORE_MAX_TXNS <= (uint64_t)1 << 28, "36 bits are for the moment");
    for (uint32_t t = 0; t < h->list.n; t++)
        order[t] = order[t] << 28 | t;
    fore_sort_u64(order, h->list.n);
    for (size_t i = 0; i < h->list.n; i++) {
        uint32_t t = (uint32_t)order[i] & (FORE_MAX_TXNS - 1);
        g->rank[t] = (uint64_t)i << 32 | t;
    }
    fore_free(order);
    for (uint32_t k = 0; k < h->keys.n; k++)
        if (x->versions[k].others.n > 1)
            sort_others(g, k);
    for (size_t i = 0; i < x->readings.n; i++)
        g->chosen[i] = x->readings.at[i].unclear ? likely_source(x, &x->readings.at[i])
                                                 : x->readings.at[i].write;
}

void fore_txn_guess_release(struct fore_txn_guess *g)
{
    fore_free(g->rank);
    fore_free(g->chosen);
}

void fore_txn_guess_reorder(struct fore_txn_guess *g, const uint32_t *order, size_t n)
{
    const struct fore_txn_index *x = g->x;
    uint64_t *ranks = fore_calloc(n + 1, sizeof *ranks);
    struct fore_map keys = {0};
    for (size_t i = 0; i < n; i++)
        ranks[i] = g->rank[order[i]];
    fore_sort_u64(ranks, n);
    for (size_t i = 0; i < n; i++)
        g->rank[order[i]] = ranks[i] >> 32 << 32 | order[i];
    fore_free(ranks);
    for (size_t i = 0; i < n; i++)
        for (uint32_t w = x->writes_at[order[i]]; w < x->writes_at[order[i] + 1]; w++) {
            bool fresh = false;
            if (!x->writes.at[w].entry)
                fore_map_put(&keys, x->writes.at[w].key, &fresh);
            if (fresh)
                sort_others(g, x->writes.at[w].key);
        }
    fore_map_release(&keys);
}

/* The graph. */

struct graph_maker {
    struct fore_txn_graph *graph;
    const struct fore_txn_guess *g;
    enum fore_txn_level level;
    uint32_t *place; /* by transaction: its place among the versions of the key, + 1 */
};

static void add_edge(struct graph_maker *m, enum fore_dep_kind kind, uint32_t from,
                     uint32_t to)
{
    if (from == to)
        return;
    if (m->level == FORE_TXN_SNAPSHOT) {
        from = 2 * from + (kind != FORE_DEP_RW);
        to = 2 * to + (kind == FORE_DEP_RW);
    }
    uint64_t edge = (uint64_t)from << 32 | to;
    if (m->level == FORE_TXN_PARALLEL_SNAPSHOT && kind == FORE_DEP_RW)
        fore_vec_push(&m->graph->closing, edge);
    else
        fore_vec_push(&m->graph->edges, edge);
}

static uint32_t version_at(const struct fore_txn_versions *v, size_t i)
{
    return i < v->chain.n ? v->chain.at[i] : v->others.at[i - v->chain.n];
}

static void add_key(struct graph_maker *m, uint32_t key)
{
    const struct fore_txn_index *x = m->g->x;
    const struct fore_txn_versions *v = &x->versions[key];
    bool list = x->h->keys.at[key].kind == FORE_KEY_LIST;
    size_t n = v->chain.n + v->others.n;
    for (size_t i = 0; i < n; i++) {
        uint32_t t = version_at(v, i);
        m->place[t] = (uint32_t)i + 1;
        if (i)
            add_edge(m, FORE_DEP_WW, version_at(v, i - 1), t);
    }
    for (uint32_t i = x->readings_at[key]; i < x->readings_at[key + 1]; i++) {
        const struct fore_txn_reading *r = &x->readings.at[i];
        uint32_t w = m->g->chosen[i], seen = r->seen;
        if (r->repeated)
            continue;
        if (!list)
            seen = w ? m->place[x->writes.at[w - 1].txn] : 0;
        if (seen)
            add_edge(m, FORE_DEP_WR, version_at(v, seen - 1), r->txn);
        if (seen < n)
            add_edge(m, FORE_DEP_RW, r->txn, version_at(v, seen));
    }
}

/* See add_moments in zone.c. */
static void add_time(struct graph_maker *m)
{
    const struct fore_txns *h = m->g->x->h;
    uint32_t *at = fore_calloc((size_t)h->events + 2, sizeof *at); /* txn << 1 | begins */
    for (uint32_t t = 0; t < h->list.n; t++) {
        if (h->list.at[t].begin)
            at[h->list.at[t].begin] = (t << 1 | 1) + 1;
        if (h->list.at[t].end != FORE_NEVER)
            at[h->list.at[t].end] = (t << 1) + 1;
    }
    uint32_t moment = (uint32_t)h->list.n - 1;
    bool settled = true, any = false;
    for (uint32_t i = 0; i <= h->events; i++) {
        uint32_t t = at[i] ? (at[i] - 1) >> 1 : 0;
        if (!at[i] || !m->g->x->counts[t])
            continue;
        if ((at[i] - 1) & 1) {
            if (any)
                add_edge(m, FORE_DEP_TIME, moment, t);
            settled = true;
            continue;
        }
        if (settled) {
            moment++;
            if (any)
                add_edge(m, FORE_DEP_TIME, moment - 1, moment);
            any = true;
        }
        settled = false;
        add_edge(m, FORE_DEP_TIME, t, moment);
    }
    m->graph->nodes = moment + 1;
    fore_free(at);
}

static void find_components(struct fore_txn_graph *graph, struct fore_budget *budget)
{
    uint32_t n = graph->nodes;
    size_t plain = graph->edges.n, all = plain + graph->closing.n;
    uint32_t *at = fore_calloc((size_t)n + 2, sizeof *at);
    uint32_t *targets = fore_calloc(all + 1, sizeof *targets);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < all; i++) {
            uint64_t e = i < plain ? graph->edges.at[i] : graph->closing.at[i - plain];
            if (!pass)
                at[(e >> 32) + 1]++;
            else
                targets[--at[(e >> 32) + 1]] = (uint32_t)e;
        }
        for (uint32_t i = 0; !pass && i < n; i++)
            at[i + 1] += at[i];
    }
    /* Filling from behind has moved every beginning one to the right. */
    for (uint32_t i = 0; i < n; i++)
        at[i] = at[i + 1];
    at[n] = (uint32_t)all;
    graph->component = fore_calloc((size_t)n + 1, sizeof *graph->component);
    graph->components = fore_scc(at, targets, n, graph->component, budget);
    graph->size = fore_calloc((size_t)graph->components + 1, sizeof *graph->size);
    for (uint32_t i = 0; i < n; i++)
        graph->size[graph->component[i]]++;
    fore_free(at);
    fore_free(targets);
}

void fore_txn_graph_make(struct fore_txn_graph *graph, const struct fore_txn_guess *g,
                         enum fore_txn_level level, struct fore_budget *budget)
{
    const struct fore_txns *h = g->x->h;
    struct graph_maker m = {.graph = graph, .g = g, .level = level};
    *graph = (struct fore_txn_graph){.nodes = (uint32_t)h->list.n};
    m.place = fore_calloc(h->list.n + 1, sizeof *m.place);
    for (uint32_t k = 0; k < h->keys.n && !fore_budget_spent(budget); k++)
        add_key(&m, k);
    if (level == FORE_TXN_SNAPSHOT) {
        graph->nodes *= 2;
        for (uint32_t t = 0; t < h->list.n; t++)
            fore_vec_push(&graph->edges, (uint64_t)(2 * t) << 32 | (2 * t + 1));
    }
    if (level == FORE_TXN_STRICT)
        add_time(&m);
    fore_free(m.place);
    if (!fore_budget_spent(budget))
        find_components(graph, budget);
}

void fore_txn_graph_release(struct fore_txn_graph *graph)
{
    fore_vec_release(&graph->edges);
    fore_vec_release(&graph->closing);
    fore_free(graph->component);
    fore_free(graph->size);
}
