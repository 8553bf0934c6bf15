/* Finds out whether a node knows all that clients brought, by asking it. The node's later steps
 * know nothing of the question, which is on a trail of its own. Its questions to services on the
 * way are answered at once. */
#ifndef FORE_NODE_COMPLETE_H
#define FORE_NODE_COMPLETE_H

#include "node/service.h"
#include "node/trail.h"
#include "node/workload.h"

enum { FORE_NODE_OUTSIDER = 0, FORE_NODE_ASKING = 1000000 };

struct fore_question {
    struct fore_trails *trails;
    const struct fore_workload *workload;
    uint64_t at; /* where the node stands */
    int64_t node;
    const int64_t *services; /* by service: its state */
};

bool fore_node_is_complete(const struct fore_question *q);
/* Which service a message is for, or -1. */
int fore_service_named(const char *dest);

#endif
