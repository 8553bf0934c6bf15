/* Decides whether foresee's time can be given to a node's program. */
#ifndef FORE_NODE_BINARY_H
#define FORE_NODE_BINARY_H

#include "node/process.h"

/* Looks into the executable, which is found as execvp does. If its time is real, `why` says in
 * words that follow the program's name what is the matter; else it is NULL. */
enum fore_node_time fore_binary_time(const char *argv0, const char **why);

#endif
