/* Reads the ring files of a running program and of its children: each is merged as it is
 * written, into a trace or into another sink. */
#ifndef FORE_CLI_RINGS_H
#define FORE_CLI_RINGS_H

#include "cli/cli.h"
#include "ring/merge.h"

#include <sys/types.h>

/* One ring file: one process. */
struct fore_ring_reader {
    char *path;
    int fd;
    char *base;
    size_t room; /* mapped; the file may still grow into it */
    /* the events that were read, unless the caller attached a sink */
    struct fore_trace trace;
    struct fore_trace_collector collector;
    struct fore_merge merge;
    uint64_t start_ns;
    uint32_t steps, steps_done; /* of a forced schedule */
    void *owner;                /* for the caller that attached a sink */
};

struct fore_rings {
    /* Gives the sink for the events of a new process, and the tables to fill; NULL on failure.
     * Without this function events are collected. */
    struct fore_sink *(*attach)(void *ctx, struct fore_ring_reader *r,
                                struct fore_tables **tables, struct fore_err *e);
    void *ctx;
    FORE_VEC(struct fore_ring_reader *) v;
};

/* Looks for new files in `folder` and reads on in the known ones; returns how many events came. */
uint64_t fore_rings_poll(struct fore_rings *r, const char *folder);
/* The program has ended: reads the rest. In the order in which the processes started. */
enum fore_status fore_rings_finish(struct fore_rings *r, const char *folder,
                                   struct fore_err *e) FORE_MUST_USE;
void fore_rings_release(struct fore_rings *r);

/* Writes into the ring files of a process that has ended how it ended, unless the process did so
 * itself. */
void fore_rings_tell_end(const char *folder, pid_t pid, int wait_status);

/* Reads the present header; false: it is no ring file, or not yet. */
bool fore_ring_header(const char *path, struct fore_ring_header *out);

/* The ring files of a folder, sorted; the caller frees names and vector. */
struct fore_paths {
    FORE_VEC(char *) v;
};
void fore_rings_list(const char *folder, struct fore_paths *out);
/* Lists the files of a folder whose names end in `ending`. */
void fore_paths_list(const char *folder, const char *ending, struct fore_paths *out);
void fore_paths_release(struct fore_paths *p);

#endif
