#include "history/txn/cycle_free.h"

#include "base/sort.h"

void fore_cycle_free_init(struct fore_cycle_free *g, uint32_t nodes)
{
    *g = (struct fore_cycle_free){.n = nodes};
    uint32_t **arrays[] = {&g->position, &g->node_at,     &g->out,
                           &g->in,       &g->out_last,    &g->forward,
                           &g->backward, &g->via_forward, &g->via_back};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = fore_calloc((size_t)nodes + 1, sizeof **arrays[i]);
    for (uint32_t i = 0; i < nodes; i++)
        g->position[i] = g->node_at[i] = i;
}

void fore_cycle_free_release(struct fore_cycle_free *g)
{
    uint32_t *arrays[] = {g->position, g->node_at,     g->out,
                          g->in,       g->out_last,    g->forward,
                          g->backward, g->via_forward, g->via_back};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        fore_free(arrays[i]);
    fore_vec_release(&g->edges);
    fore_vec_release(&g->reached);
    fore_vec_release(&g->behind);
    fore_vec_release(&g->spots);
    fore_vec_release(&g->moved);
    fore_vec_release(&g->cycle);
}

void fore_cycle_free_sort(struct fore_cycle_free *g, const uint32_t *positions)
{
    uint64_t *keys = fore_calloc((size_t)g->n + 1, sizeof *keys);
    for (uint32_t i = 0; i < g->n; i++)
        keys[i] = (uint64_t)positions[i] << 32 | i;
    fore_sort_u64(keys, g->n);
    for (uint32_t i = 0; i < g->n; i++) {
        g->node_at[i] = (uint32_t)keys[i];
        g->position[g->node_at[i]] = i;
    }
    fore_free(keys);
}

/* Everything that plain edges reach from `start`, not beyond position `limit`. Stops at
 * `goal`; returns whether it was reached. */
static bool reach_forward(struct fore_cycle_free *g, uint32_t start, uint32_t goal,
                          uint32_t limit)
{
    fore_vec_clear(&g->reached);
    fore_vec_push(&g->reached, start);
    g->forward[start] = g->stamp;
    g->via_forward[start] = 0;
    for (size_t i = 0; i < g->reached.n; i++) {
        uint32_t node = g->reached.at[i];
        if (node == goal)
            return true;
        for (uint32_t k = g->out[node]; k; k = g->edges.at[k - 1].next_out) {
            uint32_t to = g->edges.at[k - 1].to;
            if (g->forward[to] == g->stamp || g->position[to] > limit)
                continue;
            g->forward[to] = g->stamp;
            g->via_forward[to] = k;
            fore_vec_push(&g->reached, to);
        }
    }
    return false;
}

static void reach_backward(struct fore_cycle_free *g, uint32_t start, uint32_t limit)
{
    fore_vec_clear(&g->behind);
    fore_vec_push(&g->behind, start);
    g->backward[start] = g->stamp;
    g->via_back[start] = 0;
    for (size_t i = 0; i < g->behind.n; i++)
        for (uint32_t k = g->in [g->behind.at[i]]; k; k = g->edges.at[k - 1].next_in) {
            uint32_t from = g->edges.at[k - 1].from;
            if (g->backward[from] == g->stamp || g->position[from] < limit)
                continue;
            g->backward[from] = g->stamp;
            g->via_back[from] = k;
            fore_vec_push(&g->behind, from);
        }
}

/* Appends the path to `node` from where the forward search began. */
static void path_to(struct fore_cycle_free *g, uint32_t node)
{
    size_t from = g->cycle.n;
    for (uint32_t k; (k = g->via_forward[node]); node = g->edges.at[k - 1].from)
        fore_vec_push(&g->cycle, g->edges.at[k - 1].id);
    for (size_t i = from, j = g->cycle.n; i + 1 < j--; i++) {
        uint32_t swap = g->cycle.at[i];
        g->cycle.at[i] = g->cycle.at[j];
        g->cycle.at[j] = swap;
    }
}

