/* The state of an actor system along one path of an exploration: actors, pending messages,
 * and everything needed to take the last step back.
 *
 * A step receives one pending message. Only the receiver's state changes, so a step saves only
 * that. Messages are numbered in the order of sending along the path; pending ones form a list
 * in that order, from which a receive unlinks its message and into which the undo links it
 * back, so that neither copies the bag. */
#ifndef FORE_ACTOR_ACTORS_H
#define FORE_ACTOR_ACTORS_H

#include "actor/harness.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a message meets its receiver. All but the first are faults; each needs a budget.
 * A crash comes just before the receive: the actor has lost what does not survive.
 * A cut isolates one actor: further losses of messages from or to it cost nothing. */
enum fore_how {
    FORE_DELIVER,
    FORE_DROP,
    FORE_DUPLICATE,
    FORE_CRASH,
    FORE_CUT_FROM, /* lost because its sender is isolated */
    FORE_CUT_TO,   /* lost because its receiver is isolated */
    FORE_HOWS
};

struct fore_faults {
    uint32_t drop, duplicate, crash, partition; /* budgets per schedule */
};

/* The budget that `how` draws on; 0 for FORE_DELIVER. */
static inline uint32_t fore_faults_left(const struct fore_faults *f, enum fore_how how)
{
    const uint32_t left[FORE_HOWS] = {0,        f->drop,      f->duplicate,
                                      f->crash, f->partition, f->partition};
    return left[how];
}

struct fore_message {
    struct foresee_received r;
    uint64_t id;      /* its creation path: the same in every schedule that has it */
    uint64_t content; /* hash of kind, sender, receiver, fields */
    uint32_t sent_by, received_by; /* step number from 1; 0: at the start, not yet */
    uint32_t next, prev; /* the list of pending messages, in order of sending; 0 ends
                                    * it */
    uint32_t slot;       /* of the receiver */
    uint32_t ahead;      /* on a link that keeps order, the message before it, or 0 */
    int32_t op;          /* the operation that it invokes, or -1 */
};

struct fore_reply {
    uint32_t op, kind;
    bool repeated; /* the operation had been answered before: not part of the history */
    int64_t result;
};

struct fore_actor {
    int64_t id;
    uint32_t role, slot, children;
    bool shared;
    uint64_t hash; /* of id and state */
    char *state;
    size_t room;
    int64_t args[FORESEE_FIELDS];
};

struct fore_receipt {
    uint32_t msg, slot;
    enum fore_how how;
    int32_t op;        /* invoked by this step, or -1 */
    uint64_t answered; /* the operations that this step answered, as bits */
    /* its sends and replies: from these up to those of the next step */
    uint32_t first_sent, first_reply;
    uint32_t actors, children; /* counts before it */
    size_t undo;
    uint64_t bag, actors_hash, actor_hash;
};

enum fore_trouble {
    FORE_TROUBLE_NONE,
    FORE_TROUBLE_SYSTEM,   /* the system breaks the rules of include/foresee/actor.h */
    FORE_TROUBLE_REQUIRED, /* foresee_require did not hold */
};

/* Where a supervised child stands, in memory that its parent sees. */
#define FORE_WATCH_DEPTH 4096
struct fore_actor_watch {
    _Atomic uint64_t steps; /* odd while a handler runs */
    uint32_t kind, depth;
    int64_t actor;
    struct {
        uint32_t msg;
        uint32_t how;
    } path[FORE_WATCH_DEPTH];
};

struct fore_actors {
    struct foresee ctx; /* first: handlers get its address */
    const struct fore_system *sys;
    const struct fore_harness *harness;
    bool compat;
    struct fore_faults left;
    struct fore_actor_watch *watch; /* or NULL */
    FORE_VEC(struct fore_actor) actors;
    size_t rooms;                       /* slots that own a state buffer, >= actors.n */
    FORE_VEC(struct fore_message) msgs; /* msgs.at[0] is the list's head */
    FORE_VEC(struct fore_receipt) steps;
    FORE_VEC(struct fore_reply) replies;
    FORE_VEC(char) undo;
    FORE_VEC(int64_t) isolated;
    uint32_t pending;
    uint64_t bag, actors_hash; /* sums of hashes: independent of order */
    uint64_t invoked, answered;
    /* the step that runs, and how many messages it has sent: the ids of its sends are made of both */
    uint64_t parent, sends;
    enum fore_trouble trouble;
    struct fore_strbuf why;
};

