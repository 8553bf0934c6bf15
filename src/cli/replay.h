/* Runs a program again on the schedule of a witness, and says whether it did what the witness
 * predicts. */
#ifndef FORE_CLI_REPLAY_H
#define FORE_CLI_REPLAY_H

#include "cli/launch.h"

struct fore_cli_replay {
    uint32_t steps, done; /* of the schedule; fewer done: the program departed from it */
    int status;           /* the program's */
    bool recorded;        /* it wrote a ring file: it is a program that can be forced */
    bool confirmed;
    bool timed_out;
    struct fore_strbuf outcome; /* who waits for what, or who panicked: one per line */
};

/* The schedule for csp/force.h, from the witness. */
void fore_replay_schedule(const struct fore_trace *witness, struct fore_strbuf *out);
/* The same for the text of a .trace. */
enum fore_status fore_replay_schedule_text(const char *witness, struct fore_strbuf *out,
                                           struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_cli_replay(struct fore_cli_replay *r, char *const *argv,
                                 const char *witness, bool silent, double seconds,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_cli_replay_release(struct fore_cli_replay *r);
/* Runs it and enters the result into the finding. */
enum fore_status fore_replay_finding(struct fore_findings *f, struct fore_finding *x,
                                     char *const *argv, bool silent, double seconds,
                                     struct fore_cli_replay *r,
                                     struct fore_err *e) FORE_MUST_USE;

#endif
