/* Describes how a run ended badly, if it did, by what the program itself showed. */
#ifndef FORE_EXPLORE_FAILURE_H
#define FORE_EXPLORE_FAILURE_H

#include "explore/program/rerun.h"
#include "finding/finding.h"

struct fore_failure {
    const char *rule; /* NULL: it ended well */
    struct fore_strbuf message;
    /* the test that it belongs to, and the place; or nothing */
    struct fore_strbuf test, place;
    struct fore_strbuf said; /* the program's last words; or nothing */
    uint64_t hash;           /* the same for the same bug, as far as can be told */
};

#define FORE_FAILURE_INIT                                                                \
    {                                                                                    \
        .message = FORE_STRBUF_INIT, .test = FORE_STRBUF_INIT,                           \
        .place = FORE_STRBUF_INIT, .said = FORE_STRBUF_INIT                              \
    }

/* Describes the run that is over. A run that took too long has no failure. */
void fore_failure_of(const struct fore_rerun *p, struct fore_failure *out);
/* For programs of one host, see struct fore_host. */
void fore_failure_of_c(const struct fore_rerun *p, const char *output,
                       struct fore_failure *out);
void fore_failure_of_go(const struct fore_rerun *p, const char *output,
                        struct fore_failure *out);
/* The test that ran last, by the output of a test binary. */
void fore_failure_test_of_go(const char *output, struct fore_strbuf *out);
/* file:line:column, without the current directory and without a column that is not known. */
void fore_failure_put_place(const char *place, size_t n, struct fore_strbuf *out);
void fore_failure_release(struct fore_failure *x);
/* Makes it a finding, with its places and without a witness. */
struct fore_finding *fore_failure_finding(const struct fore_rerun *p,
                                          const struct fore_failure *x,
                                          enum fore_verdict verdict,
                                          struct fore_findings *f);
/* The same for two accesses that stood at their points at once. */
void fore_failure_of_race(const struct fore_rerun *p, const struct fore_outcome_race *r,
                          struct fore_failure *out);
struct fore_finding *fore_failure_race_finding(const struct fore_outcome *o,
                                               const struct fore_outcome_race *r,
                                               const struct fore_failure *x,
                                               struct fore_findings *f);

/* The same for two threads that stood side by side as the schedule asked: one adds to a wait
 * group at zero, the other waits for it. False: they did not. */
bool fore_failure_of_meeting(const struct fore_outcome *o, struct fore_failure *out);
struct fore_finding *fore_failure_meeting_finding(const struct fore_outcome *o,
                                                  const struct fore_failure *x,
                                                  struct fore_findings *f);

#endif
