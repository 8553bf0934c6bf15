/* Small layered graphs that reports draw: dependency graphs, lattices, message sequences. */
#ifndef FORE_FINDING_GRAPH_H
#define FORE_FINDING_GRAPH_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct fore_graph_node {
    const char *label;
    uint32_t level, column; /* where the drawing puts it */
    const char *style;      /* "", "observed", "bad", "pruned" */
};

struct fore_graph_edge {
    uint32_t from, to; /* indices of nodes */
    const char *label;
    const char *style; /* "", "observed", "witness", "dashed" */
};

struct fore_graph {
    const char *title;
    FORE_VEC(struct fore_graph_node) nodes;
    FORE_VEC(struct fore_graph_edge) edges;
    /* In a message sequence: the headings of the columns, under which nodes stand, time going
     * down. In other graphs empty: nodes of a level stand side by side. */
    FORE_VEC(const char *) lanes;
};

/* Operations as intervals, one lane per process: why a history is not linearizable. */
struct fore_interval {
    const char *lane, *label;
    uint64_t start, end;  /* positions in the history; drawings show only their order */
    const char *style;    /* "", "failing", "pending" */
    const char *location; /* where it was recorded, or NULL */
};

/* An order of some of the intervals, and the object's state after each of them. */
struct fore_partial_order {
    const uint32_t *ops;
    const char *const *states;
    size_t n;
};

struct fore_timeline {
    const char *title;
    FORE_VEC(struct fore_interval) intervals;
    FORE_VEC(struct fore_graph_edge) edges; /* forced orders, between intervals */
    FORE_VEC(struct fore_interval) others;  /* the history's other operations */
    FORE_VEC(uint32_t)
    order;             /* a longest order that explains its answers, of intervals */
    const char *state; /* the object's state at its end, or NULL */
    FORE_VEC(const char *) states; /* and after each of its operations, or empty */
    /* For each interval a longest order that contains it; empty: there are none. */
    FORE_VEC(struct fore_partial_order) partial;
};

void fore_graph_release(struct fore_graph *g);
uint32_t fore_graph_node(struct fore_graph *g, const char *label, uint32_t level,
                         uint32_t column, const char *style);
void fore_graph_edge(struct fore_graph *g, uint32_t from, uint32_t to, const char *label,
                     const char *style);

void fore_timeline_release(struct fore_timeline *t);

#endif
