/* From a finding's witness to a schedule for the program, and back: did the program do what the
 * witness says? Built on the finding alone: its rule, its witness, whom that expects to wait. */
#ifndef FORE_EXPLORE_WITNESS_H
#define FORE_EXPLORE_WITNESS_H

#include "explore/program/rerun.h"
#include "finding/finding.h"

/* Only a part of the program is run again, as one test of several: threads at or below `from` are
 * below `to` then, and others are not there. NULL: all are where they were. */
struct fore_moved {
    const char *from, *to;
};

/* Is the text a schedule already, as of a failure that was explored? */
bool fore_witness_is_schedule(const char *text);

/* The schedule for a program of `foresee cc` or `foresee go`. `recorded`: only what a specification
 * asked for was recorded, so that the program does more than the witness says. */
void fore_witness_schedule(const struct fore_finding *x, const struct fore_trace *witness,
                           bool recorded, struct fore_moved moved,
                           struct fore_strbuf *out);
/* The creation path that a thread of the witness has in the run; nothing if it is not there. */
void fore_witness_path(const struct fore_finding *x, const struct fore_trace *witness,
                       struct fore_moved moved, uint32_t thread, struct fore_strbuf *out);
/* Which of the cases that `pre` announces the event is; -1: none. */
int fore_witness_case(const struct fore_trace *t, const struct fore_event *pre,
                      const struct fore_event *e);

/* Did it come true, as far as the outcome of the run can tell? Blocked threads are blocked, racing
 * accesses stood at their points at once. NO, with the reason, if not; UNKNOWN if something
 * else has to be asked (the monitor of a property). */
enum fore_truth fore_witness_came_true(const struct fore_finding *x,
                                       const struct fore_trace *witness,
                                       struct fore_moved moved,
                                       const struct fore_outcome *o,
                                       struct fore_strbuf *reason);

/* The two that should have raced stood at accesses to different objects. */
bool fore_witness_stood_apart(const struct fore_outcome *o);

#endif
