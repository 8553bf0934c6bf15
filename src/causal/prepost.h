/* The first paper's vector clocks (definitions 16 and 17 [goscout]): for each communication
 * the clock that its thread had before it (pre) and the one it has after it (post).
 *
 * Here a thread's own entry begins at 1 and counts its communications and creations, so that
 * the numbers are the paper's. Other synchronisation (locks, conditions, …) counts as
 * communication; memory does if the mask asks for its edges. A wait that never ended has no
 * post. */
#ifndef FORE_CAUSAL_PREPOST_H
#define FORE_CAUSAL_PREPOST_H

#include "causal/pass.h"
#include "trace/trace.h"

struct fore_prepost_row {
    struct fore_event event; /* what was done, or the pre that nothing followed */
    uint64_t at;             /* its position in the trace */
    uint32_t index;          /* in its thread, from 1 */
    struct fore_stamp pre, post;
    bool committed;
};

struct fore_prepost {
    struct fore_clocks clocks;
    FORE_VEC(struct fore_prepost_row) rows; /* by thread, then in its order */
};

enum fore_status fore_prepost_build(struct fore_prepost *p, const struct fore_trace *t,
                                    unsigned mask, struct fore_err *e) FORE_MUST_USE;
void fore_prepost_release(struct fore_prepost *p);

#endif
