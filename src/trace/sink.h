/* Producers of events push batches into a sink; consumers are sinks. Trace readers, live
 * captures and the explorer are sources; analyses and trace writers are sinks. */
#ifndef FORE_TRACE_SINK_H
#define FORE_TRACE_SINK_H

#include "base/err.h"
#include "trace/tables.h"

/* What a trace says beside its events. */
enum fore_expect_kind {
    FORE_EXPECT_BLOCKED,
    FORE_EXPECT_PANIC,
    FORE_EXPECT_VIOLATION,
    FORE_EXPECT_RACE, /* of two threads: their last steps, side by side */
};

struct fore_expect {
    enum fore_expect_kind kind;
    uint32_t subject; /* thread, or string id of a property's name */
};

struct fore_batch {
    const struct fore_tables *tables;
    const struct fore_event *events;
    size_t n;
    const struct fore_case *cases; /* what F_CASES events index */
    bool settled; /* causes come before their effects: see causal/settle.h */
};

enum fore_flow { FORE_CONTINUE, FORE_STOP };

/* What a source reports at its end. */
struct fore_trace_end {
    bool torn;     /* the input ended before it was complete */
    uint64_t lost; /* events known to be lost (after a tear, or dropped by a capture) */
    uint64_t unknown; /* records of kinds that this version does not know */
    const struct fore_expect *expects;
    size_t expect_count;
    /* Why the input is torn, with its place; or NULL. */
    const struct fore_err *why;
    /* After a tear: the number of events whose cause is missing from the trace (which would be
     * errors in a whole trace). */
    uint64_t doubts;
    const struct fore_tables *tables; /* as in a batch; may be NULL after one */
};

struct fore_sink {
    enum fore_flow (*events)(struct fore_sink *s, const struct fore_batch *b);
    enum fore_status (*end)(struct fore_sink *s, const struct fore_trace_end *end,
                            struct fore_err *e);
};

#endif
