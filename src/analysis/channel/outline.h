/* Decides about each channel of a long trace by the survey alone, and counts the alternatives of
 * channels with a single thread on one side. If that covers every channel, the machine need not
 * run the whole trace, only its head up to the examples. */
#ifndef FORE_ANALYSIS_CHANNEL_OUTLINE_H
#define FORE_ANALYSIS_CHANNEL_OUTLINE_H

#include "base/budget.h"
#include "trace/trace.h"

enum fore_outline_shape {
    FORE_OUTLINE_QUIET, /* the k-th send meets the k-th receive, whatever the order */
    FORE_OUTLINE_HUB,   /* one thread on one side, many on the other */
    FORE_OUTLINE_NOTED, /* it has alternatives, but nothing can come after its close: only notes */
    FORE_OUTLINE_OTHER, /* it needs the whole analysis */
};

/* Alternatives between two places. An example: a send and a receive, as events. */
struct fore_outline_group {
    uint32_t chan, where_send, where_receive;
    uint32_t send, receive;
    uint64_t count;
};

struct fore_outline {
    const struct fore_trace *t;
    const struct fore_survey *s;
    struct fore_survey own;
    FORE_VEC(uint32_t) hubs; /* channels */
    FORE_VEC(struct fore_outline_group) groups;
    size_t
        head; /* number of events of the trace that hold all examples, at least as many as asked
               * for */
    bool in_part; /* alternatives were not counted: notes are about those of the head */
};

/* False if some channel needs the whole analysis. `least` is the least head; `part`: notes may be about the head alone.
 * The trace may be brief: then false may also mean that more of it would be needed. */
bool fore_outline_make(struct fore_outline *o, const struct fore_trace *t, size_t least,
                       bool part, struct fore_budget *budget);
void fore_outline_release(struct fore_outline *o);

enum fore_outline_shape fore_outline_shape(const struct fore_outline *o, uint32_t chan);
/* In hub.c: fills `groups`; false if the events are not in an order in which causes come first. */
bool fore_outline_count(struct fore_outline *o, struct fore_budget *budget);

#endif
