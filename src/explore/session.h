/* An exploration in a supervised child. The system's code runs only there: when it crashes or
 * never returns, the child is lost, and the parent says which handler it was and on which
 * schedule. Results come back as text and numbers. */
#ifndef FORE_EXPLORE_SESSION_H
#define FORE_EXPLORE_SESSION_H

#include "actor/find.h"
#include "base/progress.h"
#include "explore/walk.h"
#include "finding/finding.h"

struct fore_session {
    struct fore_found subject;
    const struct fore_scheduler *const *schedulers;
    size_t scheduler_count;
    struct fore_explore_options options; /* its `scheduler` is ignored */
    uint64_t walks; /* walks of the random scheduler, if not bounded */
    size_t shrink_states;
    double handler_seconds; /* seconds after which a handler counts as looping */
    /* A schedule to follow and report instead of exploring, or NULL. */
    const char *script_file, *script;
    /* Where a search that is stopped leaves what it has still to do, or NULL; such a file. */
    const char *save_file, *resume_file, *resume;
    /* A schedule to start from, or NULL. */
    const char *from_file, *from;
    const char *mpi; /* the plug-in with which processes explore together, or NULL */
    bool ask;        /* after the script's end, ask on the terminal */
    /* Nodes only: the node whose last step is taken in this debugger; or 0. */
    int64_t debug_node;
    const char *debugger;
};

struct fore_session_row {
    const struct fore_scheduler *scheduler;
    bool compat;
    struct fore_row row;
    uint64_t unique, broken, check_ns;
    uint64_t history_classes, violating_classes;
    uint64_t class_fingerprint; /* below 2^52, so that JSON readers do not lose digits */
    uint64_t process_steps, process_steps_again, processes, copies; /* of nodes, so far */
    const char *no_copy; /* why processes of nodes were not copied, or NULL */
    const char *bound;   /* or NULL */
    const char *hint;    /* suggestion of something that would do better, or NULL */
    bool crossed;        /* history was not followed: only states and transitions count */
};

struct fore_session_result {
    struct fore_findings findings; /* its arena holds every text of the result */
    FORE_VEC(struct fore_session_row) rows;
    const char *told; /* of a script, or "" */
};

/* Release `r` even after an error: it may then hold the results until then. */
enum fore_status fore_session_run(const struct fore_session *x, struct fore_progress *p,
                                  struct fore_session_result *r,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_session_release(struct fore_session_result *r);

#endif
