/* How a run ended badly, if it did: what the program showed by itself. */
#ifndef FORE_EXPLORE_FAILURE_H
#define FORE_EXPLORE_FAILURE_H

#include "explore/program/rerun.h"
#include "finding/finding.h"

struct fore_failure {
    const char *rule; /* NULL: it ended well */
    struct fore_strbuf message;
    uint64_t hash; /* the same bug, as far as can be told */
};

#define FORE_FAILURE_INIT                                                                \
    {                                                                                    \
        .message = FORE_STRBUF_INIT                                                      \
    }

/* Of the run that is over. A run that took too long has none. */
void fore_failure_of(const struct fore_rerun *p, struct fore_failure *out);
void fore_failure_release(struct fore_failure *x);
/* As a finding, with its places and without a witness. */
struct fore_finding *fore_failure_finding(const struct fore_rerun *p,
                                          const struct fore_failure *x,
                                          enum fore_verdict verdict,
                                          struct fore_findings *f);
/* The same of two accesses that stood at their points at once. */
void fore_failure_of_race(const struct fore_outcome *o, const struct fore_outcome_race *r,
                          struct fore_failure *out);
struct fore_finding *fore_failure_race_finding(const struct fore_outcome *o,
                                               const struct fore_outcome_race *r,
                                               const struct fore_failure *x,
                                               struct fore_findings *f);

#endif
