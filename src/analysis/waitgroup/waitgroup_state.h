/* Internal to analysis/waitgroup: what its parts share.
 *
 *   waitgroup.c      what was done to each wait group, and what must have happened before
 *   pairs.c          which wait and which count-up meet at zero
 *   group_finding.c  the run that shows it, as a finding */
#ifndef FORE_ANALYSIS_WAITGROUP_WAITGROUP_STATE_H
#define FORE_ANALYSIS_WAITGROUP_WAITGROUP_STATE_H

#include "analysis/analysis.h"
#include "causal/pass.h"
#include "machine/closure.h"

/* One operation on a wait group. */
struct fore_wg_op {
    uint32_t group, thread;
    uint32_t at, time; /* position in the trace; the thread's time-th event */
    int64_t by;        /* what it adds; 0 for a wait */
    int64_t sum;       /* of these by its thread, itself included */
    /* Of a wait: when it began, since what ended it need not have happened; else its own. */
    struct fore_stamp stamp;
};

/* Operations of one thread on the current group: ops.at[first] .. ops.at[end - 1]. Its waits are
 * waits.at[wait] .. waits.at[wait_end - 1]; `add` and `last_add` are the first and the last that add,
 * NULL if none does. */
struct fore_wg_slice {
    uint32_t thread;
    size_t first, end, wait, wait_end;
    const struct fore_wg_op *add, *last_add;
};

struct fore_wg {
    const struct fore_trace *trace;
    struct fore_analysis_ctx *ctx;
    struct fore_run *observed;
    struct fore_clocks clocks;
    FORE_VEC(struct fore_stamp) last; /* thread -> at its last event so far */
    FORE_VEC(struct fore_wg_op) ops;  /* by group, thread, time */
    FORE_VEC(struct fore_wg_slice) slices;
    FORE_VEC(const struct fore_wg_op *) waits;
    FORE_VEC(uint32_t) adders;   /* slices in which something is added */
    FORE_VEC(uint32_t) slice_of; /* thread -> 1 + its slice of the current group */
    struct fore_map tests; /* pair of places in the source -> how many were looked at */
    uint64_t pairs, attempts, found;
    bool capped; /* some pairs, or some ways to zero, were not tried */
};

/* Looks for waits that can find their group at zero while a thread is about to count it up. */
enum fore_status fore_wg_pairs(struct fore_wg *g, struct fore_err *e);
/* Plays what the cut needs, then the wait, then the count-up; reports it if the machine can. */
enum fore_status fore_wg_tell(struct fore_wg *g, const struct fore_wg_op *wait,
                              const struct fore_wg_op *add, struct fore_clock cut,
                              bool *told, struct fore_err *e);

#endif
