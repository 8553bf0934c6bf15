/* Many runs of a Go program's tests in one process: capture/go/hooks/turn_runs.go. It goes on until a run
 * fails, or leaves something behind; that one is to be run again, in a process of its own. */
#ifndef FORE_EXPLORE_SERIES_H
#define FORE_EXPLORE_SERIES_H

#include "explore/program/rerun.h"

/* Which runs, and how. */
struct fore_series_plan {
    uint64_t first, step, last; /* numbers */
    uint64_t seed;
    const char *options;    /* lines for the schedule */
    const char *strategies; /* lines: "then random 0\n"... */
};

struct fore_series {
    struct fore_rerun program;
    uint64_t done; /* number of runs of this process that were reported to the caller */
};

enum fore_status fore_series_open(struct fore_series *b, const struct fore_rerun_how *how,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_series_close(struct fore_series *b);
enum fore_status fore_series_begin(struct fore_series *b,
                                   const struct fore_series_plan *plan,
                                   struct fore_err *e) FORE_MUST_USE;
/* Waits for at most that long, and calls `each` with the class of each run that is over; true:
 * the process has ended. */
bool fore_series_look(struct fore_series *b, int ms,
                      void (*each)(void *ctx, uint64_t class), void *ctx);
/* Ends it. */
void fore_series_stop(struct fore_series *b);
/* For a process that has ended: why, and how its last run went. */
const struct fore_outcome_runs *fore_series_told(const struct fore_series *b);

#endif
