/* A trace as a program that can be run again, in another order.
 *
 * Each thread may take any prefix of what it recorded. A thread that gets another result than it
 * recorded (another message, another case of a select, another value, a lock that it had not
 * obtained) is off the trace from then on: it may have branched, so none of its later operations
 * may happen. It keeps what it holds.
 *
 * A strict machine takes only steps that the *program* must be able to take, by the rules of
 * "When a finding may be called predicted" (docs/theory/verdicts.md): a thread differs when an
 * operation has other direct predecessors than the recorded ones and memory was not seen, or
 * when it gets another value; from the first event where that may decide, it is off the trace.
 * What a lax machine can do and a strict one cannot is possible, not predicted.
 *
 * The whole state is one array of words, with a trail of what they were before: a step and its
 * undoing cost what they change. Its size is that of the threads and objects, not of the trace.
 *
 * `default` may be taken unless a case is ready for certain (a closed channel, a buffer that is
 * not full or not empty): a partner that has announced itself need not have arrived yet. */
#ifndef FORE_MACHINE_MACHINE_H
#define FORE_MACHINE_MACHINE_H

#include "machine/program.h"

enum fore_act {
    FORE_ACT_OP,      /* does an operation that is not about channels, or a close */
    FORE_ACT_ARRIVE,  /* arrives at a barrier; as a writer, keeps further readers out */
    FORE_ACT_SYNC,    /* `thread` sends to `other` */
    FORE_ACT_PUT,     /* sends into a buffer */
    FORE_ACT_TAKE,    /* receives from a buffer */
    FORE_ACT_CLOSED,  /* receives from a closed channel */
    FORE_ACT_DEFAULT, /* default or timeout */
    FORE_ACT_PANIC,   /* sends on a closed channel, closes it again, wait group below 0 */
};

/* One step of one thread, or of two. `at` and `other_at` are the case that each one takes.
 * CSIGNAL: `other` is the thread that it wakes, 0 if none waits. */
struct fore_move {
    uint32_t thread, other;
    uint16_t act;
    uint16_t at, other_at;
};

struct fore_moves {
    FORE_VEC(struct fore_move) list;
};

enum fore_thread_flags {
    FORE_T_STARTED = 1 << 0,
    FORE_T_OFF = 1 << 1,      /* off the trace */
    FORE_T_ARRIVED = 1 << 2,  /* waits at a barrier, or as a writer */
    FORE_T_WAITING = 1 << 3,  /* waits for a condition, not woken yet */
    FORE_T_WOKEN = 1 << 4,    /* waits for a condition: woken, and wants its lock back */
    FORE_T_PANICKED = 1 << 5, /* off the trace by a panic */
    FORE_T_DIFFERS = 1 << 6,  /* it knows something else than in the recorded run */
    FORE_T_OVERTAKEN =
        1 << 7, /* it may have read something else, where that was not recorded */
};

struct fore_saved {
    uint32_t at, was;
};

struct fore_undo_frame {
    size_t trail;
    uint64_t print;
};

struct fore_machine {
    const struct fore_program *p;
    uint32_t *w;          /* the state: see layout.h */
    uint32_t words, loud; /* words below `loud` count for the fingerprint */
    uint32_t objects_at, queues_at, ledger_at, lists_at, offers_at, waiters_at;
    uint32_t *queue; /* channel -> first word of its queue */
    uint32_t *slot;  /* thread -> its first offer */
    uint32_t *offer_thread;
    FORE_VEC(struct fore_saved) trail;
    FORE_VEC(struct fore_undo_frame) frames;
    uint64_t print;
    bool forgetful; /* steps cannot be undone: the trail is not kept */
    bool unlisted;  /* the lists of offers are not kept: see fore_machine_forget */
    bool lenient;   /* default may be taken even if a case is ready: see replay.h */
    bool believed;  /* that was so */
    bool strict;
    bool ledger; /* the ledger is kept */
    uint32_t
        *learn; /* gets the causes of each operation that is done; NULL: not wanted */
};

void fore_machine_init(struct fore_machine *m, const struct fore_program *p);
/* Makes a strict machine. The program's causes must be known (fore_run_replay). */
void fore_machine_init_strict(struct fore_machine *m, const struct fore_program *p);
void fore_machine_release(struct fore_machine *m);
/* For long runs in one direction: from now on no step can be undone, and no caller may ask for
 * moves until fore_machine_list. */
void fore_machine_forget(struct fore_machine *m);
void fore_machine_list(struct fore_machine *m);
/* Keeps the lists from now on, and steps can be undone again. */
static inline void fore_machine_remember(struct fore_machine *m)
{
    fore_machine_list(m);
    m->forgetful = false;
}

/* Says whether the step can be taken now; takes it (it must be possible); takes it back. */
bool fore_machine_can(const struct fore_machine *m, struct fore_move v);
void fore_machine_step(struct fore_machine *m, struct fore_move v);
void fore_machine_undo(struct fore_machine *m);

/* Appends the steps that the thread can take now. A rendezvous is listed with the sender, and
 * with the receiver too if `both`. */
void fore_machine_moves(const struct fore_machine *m, uint32_t thread, bool both,
                        struct fore_moves *out);
/* The step that does the thread's next operation as it was recorded, if it can be taken now. */
bool fore_machine_recorded(const struct fore_machine *m, uint32_t thread,
                           struct fore_move *out);
/* Takes the thread's next operation as it was recorded, if that is possible now. */
bool fore_machine_follow(struct fore_machine *m, uint32_t thread, struct fore_move *out);
/* Would every thread that takes part in the step stay on the trace? */
bool fore_machine_faithful(const struct fore_machine *m, struct fore_move v);

/* Equal for two states in which nothing observable differs. */
static inline uint64_t fore_machine_fingerprint(const struct fore_machine *m)
{
    return m->print;
}

/* The thread's next operation; FORE_NO_OP when it has none left or is not on the trace. */
uint32_t fore_machine_next(const struct fore_machine *m, uint32_t thread);
unsigned fore_machine_flags(const struct fore_machine *m, uint32_t thread);
/* May the thread leave its wait for a condition, as soon as it gets the lock? It was woken, or
 * it woke without a signal in the recorded run. */
bool fore_machine_wakes(const struct fore_machine *m, uint32_t thread, uint32_t op);
/* How many of its operations the thread has done. */
uint32_t fore_machine_done(const struct fore_machine *m, uint32_t thread);
/* Has the thread an operation left, but no step? (Not for threads off the trace.) */
bool fore_machine_blocked(const struct fore_machine *m, uint32_t thread);
bool fore_machine_ended(const struct fore_machine *m, uint32_t thread);

uint32_t fore_machine_owner(const struct fore_machine *m, uint32_t lock); /* 0: none */
bool fore_machine_closed(const struct fore_machine *m, uint32_t chan);
uint32_t fore_machine_queued(const struct fore_machine *m, uint32_t chan);
/* The i-th send in a buffer, counted from 0, beginning with the first to be taken; FORE_NO_OP:
 * there are fewer. */
uint32_t fore_machine_message(const struct fore_machine *m, uint32_t chan, uint32_t i);
uint32_t fore_machine_head(const struct fore_machine *m, uint32_t chan);

/* What the thread waits for, in words: "to receive from x", "for lock m, held by thread 3". */
void fore_machine_why(const struct fore_machine *m, uint32_t thread,
                      struct fore_strbuf *out);

#endif