#define FORE_MESSAGES_MAX 100000 /* along one path */

void fore_actors_init(struct fore_actors *w, const struct fore_system *s,
                      const struct fore_harness *h, bool compat);
void fore_actors_release(struct fore_actors *w);

/* Executes a step; false if the system got into trouble (then w->why says what; the step is on
 * the path nevertheless). */
bool fore_actors_step(struct fore_actors *w, uint32_t msg, enum fore_how how);
void fore_actors_undo(struct fore_actors *w);
/* Makes the current state the start: the steps that led here can no longer be undone. */
void fore_actors_rebase(struct fore_actors *w);
/* Whether the budgets allow this; FORE_DELIVER always. */
bool fore_actors_allows(const struct fore_actors *w, uint32_t msg, enum fore_how how);
/* The actor that losing `msg` in this way isolates, or 0. */
int64_t fore_actors_cuts_off(const struct fore_actors *w, uint32_t msg,
                             enum fore_how how);
/* Which operations `msg` would answer in the state of its receiver before the receiver's step
 * `at`, or in its present state if that is beyond the last step; the world is unchanged. */
uint64_t fore_actors_peek(struct fore_actors *w, uint32_t at, uint32_t msg,
                          enum fore_how how);

/* Whether nothing that must come before `msg` is pending. */
static inline bool fore_actors_receivable(const struct fore_actors *w, uint32_t msg)
{
    uint32_t ahead = w->msgs.at[msg].ahead;
    return !ahead || w->msgs.at[ahead].received_by;
}

static inline uint32_t fore_actors_receivable_from(const struct fore_actors *w,
                                                   uint32_t msg)
{
    while (msg && !fore_actors_receivable(w, msg))
        msg = w->msgs.at[msg].next;
    return msg;
}

/* The messages that can be received now, in the order of sending; 0 ends them. */
static inline uint32_t fore_actors_first(const struct fore_actors *w)
{
    return fore_actors_receivable_from(w, w->msgs.at[0].next);
}

static inline uint32_t fore_actors_next(const struct fore_actors *w, uint32_t msg)
{
    return fore_actors_receivable_from(w, w->msgs.at[msg].next);
}

/* The message with this id if it can be received, or 0. */
uint32_t fore_actors_find(const struct fore_actors *w, uint64_t id);
/* Whether `msg` could be received when step number `step` (from 1) was taken. */
static inline bool fore_actors_was_pending(const struct fore_actors *w, uint32_t msg,
                                           uint32_t step)
{
    const struct fore_message *m = &w->msgs.at[msg];
    if (m->ahead) {
        uint32_t before = w->msgs.at[m->ahead].received_by;
        if (!before || before >= step)
            return false;
    }
    return m->sent_by < step && (!m->received_by || m->received_by >= step);
}

/* Actors' states and the multiset of pending messages. */
static inline uint64_t fore_actors_hash(const struct fore_actors *w)
{
    return w->bag * 0x9e3779b97f4a7c15u ^ w->actors_hash;
}

/* Whether the messages of two steps (from 1, i < j) were on one link that keeps order. */
bool fore_actors_same_link(const struct fore_actors *w, uint32_t i, uint32_t j);

/* Whether the atom of a property holds in the state. */
bool fore_condition_holds(const struct fore_actors *w, const struct fore_condition *a);

/* For callers that build a state from its parts. */
uint32_t fore_actors_slot(const struct fore_actors *w, int64_t id); /* or UINT32_MAX */
struct fore_actor *fore_actors_add(struct fore_actors *w, int64_t id, uint32_t role,
                                   const int64_t args[FORESEE_FIELDS]);
uint64_t fore_actor_hash(const struct fore_actors *w, const struct fore_actor *a);
/* Enters a message that is in the list of pending ones into hash and count. */
void fore_actors_count_message(struct fore_actors *w, uint32_t msg);

/* The name of an actor: 1, 2, 2.1 (the first child of 2), c1 (a client). */
void fore_actor_text(int64_t id, struct fore_strbuf *out);
/* A message in words: Write(value=5, client=c1) */
void fore_message_text(const struct fore_actors *w, uint32_t msg,
                       struct fore_strbuf *out);
extern const char *const fore_how_names[FORE_HOWS];

#endif
