/* Source: [tarjan], with the stack of calls made explicit. */
#include "history/txn/scc.h"

#include "base/vec.h"

struct scc_walk {
    const uint32_t *at, *targets;
    uint32_t *component, *low, *next; /* low 0: not seen; next: edge to look at */
    FORE_VEC(uint32_t) path, open;
    uint32_t seen, found;
};

static void enter_node(struct scc_walk *w, uint32_t node)
{
    w->low[node] = ++w->seen;
    w->next[node] = w->at[node];
    fore_vec_push(&w->path, node);
    fore_vec_push(&w->open, node);
}

/* `index` is what `low` was when the node was entered. */
static void leave_node(struct scc_walk *w, uint32_t node, uint32_t index)
{
    (void)fore_vec_pop(&w->path);
    if (w->path.n) {
        uint32_t above = fore_vec_last(&w->path);
        if (w->low[node] < w->low[above])
            w->low[above] = w->low[node];
    }
    if (w->low[node] != index)
        return;
    uint32_t member;
    do {
        member = fore_vec_pop(&w->open);
        w->component[member] = w->found;
        w->low[member] = UINT32_MAX; /* closed: nobody is lowered by it */
    } while (member != node);
    w->found++;
}

static void walk_from(struct scc_walk *w, uint32_t root, uint32_t *index,
                      struct fore_budget *budget)
{
    enter_node(w, root);
    index[root] = w->seen;
    while (w->path.n && !fore_budget_spent(budget)) {
        uint32_t node = fore_vec_last(&w->path);
        if (w->next[node] == w->at[node + 1]) {
            leave_node(w, node, index[node]);
            continue;
        }
        uint32_t to = w->targets[w->next[node]++];
        if (!w->low[to]) {
            enter_node(w, to);
            index[to] = w->seen;
        } else if (w->low[to] != UINT32_MAX && index[to] < w->low[node]) {
            w->low[node] = index[to];
        }
    }
}

uint32_t fore_scc(const uint32_t *at, const uint32_t *targets, uint32_t n,
                  uint32_t *component, struct fore_budget *budget)
{
    struct scc_walk w = {.at = at, .targets = targets, .component = component};
    w.low = fore_calloc((size_t)n + 1, sizeof *w.low);
    w.next = fore_calloc((size_t)n + 1, sizeof *w.next);
    uint32_t *index = fore_calloc((size_t)n + 1, sizeof *index);
    for (uint32_t i = 0; i < n && !fore_budget_spent(budget); i++)
        if (!w.low[i])
            walk_from(&w, i, index, budget);
    fore_free(w.low);
    fore_free(w.next);
    fore_free(index);
    fore_vec_release(&w.path);
    fore_vec_release(&w.open);
    return w.found;
}
