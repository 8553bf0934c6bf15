/* `foresee explore --nodes N -- CMD`: unmodified node processes as an actor system. */
#ifndef FORE_CLI_EXPLORE_NODES_H
#define FORE_CLI_EXPLORE_NODES_H

#include "actor/find.h"
#include "cli/cli.h"

#define FORE_EXPLORE_NODES_OPTIONS                                                       \
    {"nodes", 0, "N",                                                                    \
     "explore N processes of CMD, a node that speaks JSON on its standard "              \
     "input and output"},                                                                \
        {"no-copies", 0, NULL,                                                           \
         "nodes: start processes anew and lead them to a state, do not copy them"},      \
    {                                                                                    \
        "workload", 0, "W",                                                              \
            "what clients ask of nodes: echo, unique-ids, broadcast, g-set, "            \
            "g-counter, pn-counter, lin-kv (default), lin-register; --harness "          \
            "FILE for your own"                                                          \
    }

/* Writes the harness with the command, beside the findings, and says where it is. */
enum fore_status fore_explore_nodes(struct fore_cli *c, struct fore_arena *a,
                                    struct fore_found *subject,
                                    struct fore_err *e) FORE_MUST_USE;
/* Makes an error in the written harness one in the user's own file. */
void fore_nodes_own_error(struct fore_cli *c, const struct fore_found *subject,
                          struct fore_err *e);
/* Makes, and removes, a folder for the files of nodes and names it in the environment. It is in
 * memory if possible, because a node that waits for the disk waits long. */
void fore_nodes_folder_make(char folder[64]);
void fore_nodes_folder_remove(const char *folder);
/* Names in the environment the files by which the processes of an MPI job tell each other what
 * nodes did. The job's first process removes them. */
void fore_nodes_share(void);
void fore_nodes_unshare(void);

#endif
