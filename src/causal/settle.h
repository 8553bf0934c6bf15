/* The observed order, settled: causes come before their effects, the two halves of an unbuffered
 * communication come one after the other (the send first), and a departure from a barrier comes
 * after all arrivals.
 *
 * A trace may show the halves apart and in either order, each thread having gone on; and one
 * that was written by hand may be grouped by thread. An event that comes too early (a half
 * without the other; a wait before its signal; a receive before its send, or before the close
 * that it found; a send into a full buffer; a wait for a group that is not done; a join with a
 * thread that has not begun) is held back, with all that depends on it by its thread or by an
 * object, until what it needs has happened. An event whose need is never met comes out at the
 * end. */
#ifndef FORE_CAUSAL_SETTLE_H
#define FORE_CAUSAL_SETTLE_H

#include "base/map.h"
#include "trace/trace.h"

/* The pointers are good until the next batch. */
struct fore_settled {
    const struct fore_event *event;
    const struct fore_case *cases;
    uint64_t at; /* position in the observed order */
};

struct fore_settle {
    enum fore_flow (*out)(void *ctx, const struct fore_settled *s);
    void *ctx;
    const struct fore_tables *tables;
    FORE_VEC(struct fore_held) held; /* slots; held.at[0] is none */
    FORE_VEC(uint32_t) spare;        /* free slots */
    FORE_VEC(uint32_t) ready;        /* slots to look at, in turn */
    FORE_VEC(struct fore_case) cases;
    FORE_VEC(struct fore_settle_barrier) barriers;
    FORE_VEC(struct fore_settle_object) objects;
    FORE_VEC(uint8_t) threads; /* enum thread_facts */
    struct fore_map queues;    /* thread or object -> first and last held */
    struct fore_map needs;     /* needed fact -> the last event that needs it */
    struct fore_map halves;    /* communication -> its held half */
    struct fore_map arrivals;  /* thread -> the round of its barrier */
    struct fore_map transit;   /* messages sent and not received */
    size_t count;              /* how many are held */
    uint64_t at;
    enum fore_flow flow;
};

void fore_settle_init(struct fore_settle *s,
                      enum fore_flow (*out)(void *ctx, const struct fore_settled *s),
                      void *ctx);
void fore_settle_release(struct fore_settle *s);
enum fore_flow fore_settle_push(struct fore_settle *s, const struct fore_batch *b);
enum fore_flow fore_settle_end(struct fore_settle *s);

/* Puts the events of a trace into that order, once; passes over the trace then take them as they
 * are. */
void fore_trace_settle(struct fore_trace *t);

/* Is this half of a communication over an unbuffered channel? */
static inline bool fore_is_half(const struct fore_tables *t, const struct fore_event *e)
{
    return (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) &&
           !(e->flags & FORE_F_CLOSED) && !t->objects.at[e->object].capacity;
}

/* And are these two events the two halves of one? */
static inline bool fore_is_pair(const struct fore_event *send,
                                const struct fore_event *recv)
{
    return send->kind == FORE_EV_SEND && recv->kind == FORE_EV_RECV &&
           send->object == recv->object && recv->a == send->thread && recv->b == send->a;
}

#endif
