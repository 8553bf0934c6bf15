/* Algorithm A [jmpax]: the causal order of the relevant events of a run. Entry j of an
 * event's clock is how many relevant events of thread j happened before it (for its own
 * thread: it included), so that e happened before f iff V(e)[thread of e] <= V(f)[thread
 * of e]. */
#ifndef FORE_CAUSAL_RELEVANT_H
#define FORE_CAUSAL_RELEVANT_H

#include "causal/pass.h"

struct fore_relevant_options {
    unsigned mask; /* FORE_EDGES_ALL is the paper's */
    bool (*relevant)(void *ctx, const struct fore_event *e); /* a pure function of e */
    /* The message to the observer. m->stamp is the clock: read entries with
     * fore_stamp_get, keep it with fore_clock_keep(clocks, m->stamp.past). */
    enum fore_flow (*deliver)(void *ctx, const struct fore_moment *m);
    enum fore_status (*end)(void *ctx, const struct fore_trace_end *end,
                            struct fore_err *e);
    void *ctx;
};

struct fore_relevant;

struct fore_relevant *fore_relevant_new(struct fore_clocks *clocks,
                                        const struct fore_relevant_options *options);
void fore_relevant_free(struct fore_relevant *r);
struct fore_sink *fore_relevant_sink(struct fore_relevant *r);

#endif
