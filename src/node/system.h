/* Node processes as an actor system: agents are processes, messages are JSON objects, an agent's
 * state is its place on its trail. So every scheduler that there is explores them.
 *
 * There is only one such system in a process, because handlers get nothing that could tell
 * several apart. */
#ifndef FORE_NODE_SYSTEM_H
#define FORE_NODE_SYSTEM_H

#include "base/err.h"
#include "foresee/actor.h"
#include "node/trail.h"

#include <stdbool.h>
#include <stddef.h>

#define FORE_NODES_NAME "nodes" /* in place of a shared object */

extern const struct foresee_actor_system fore_node_system;
extern const struct foresee_propositions fore_node_propositions;

/* What to run stands in the harness, in comments that begin with `#!`: see fore_workload_write.
 * `copies`: processes may be copied, not only led again from the start. */
enum fore_status fore_nodes_open(const char *file, const char *harness,
                                 double handler_seconds, bool copies,
                                 struct fore_err *e) FORE_MUST_USE;
/* What the processes did so far; nothing, if there are none. */
struct fore_trail_counts fore_nodes_count(void);
/* From now on `hear` is called with what nodes write to their standard error in each step, while it
 * is taken; NULL: nobody listens. For one thread. */
void fore_nodes_listen(void (*hear)(const char *text, void *user), void *user);
/* Forgets all steps, and ends all processes: later steps are done by new ones. */
void fore_nodes_forget(void);
/* The next step of a process is taken in a debugger, whose command this is. */
void fore_nodes_debug(const char *debugger);
/* The service that an actor of this number is, or NULL. */
const char *fore_nodes_service_name(int64_t id);
/* Before propositions are asked of nodes in some state: what a service of this role knows in it. */
void fore_nodes_see_service(uint32_t role, const void *state);
/* Ends all processes. */
void fore_nodes_close(void);
#endif
