/* Definitions 11 to 13 of [goscout], word for word: every replay is enumerated, and in every
 * state that one reaches every two operations are tried. Shares no code with foresee but the
 * record of an event. */
#ifndef FORE_TESTS_ORACLE_NAIVE_H
#define FORE_TESTS_ORACLE_NAIVE_H

#include "trace/trace.h"

/* Operations are named by (thread, event): the index of their pre in the trace. */
struct naive_pair {
    uint32_t rule; /* 'a'lternative, 's'end or 'r'eceive after close */
    uint32_t chan, a, b;
};

struct naive {
    FORE_VEC(struct naive_pair) pairs; /* sorted, each once */
    uint64_t schedules;
    bool too_big;
};

void naive_run(struct naive *n, const struct fore_trace *t);
void naive_release(struct naive *n);

#endif
