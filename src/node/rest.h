/* Waiting until a node is at rest: it has read all there was, all its threads sleep, and nothing
 * comes any more. A program of `foresee go` says so itself; of others it is looked at from outside. */
#ifndef FORE_NODE_REST_H
#define FORE_NODE_REST_H

#include "node/process.h"

/* What it said is in `r`, and an unfinished line in the process. */
void fore_rest_wait(struct fore_process *p, const struct fore_node_command *c,
                    struct fore_rest *r);
/* When its clock would wake it next. */
int64_t fore_rest_timer(const struct fore_process *p);

#endif