/* Appends the path from `node` to where the backward search began. */
static void path_from(struct fore_cycle_free *g, uint32_t node)
{
    for (uint32_t k; (k = g->via_back[node]); node = g->edges.at[k - 1].to)
        fore_vec_push(&g->cycle, g->edges.at[k - 1].id);
}

/* What was reached backward, then what was reached forward, into the places of both; each
 * of the two keeps its own order. */
static void reorder_nodes(struct fore_cycle_free *g)
{
    size_t behind = g->behind.n, all = behind + g->reached.n;
    fore_vec_clear(&g->spots);
    fore_vec_clear(&g->moved);
    for (size_t i = 0; i < all; i++) {
        uint32_t node = i < behind ? g->behind.at[i] : g->reached.at[i - behind];
        fore_vec_push(&g->spots, g->position[node]);
        fore_vec_push(&g->moved, (uint64_t)(i >= behind) << 32 | g->position[node]);
    }
    fore_sort_u64(g->spots.at, all);
    fore_sort_u64(g->moved.at, all);
    for (size_t i = 0; i < all; i++)
        g->moved.at[i] = g->node_at[(uint32_t)g->moved.at[i]];
    for (size_t i = 0; i < all; i++) {
        g->position[g->moved.at[i]] = (uint32_t)g->spots.at[i];
        g->node_at[g->spots.at[i]] = (uint32_t)g->moved.at[i];
    }
}

static void hold_edge(struct fore_cycle_free *g, uint32_t from, uint32_t to, uint32_t id,
                      bool last)
{
    uint32_t *out = last ? &g->out_last[from] : &g->out[from];
    struct fore_held_edge e = {from, to, id, *out, last ? 0 : g->in[to], last};
    fore_vec_push(&g->edges, e);
    g->n_last += last;
    *out = (uint32_t)g->edges.n;
    if (!last)
        g->in[to] = (uint32_t)g->edges.n;
}

/* Does a plain edge from -> to complete a path that a `last` edge closes? */
static bool closes_with_last(struct fore_cycle_free *g, uint32_t from, uint32_t to,
                             uint32_t id)
{
    reach_backward(g, from, 0);
    reach_forward(g, to, UINT32_MAX, UINT32_MAX);
    for (size_t i = 0; i < g->reached.n; i++) {
        uint32_t node = g->reached.at[i];
        for (uint32_t k = g->out_last[node]; k; k = g->edges.at[k - 1].next_out) {
            const struct fore_held_edge *e = &g->edges.at[k - 1];
            if (g->backward[e->to] != g->stamp)
                continue;
            fore_vec_push(&g->cycle, id);
            path_to(g, node);
            fore_vec_push(&g->cycle, e->id);
            path_from(g, e->to);
            return true;
        }
    }
    return false;
}

static bool refuse_edge(struct fore_cycle_free *g, uint32_t from, uint32_t id)
{
    fore_vec_push(&g->cycle, id);
    path_to(g, from);
    return false;
}

bool fore_cycle_free_add(struct fore_cycle_free *g, uint32_t from, uint32_t to,
                         uint32_t id, bool last)
{
    fore_vec_clear(&g->cycle);
    g->stamp++;
    if (from == to) {
        fore_vec_push(&g->cycle, id);
        return false;
    }
    if (g->position[from] > g->position[to]) {
        if (reach_forward(g, to, from, g->position[from]))
            return refuse_edge(g, from, id);
        if (!last) {
            reach_backward(g, from, g->position[to]);
            reorder_nodes(g);
        }
    }
    if (!last && g->n_last) {
        g->stamp++;
        if (closes_with_last(g, from, to, id))
            return false;
    }
    hold_edge(g, from, to, id, last);
    return true;
}

void fore_cycle_free_pop(struct fore_cycle_free *g)
{
    struct fore_held_edge e = fore_vec_pop(&g->edges);
    if (e.last) {
        g->n_last--;
        g->out_last[e.from] = e.next_out;
    } else {
        g->out[e.from] = e.next_out;
        g->in[e.to] = e.next_in;
    }
}
