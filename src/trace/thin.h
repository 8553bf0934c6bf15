/* A long trace in few events: without the empty sections of locks, in which a thread does
 * nothing that is recorded; only its end is whole.
 *
 * A thread in an empty section always leaves it. So in no order of the operations do threads
 * wait for each other at a lock all of whose sections are empty, and a search for such waits
 * finds them in the thin trace. Their verdict is another question, because the sections order
 * operations that were not recorded: it can be answered for the end of the trace, if everything
 * before that stays as it was. */
#ifndef FORE_TRACE_THIN_H
#define FORE_TRACE_THIN_H

#include "base/vec.h"
#include "trace/event.h"

struct fore_thin_thread {
    uint32_t where; /* of its first event that has a place */
    /* a section that may turn out to be empty: its events so far */
    struct fore_event section[2];
    uint32_t at[2];          /* and their positions */
    unsigned begun;          /* how many they are */
    uint64_t kept, left_out; /* events */
    uint64_t noted;          /* of the events left out, as many are in `gaps` */
    uint32_t gaps;           /* in the end: after its last event */
};

/* Before the thread's kept event number `kept`, that many in all are left out. */
struct fore_thin_gap {
    uint32_t thread;
    uint64_t kept, left_out;
};

enum {
    FORE_THIN_END = 1 << 11
}; /* events that are whole at the end, if no other number is asked for */

struct fore_thin {
    size_t end; /* how many events at the end are whole, at least */
    size_t
        wanted; /* how many should be, as an analysis asks; 0: they are enough, or more would not
                 * help */
    FORE_VEC(struct fore_event) events; /* of the whole trace, once it has ended */
    FORE_VEC(uint32_t) at;              /* and their positions in it */
    size_t seen;                        /* events that were made thin */
    FORE_VEC(struct fore_event) ending; /* the same, but whole from `fixed` on */
    size_t fixed, before; /* of those before, as many as in `events` come first */
    uint64_t steps;       /* operations that are left out, all before `fixed` */
    bool spoiled; /* it is of no use: a lock was left out that also has other sections */
    uint64_t sections;                  /* that are left out so far */
    FORE_VEC(struct fore_event) recent; /* that are still whole */
    FORE_VEC(struct fore_thin_thread) threads;
    FORE_VEC(uint8_t) locks; /* by object: whether its sections are left out, or kept */
    FORE_VEC(struct fore_thin_gap) gaps; /* of `ending`; then by thread */
    bool ended;
};

/* Begins with these events; the use of all their locks is known by then. `end` is as in the
 * struct. */
void fore_thin_begin(struct fore_thin *x, size_t end, const struct fore_event *e,
                     size_t n);
/* Where they are now. */
struct fore_event *fore_thin_add(struct fore_thin *x, const struct fore_event *e,
                                 size_t n);
/* The same for events of which the last FORE_THIN_END are enough, wherever the trace ends. They
 * have no cases. */
void fore_thin_pass(struct fore_thin *x, const struct fore_event *e, size_t n);
/* There are no more events. */
void fore_thin_finish(struct fore_thin *x);
void fore_thin_release(struct fore_thin *x);

/* The position in the trace of an event of `ending`; for a section that was not over there, that
 * of the end. */
size_t fore_thin_position(const struct fore_thin *x, size_t at);
/* How many events of the thread are left out before the event at this place among those of
 * `ending`. */
uint64_t fore_thin_left_out(const struct fore_thin *x, uint32_t thread, uint64_t at);

#endif
