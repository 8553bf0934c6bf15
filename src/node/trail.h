/* Remembers what nodes did after which messages. A node counts as deterministic: its messages
 * follow from what it received, so each step of it need be done only once. A place on its trail
 * is a number that follows from what was received on the way there, the same in every run.
 *
 * A node that says what its state is (`question`) is at a place that follows from that instead:
 * all ways to the same state lead to the same place.
 *
 * A process that can be copied (copy.h) stays where it stands, and its copy takes the step. To
 * take a step from a place where no process stands, the copy of one that stands on the way there
 * is led on, or a new one is led there from the start; its output on the way must be the same as
 * before. Now and then a new process is used although a copy could be made: that shows nodes
 * that are not deterministic. */
#ifndef FORE_NODE_TRAIL_H
#define FORE_NODE_TRAIL_H

#include "node/process.h"

enum fore_node_input {
    FORE_INPUT_LINE,  /* a message */
    FORE_INPUT_TIMER, /* its clock has come to a time that it waits for */
    FORE_INPUT_CRASH, /* it is killed and starts again, with its files */
};

struct fore_trail_input {
    enum fore_node_input kind;
    const char *line;     /* of FORE_INPUT_LINE */
    int64_t when;         /* of FORE_INPUT_TIMER */
    const char *question; /* asks a node, after the step, what its state is; or NULL */
    bool aside;           /* no search goes on from where it leads */
};

/* One step of one node. */
struct fore_node_step {
    uint64_t from, to; /* places */
    struct fore_trail_input in;
    const char *out; /* lines */
    const char *err;
    const char *why; /* "" unless it broke */
    int64_t timer;   /* when it wants to be woken then, or FORE_NODE_NEVER */
};

struct fore_trails;
/* The lines of `hello` are the first that node `node` gets, also after a crash. */
struct fore_trails *fore_trails_new(const struct fore_node_command *c);
void fore_trails_free(struct fore_trails *t);
/* Other processes explore the same nodes, and tell each other their steps in this file. */
enum fore_status fore_trails_share(struct fore_trails *t, const char *path,
                                   struct fore_err *e) FORE_MUST_USE;

/* Where node `node` begins, before it has received anything. */
uint64_t fore_trail_start(struct fore_trails *t, unsigned node);
/* The step from a place with this input, which is done if it was not before. It is good as long
 * as the trails are. May be called by several threads. */
const struct fore_node_step *fore_trail_step(struct fore_trails *t, uint64_t from,
                                             const struct fore_trail_input *in);
/* The next step that a process takes is taken in a debugger (see fore_process_attach). */
void fore_trails_debug(struct fore_trails *t, const char *debugger);
/* What it took. */
struct fore_trail_counts {
    uint64_t steps;      /* that processes have taken */
    uint64_t again;      /* of them, to come to a place where others had been before */
    uint64_t processes;  /* that were started */
    uint64_t copies;     /* that were made of them */
    const char *no_copy; /* why one was not made, or NULL: "has threads" */
};
struct fore_trail_counts fore_trails_count(const struct fore_trails *t);

#endif
