/* Turns a group of pairs into a finding: places, words, and the witness as a run. */
#ifndef FORE_ANALYSIS_CHANNEL_COMM_FINDING_H
#define FORE_ANALYSIS_CHANNEL_COMM_FINDING_H

#include "analysis/channel/groups.h"
#include "finding/finding.h"

struct fore_comm_teller {
    const struct fore_comm *c;
    struct fore_reach *reach;
    struct fore_findings *out;
    FORE_VEC(uint32_t)
    index;          /* event -> its position within its thread, as far as was asked for */
    uint32_t *next; /* thread -> how many of its events are among these */
};

void fore_comm_tell_release(struct fore_comm_teller *t);
enum fore_status fore_comm_tell(struct fore_comm_teller *t,
                                const struct fore_comm_group *g,
                                struct fore_err *e) FORE_MUST_USE;

#endif
