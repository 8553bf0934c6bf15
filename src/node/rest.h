/* Waits until a node is at rest: it has read all its input, all its threads sleep, and no more
 * output comes. A program of `foresee go` says so itself; other programs are observed from
 * outside. */
#ifndef FORE_NODE_REST_H
#define FORE_NODE_REST_H

#include "node/process.h"

/* Its output is in `r`, and an unfinished line in the process. */
void fore_rest_wait(struct fore_process *p, const struct fore_node_command *c,
                    struct fore_rest *r);
/* When its clock would wake it next. */
int64_t fore_rest_timer(const struct fore_process *p);

#endif
