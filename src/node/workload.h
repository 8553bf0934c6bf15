/* What clients ask of nodes, as a harness (docs/formats/harness.5) with the command that starts a
 * node in comments of its own:
 *
 *     #! workload lin-kv
 *     #! run ["./node", "--fast"]
 *     #! time go                 whose a node's time is: real, library, go
 *     #! preload PATH            the library that gives nodes our time
 *     #! seed 1 */
#ifndef FORE_NODE_WORKLOAD_H
#define FORE_NODE_WORKLOAD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "node/process.h"

#include <stdbool.h>
#include <stdint.h>

enum { FORE_NODES_MAX = 60 };

struct fore_workload {
    char *const *argv;
    enum fore_node_time time;
    const char *preload; /* or NULL */
    uint64_t seed;
    unsigned nodes;
    bool topology;      /* nodes are told who their neighbours are */
    bool sums;          /* what clients bring is added up */
    int64_t values[64]; /* that clients bring */
    size_t n_values;
    int64_t sum;
    const char *asked[64]; /* by operation: the message that asks */
    size_t n_asked;
};

struct fore_workload_want {
    const char *name,
        *file; /* of the harness: NULL, or one's own instead of the name's */
    unsigned nodes;
    char *const *argv;
    enum fore_node_time time;
    const char *preload;
    uint64_t seed;
};
/* The harness, whole. */
enum fore_status fore_workload_write(const struct fore_workload_want *want,
                                     struct fore_strbuf *out,
                                     struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_workload_read(struct fore_workload *w, struct fore_arena *a,
                                    const char *file, const char *text,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
