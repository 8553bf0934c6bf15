/* A node: somebody's program that reads messages from its standard input and writes messages to
 * its standard output, one JSON object in a line. Here it is lines; what they mean is not known.
 *
 * A step gives it one line, or lets its clock move on, and ends when the node is at rest: it has
 * read all there was, all its threads sleep, and nothing comes any more. */
#ifndef FORE_NODE_PROCESS_H
#define FORE_NODE_PROCESS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "node/home.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fore_node_clock;

/* Whose a node's time is. */
enum fore_node_time {
    FORE_TIME_REAL,    /* nobody's */
    FORE_TIME_LIBRARY, /* foresee's time, by the preload library */
    /* foresee's time, by Go's runtime: it is a program of `foresee go` */
    FORE_TIME_GO,
};

struct fore_node_command {
    char *const *argv;
    enum fore_node_time time;
    const char *preload; /* the library, or NULL */
    double seconds;      /* seconds of processor time that a step may take */
    uint64_t seed;
    bool no_copies; /* processes are not copied */
};

struct fore_process {
    pid_t pid;
    int in, out, err;
    int in_far; /* the other end of `in`, which tells whether all of it was read */
    int bell;   /* rings when its time has moved */
    int socket; /* takes what a copy is to have: see copy.h */
    struct fore_node_clock *clock;
    uint64_t seed, lives;    /* seed of its randomness; how often it was started */
    struct fore_strbuf rest; /* an unfinished line of its output */
    pid_t debugger;          /* the debugger attached to it, or 0 */
    uint64_t steps;          /* steps that it has taken since its first start */
    struct fore_home *home;
    char folder[FORE_HOME_PATH]; /* where its folder is now */
};

#define FORE_NODE_NEVER INT64_MAX
/* Names the folder that nodes' own folders are made in; the caller removes it. */
#define FORE_NODES_FOLDER "FORESEE_NODES_FOLDER"
/* Names the files that the processes of an MPI job share, without their endings. */
#define FORE_NODES_SHARED "FORESEE_NODES_SHARED"

/* What a step brought. */
struct fore_rest {
    struct fore_strbuf out, err; /* whole lines; what it wrote to its standard error */
    int64_t timer;          /* when its clock would wake it next, or FORE_NODE_NEVER */
    struct fore_strbuf why; /* not "": how it broke */
};

void fore_rest_release(struct fore_rest *r);

/* Starts it in a folder of its own that is made here. Its randomness follows from the seed, and
 * differs after each restart: two lives do not draw the same numbers. */
enum fore_status fore_process_start(struct fore_process *p,
                                    const struct fore_node_command *c, uint64_t seed,
                                    struct fore_err *e) FORE_MUST_USE;
/* Kills it and starts it again in its folder: what it wrote to files is still there. */
enum fore_status fore_process_restart(struct fore_process *p,
                                      const struct fore_node_command *c,
                                      struct fore_err *e) FORE_MUST_USE;
/* Gives it a line (without its end; NULL: none) and waits until it is at rest. */
void fore_process_feed(struct fore_process *p, const struct fore_node_command *c,
                       const char *line, struct fore_rest *r);
/* Attaches a debugger to it, on the terminal: `gdb -p PID`, or `dlv attach PID`. Its next step
 * is taken under the debugger, and lasts until that has ended. */
void fore_process_attach(struct fore_process *p, const char *debugger);
/* Sets the process' clock to this time, or later. */
void fore_process_wake(struct fore_process *p, int64_t when);
/* Kills it, with its children, and removes its folder. */
void fore_process_end(struct fore_process *p);

#endif
