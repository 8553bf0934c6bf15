/* Shared by the files of the pass, and by no others. */
#ifndef FORE_CAUSAL_PASS_STATE_H
#define FORE_CAUSAL_PASS_STATE_H

#include "causal/gather.h"
#include "causal/pass.h"
#include "causal/settle.h"

/* One per thread id, kept for ever, so it is small; fields that few threads need are in `more`. */
struct fore_pass_thread {
    struct fore_clock past;
    uint32_t time, index;
    uint32_t more; /* in fore_pass.more, 0: none */
    bool known;    /* the thread has been counted from options.first */
};

struct fore_pass_more {
    struct fore_gather wake; /* signals of conditions that will wake the thread */
    /* stamps that its relaxed loads read, for an acquire fence */
    struct fore_gather acquire;
    struct fore_stamp fence; /* its last release fence */
    uint64_t round;          /* of the barrier at which it arrived */
    bool arrived;            /* and has not left */
};

/* One per object id. A lock keeps its last unlock and the unlocks of readers; a place its last
 * write and the reads since; a channel its close; another object what was released. */
struct fore_pass_object {
    struct fore_stamp last;
    struct fore_gather many;
    uint32_t more; /* a channel, condition, barrier, atomic of the pass; 0: none */
};

struct fore_pass_message {
    uint64_t number;
    struct fore_stamp stamp;
};

/* A queue, first in first out, from `head` on. */
struct fore_pass_queue {
    FORE_VEC(struct fore_pass_message) v;
    size_t head;
};

struct fore_pass_channel {           /* a buffered one; of a semaphore, units */
    struct fore_pass_queue sent;     /* not yet received; number = message */
    struct fore_pass_queue received; /* number = k: this was the k-th */
    uint64_t sends, receives;        /* so far; k counts from 0 */
};

struct fore_pass_round {
    uint64_t number;
    struct fore_gather arrivals;
    uint64_t arrived, departed;
};

struct fore_pass_barrier {
    FORE_VEC(struct fore_pass_round)
    open; /* rounds that not every thread has left; the last one is filling up */
    uint64_t rounds; /* rounds that are complete, so the number of the next one */
    FORE_VEC(struct fore_settled) together; /* departures before the last arrival */
};

struct fore_pass_cond {
    FORE_VEC(uint32_t) waiting;
};

struct fore_pass_atomic {
    struct fore_gather
        head; /* the release sequence that a load reads from now; of a lock: takers */
};

struct fore_pass {
    struct fore_sink sink;
    struct fore_pass_options o;
    struct fore_clocks *clocks;
    struct fore_settle settle;
    const struct fore_tables *tables;
    FORE_VEC(struct fore_pass_thread) threads;
    FORE_VEC(struct fore_pass_more) more;
    FORE_VEC(struct fore_pass_object) objects;
    FORE_VEC(struct fore_pass_channel) channels;
    FORE_VEC(struct fore_pass_barrier) barriers;
    FORE_VEC(struct fore_pass_cond) conds;
    FORE_VEC(struct fore_pass_atomic) atomics;
    struct fore_map messages; /* actor message -> slot + 1 of `mail` */
    FORE_VEC(struct fore_stamp) mail;
    FORE_VEC(uint32_t) mail_spare;
    struct fore_gather nowhere; /* what went out to an unknown thing */
    /* a send whose receive comes next; kind NONE: there is none */
    struct fore_event half;
    uint64_t half_at;
    bool
        eager; /* every event counts: a clock that knows an event knows all that its thread knew */
    enum fore_flow flow;
};

/* Pointers to threads and objects are valid until the next call that asks for another one. */
struct fore_pass_thread *fore_pass_thread(struct fore_pass *p, uint32_t thread);
struct fore_pass_more *fore_pass_more(struct fore_pass *p, uint32_t thread);
struct fore_pass_object *fore_pass_object(struct fore_pass *p, uint32_t object);

/* The thread learns what the stamp, or the gathered stamps, knew. */
void fore_pass_learn(struct fore_pass *p, uint32_t thread, const struct fore_stamp *s);
void fore_pass_learn_all(struct fore_pass *p, uint32_t thread,
                         const struct fore_gather *g);
struct fore_stamp fore_pass_now(struct fore_pass *p, uint32_t thread);

/* Counts the event (FORE_TICK_BEFORE), shows it to the visitor, counts it (FORE_TICK_AFTER). */
enum fore_tick fore_pass_begin(struct fore_pass *p, const struct fore_event *e);
void fore_pass_visit(struct fore_pass *p, const struct fore_settled *s);

/* What the event learns before it is shown, and what it leaves behind afterwards. */
void fore_pass_memory_learn(struct fore_pass *p, const struct fore_event *e);
void fore_pass_memory_leave(struct fore_pass *p, const struct fore_event *e);
void fore_pass_channel_learn(struct fore_pass *p, const struct fore_event *e);
void fore_pass_channel_leave(struct fore_pass *p, const struct fore_event *e);
void fore_pass_units_learn(struct fore_pass *p, const struct fore_event *e);
void fore_pass_units_leave(struct fore_pass *p, const struct fore_event *e);
void fore_pass_sync_learn(struct fore_pass *p, const struct fore_event *e);
void fore_pass_sync_leave(struct fore_pass *p, const struct fore_event *e);
/* Both halves of a communication at once. */
void fore_pass_pair(struct fore_pass *p, const struct fore_settled *send,
                    const struct fore_settled *recv);
/* Handles a departure that comes before all arrivals are known: true if the pass took it. */
bool fore_pass_depart(struct fore_pass *p, const struct fore_settled *s);
void fore_pass_depart_rest(struct fore_pass *p);

#endif
