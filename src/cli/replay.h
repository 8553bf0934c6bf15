/* Runs a program again on the schedule of a witness, and says whether it did what the witness
 * predicts. */
#ifndef FORE_CLI_REPLAY_H
#define FORE_CLI_REPLAY_H

#include "cli/launch.h"

struct fore_cli_replay {
    /* number of steps of the schedule; fewer done: the program departed from it */
    uint32_t steps, done;
    int status;    /* the program's */
    unsigned seed; /* seed for the run after the schedule; 0: none */
    bool recorded; /* it wrote a ring file, so it is a program that can be forced */
    bool confirmed;
    bool timed_out;
    /* the threads that wait, and for what, or that panicked: one per line */
    struct fore_strbuf outcome;
};

/* Writes the schedule for csp/force.h, from the finding's witness. */
enum fore_status fore_replay_schedule(const struct fore_finding *x,
                                      struct fore_strbuf *out,
                                      struct fore_err *e) FORE_MUST_USE;
void fore_cli_replay_release(struct fore_cli_replay *r);
/* Runs it and enters the result into the finding. */
enum fore_status fore_replay_finding(struct fore_findings *f, struct fore_finding *x,
                                     char *const *argv, bool silent, double seconds,
                                     struct fore_cli_replay *r,
                                     struct fore_err *e) FORE_MUST_USE;

#endif
