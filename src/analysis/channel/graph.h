/* The dependency graph of [goscout], definition 14: the source of pictures, and the third model
 * of alternatives. Its errors are known (section 5.3): it ignores which thread created which,
 * and takes everything that a thread did later as dependent on what it received. */
#ifndef FORE_ANALYSIS_CHANNEL_GRAPH_H
#define FORE_ANALYSIS_CHANNEL_GRAPH_H

#include "analysis/channel/comm.h"
#include "finding/finding.h"

/* Nodes are the operations on channels, dangling ones too; all closes of a channel are one. */
struct fore_dependencies {
    const struct fore_comm *c;
    FORE_VEC(uint32_t) ops;   /* node -> operation; of a close: the first */
    uint32_t *node;           /* operation -> node, or FORE_NO_OP */
    FORE_VEC(uint32_t) edges; /* from, to, from, to … */
};

void fore_dependencies_build(struct fore_dependencies *d, const struct fore_comm *c);
void fore_dependencies_release(struct fore_dependencies *d);

/* Matching operations between which there is no path. False if the graph is too large. */
bool fore_dependencies_pairs(const struct fore_dependencies *d,
                             struct fore_comm_sink *out);
/* Leaves the graph empty if it is too large to look at. */
void fore_dependencies_draw(const struct fore_dependencies *d, struct fore_findings *out);

#endif
