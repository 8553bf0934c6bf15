#include "finding/graph.h"

void fore_graph_release(struct fore_graph *g)
{
    fore_vec_release(&g->nodes);
    fore_vec_release(&g->edges);
    fore_vec_release(&g->lanes);
}

uint32_t fore_graph_node(struct fore_graph *g, const char *label, uint32_t level,
                         uint32_t column, const char *style)
{
    fore_vec_push(&g->nodes, (struct fore_graph_node){label, level, column, style});
    return (uint32_t)(g->nodes.n - 1);
}

void fore_graph_edge(struct fore_graph *g, uint32_t from, uint32_t to, const char *label,
                     const char *style)
{
    FORE_BUG_IF(from >= g->nodes.n || to >= g->nodes.n);
    fore_vec_push(&g->edges, (struct fore_graph_edge){from, to, label, style});
}

void fore_timeline_release(struct fore_timeline *t)
{
    fore_vec_release(&t->intervals);
    fore_vec_release(&t->edges);
    fore_vec_release(&t->others);
    fore_vec_release(&t->order);
    fore_vec_release(&t->states);
    fore_vec_release(&t->partial);
}
