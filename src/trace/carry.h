/* Cuts a run into parts, and carries the state from each part to the next, so that each part can
 * be read as a trace by itself.
 *
 * A part after the first begins with the locks that are held and the units that semaphores have.
 * Everything in it comes after that, as if it had been read from something outside. A thread
 * that waits for a condition since an earlier part is woken the same way. An event that only
 * ends a wait for something earlier (the first step of a thread that was created, a join of one
 * that had ended, a once that was done) is left out.
 *
 * So every order between two events of a part is an order of the run, and every run of a part,
 * behind the parts before as they were, is a run of the program. Operations (invoke, return) are
 * in the first part only. */
#ifndef FORE_TRACE_CARRY_H
#define FORE_TRACE_CARRY_H

#include "trace/trace.h"

struct fore_carried_hold {
    uint32_t thread, lock, where;
    bool shared;
};

struct fore_carried_thread {
    bool signalled, ended;         /* in an earlier part */
    bool signalled_now, ended_now; /* in this one */
    bool seen;                     /* in this part */
    bool asleep;                   /* since an earlier part */
    bool told;                     /* in this part, that it waits for the condition */
    uint32_t cond, lock, where;    /* of the condition that it waits for; 0: none */
};

/* What a channel or a wait group has. */
struct fore_carried_state {
    uint32_t object, kind; /* enum fore_object_kind */
    /* the number of its first message, and how many it has; or what a wait group counts */
    uint64_t first, count;
    bool closed;
};

struct fore_carry {
    uint64_t part; /* 0 is the first */
    FORE_VEC(struct fore_carried_hold) holds;
    FORE_VEC(struct fore_carried_thread) threads;
    struct fore_map semaphores; /* object -> what it has */
    struct fore_map onces;      /* done in an earlier part, 2: in this one */
    /* object -> how many have departed << 32 | how many there are */
    struct fore_map barriers;
    struct fore_map places;                     /* those that were met in this part */
    FORE_VEC(struct fore_carried_state) states; /* when the part began */
    FORE_VEC(uint32_t) idle; /* threads that do nothing in the part, and have not ended */
    uint32_t earlier, wakes; /* things outside that stand for the earlier parts */
    bool begins;             /* objects with state to carry */
    FORE_VEC(struct fore_event) out;
};

void fore_carry_release(struct fore_carry *c);
/* For a run of which only the last part is known: enters the state at its beginning (held locks,
 * threads that waited for a condition, created threads, onces that were done, channels and wait
 * groups). Then fore_carry_begin makes the events with which the part begins. */
void fore_carry_hold(struct fore_carry *c, struct fore_carried_hold hold);
void fore_carry_sleeper(struct fore_carry *c, uint32_t thread, uint32_t cond,
                        uint32_t lock, uint32_t where);
/* `idle`: the thread still runs, but nothing that it does is known. */
void fore_carry_created(struct fore_carry *c, uint32_t thread, bool idle);
void fore_carry_once(struct fore_carry *c, uint32_t once);
void fore_carry_state(struct fore_carry *c, struct fore_carried_state state);
struct fore_batch fore_carry_begin(struct fore_carry *c, struct fore_tables *t);
/* Gives those events of a batch that belong into the part; good until the next call. */
struct fore_batch fore_carry_events(struct fore_carry *c, struct fore_tables *t,
                                    const struct fore_batch *b);
/* Can a part end here? Not while some threads have left a barrier at which others have yet to
 * arrive. */
bool fore_carry_may_end(const struct fore_carry *c);
/* Makes the events that end a part: threads that wait for a condition still wait. */
struct fore_batch fore_carry_end(struct fore_carry *c, const struct fore_tables *t);
/* Begins the next part. If `moved` is not NULL the tables begin anew, and it says what became of
 * the objects. Makes the events with which the part begins. */
struct fore_batch fore_carry_next(struct fore_carry *c, struct fore_tables *t,
                                  struct fore_map *moved);

#endif
