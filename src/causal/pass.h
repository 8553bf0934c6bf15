/* The happens-before order of a trace, by one streaming pass for a chosen mask of edges.
 *
 * The pass is a sink. It gives every event a time, counted along its thread, and the
 * clock of what happened before it, and hands both to a visitor, in an order that agrees
 * with the one it computes (the observed one, but that the halves of an unbuffered
 * communication come together). Nothing is kept that later events cannot need.
 *
 *   program    along a thread; always on, since clocks count along it
 *   fork       signal or spawn -> the first event of the new thread
 *   join       the last event of a thread -> join
 *   channel    unbuffered: the halves of a communication happen together. Buffered: send
 * -> its receive, and the k-th receive -> the (k + capacity)-th send. close -> what finds
 * the channel closed lock       unlock -> the next lock; readers among themselves are not
 * ordered condition  signal -> woken (a signal that does not say whom: all that waited),
 * release -> acquire of a semaphore, all arrivals -> all departures of a barrier, once,
 *              done -> wait of a wait group, arm -> fire of a timer
 *   memory     two accesses of a place, at least one of which writes, in the observed
 * order atomic     release -> the acquire that reads from it, release sequences, fences
 *   message    send -> receive of an actor's message
 *   outside    what went out -> what came in, from the same thing, later */
#ifndef FORE_CAUSAL_PASS_H
#define FORE_CAUSAL_PASS_H

#include "causal/clock.h"
#include "trace/sink.h"

#define FORE_EDGE_LIST(X)                                                                \
    X(PROGRAM, "program")                                                                \
    X(FORK, "fork")                                                                      \
    X(JOIN, "join")                                                                      \
    X(CHANNEL, "channel")                                                                \
    X(LOCK, "lock")                                                                      \
    X(CONDITION, "condition")                                                            \
    X(MEMORY, "memory")                                                                  \
    X(ATOMIC, "atomic")                                                                  \
    X(MESSAGE, "message")                                                                \
    X(OUTSIDE, "outside")

enum fore_edge_kind {
#define X(name, text) FORE_EDGE_##name##_KIND,
    FORE_EDGE_LIST(X)
#undef X
        FORE_EDGE_KINDS
};

enum fore_edges {
#define X(name, text) FORE_EDGE_##name = 1 << FORE_EDGE_##name##_KIND,
    FORE_EDGE_LIST(X)
#undef X
        FORE_EDGES_ALL = (1 << FORE_EDGE_KINDS) - 1,
    FORE_EDGES_RACE = FORE_EDGES_ALL & ~FORE_EDGE_MEMORY,
    FORE_EDGES_DEADLOCK = FORE_EDGES_ALL & ~FORE_EDGE_LOCK,
};

const char *fore_edge_name(enum fore_edge_kind kind);
/* 0 if there is no edge of that name. */
unsigned fore_edge_named(const char *name, size_t n);

/* One event with its place in the order. `past` is borrowed: keep it if you need it longer. */
struct fore_moment {
    const struct fore_event *event;
    const struct fore_case *cases; /* what F_CASES events index */
    uint64_t at;                   /* position in the observed order, from 0 */
    uint32_t index;                /* the thread's index-th event, from 1 */
    struct fore_stamp stamp;       /* with every event ticking, stamp.time == index */
};

/* Does the event count, and is it counted before or after others learn of it? */
enum fore_tick { FORE_TICK_NONE, FORE_TICK_BEFORE, FORE_TICK_AFTER };

enum fore_results {
    FORE_RESULTS_NONE,
    FORE_RESULTS_PLAIN, /* but not what atomic reads see */
    FORE_RESULTS_ALL,
};

struct fore_pass_options {
    unsigned mask; /* of enum fore_edges */
    enum fore_flow (*visit)(void *ctx, const struct fore_moment *m);
    enum fore_status (*end)(void *ctx, const struct fore_trace_end *end,
                            struct fore_err *e);
    /* NULL: every event counts, before. Otherwise times count these only, from `first`.
     */
    enum fore_tick (*tick)(void *ctx, const struct fore_event *e);
    uint32_t first;
    /* Also add the edges that results depend on: from a write to the reads that see it, from the
     * taking of a lock to the attempt that fails. These are learnt after the event was shown: it
     * is still compared without them, but everything after it depends on them. */
    enum fore_results results;
    /* An acquisition of a semaphore learns only of releases without which there would be too few units for it and for those before
     * it: not of all earlier ones. */
    bool units;
    void *ctx;
};

struct fore_pass;

/* The clocks that it gives out live in `clocks`. */
struct fore_pass *fore_pass_new(struct fore_clocks *clocks,
                                const struct fore_pass_options *options);
void fore_pass_free(struct fore_pass *p);
struct fore_sink *fore_pass_sink(struct fore_pass *p);

#endif
