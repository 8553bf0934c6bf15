/* The event model: one 32-byte record for each thing that a thread does and others can depend
 * on.
 *
 *    0        4     6     8        12       16                24               32
 *    | thread | kind|flags| object | where  | a               | b               |
 *
 * Ids (threads, objects, locations, strings) are dense from 1; 0 is none. What `object`, `a` and
 * `b` hold is in the table of kinds. Cases of a select with several are in a side array. */
#ifndef FORE_TRACE_EVENT_H
#define FORE_TRACE_EVENT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an object is; names are unique per kind. */
#define FORE_OBJECT_LIST(X)                                                              \
    X(NONE, "none")                                                                      \
    X(CHAN, "channel")                                                                   \
    X(LOCK, "lock")                                                                      \
    X(COND, "condition")                                                                 \
    X(SEM, "semaphore")                                                                  \
    X(BARRIER, "barrier")                                                                \
    X(ONCE, "once")                                                                      \
    X(WG, "wait group")                                                                  \
    X(TIMER, "timer")                                                                    \
    X(PLACE, "variable")                                                                 \
    X(OBJECT, "object")                                                                  \
    X(OUTSIDE, "outside thing")

enum fore_object_kind {
#define X(name, text) FORE_OBJ_##name,
    FORE_OBJECT_LIST(X)
#undef X
        FORE_OBJ_KINDS
};

enum fore_group {
    FORE_GROUP_THREAD,
    FORE_GROUP_CHANNEL,
    FORE_GROUP_LOCK, /* locks, conditions, semaphores, barriers, once, wait groups */
    FORE_GROUP_TIMER,
    FORE_GROUP_MEMORY,
    FORE_GROUP_ACTOR,
    FORE_GROUP_OPERATION,
    FORE_GROUP_OUTSIDE, /* what comes in and goes out, and where a value decides */
};

/* X(name, text, group, kind of object): numbers are part of the file formats, so rows are only
 * ever added at the end.
 *
 *   SIGNAL    a = the thread about to be created      WAIT     a = the thread itself
 *   JOIN      a = the thread waited for (F_PRE)
 *   PRE       one case: object = channel (0 nil), F_SEND or not
 *             several:  a = first in the side array, b = how many (F_CASES)
 *   SEND      unbuffered: a = k, this thread's k-th send on the channel;
 *             buffered: a = message number.   F_CLOSED: it panicked
 *   RECV      unbuffered: a = sending thread, b = k of that send; buffered: a = message number;
 *             F_CLOSED: the channel was closed
 *   SELECT    default or timeout was taken (F_TIMEOUT)       CLOSE  F_CLOSED: it panicked
 *   TRYLOCK, TRYRLOCK  F_BUSY: not obtained
 *   CWAIT, CWOKEN      object = condition, a = lock     CSIGNAL  a = the thread woken, or 0
 *   ACQUIRE, RELEASE   a = how many               BARRIER  a = its size
 *   ONCE      F_BUSY: it waited for another to run it      WGADD  a = int64 delta
 *   READ, WRITE        a = value                  RMW      a = old, b = new
 *   FENCE     memory order only                   ALLOC    a = size
 *   SPAWN     a = the actor's thread    ASEND  a = message, b = to, object = string id of its text
 *   ARECV     a = message
 *   INVOKE    a = operation's name (string id) | arguments' text (string id) << 32, b = number
 *   RETURN    a = value, b = number                FAIL, INFO  b = number
 *   USE       a value that the thread has learnt decides here: a branch, an address, a call
 *   IN, OUT   a = value; object = what it came from or went to, 0: not known
 *   MISUSE    a = what was wrong (a string); changes nothing
 *
 * Blocking kinds other than channels (see fore_kind_blocks) occur twice, as `pre(lock(m))`
 * (F_PRE) and `lock(m)`; the first without the second is a wait that never ended. */
#define FORE_KIND_LIST(X)                                                                \
    X(NONE, "none", THREAD, NONE)                                                        \
    X(SIGNAL, "signal", THREAD, NONE)                                                    \
    X(WAIT, "wait", THREAD, NONE)                                                        \
    X(END, "end", THREAD, NONE)                                                          \
    X(EXIT, "exit", THREAD, NONE)                                                        \
    X(PANIC, "panic", THREAD, NONE)                                                      \
    X(JOIN, "join", THREAD, NONE)                                                        \
    X(PRE, "pre", CHANNEL, CHAN)                                                         \
    X(SEND, "send", CHANNEL, CHAN)                                                       \
    X(RECV, "receive", CHANNEL, CHAN)                                                    \
    X(SELECT, "select", CHANNEL, CHAN)                                                   \
    X(CLOSE, "close", CHANNEL, CHAN)                                                     \
    X(LOCK, "lock", LOCK, LOCK)                                                          \
    X(TRYLOCK, "trylock", LOCK, LOCK)                                                    \
    X(UNLOCK, "unlock", LOCK, LOCK)                                                      \
    X(RLOCK, "rlock", LOCK, LOCK)                                                        \
    X(TRYRLOCK, "tryrlock", LOCK, LOCK)                                                  \
    X(RUNLOCK, "runlock", LOCK, LOCK)                                                    \
    X(CWAIT, "cwait", LOCK, COND)                                                        \
    X(CWOKEN, "cwoken", LOCK, COND)                                                      \
    X(CSIGNAL, "csignal", LOCK, COND)                                                    \
    X(CBROADCAST, "cbroadcast", LOCK, COND)                                              \
    X(ACQUIRE, "acquire", LOCK, SEM)                                                     \
    X(RELEASE, "release", LOCK, SEM)                                                     \
    X(BARRIER, "barrier", LOCK, BARRIER)                                                 \
    X(ONCE, "once", LOCK, ONCE)                                                          \
    X(WGADD, "wgadd", LOCK, WG)                                                          \
    X(WGDONE, "wgdone", LOCK, WG)                                                        \
    X(WGWAIT, "wgwait", LOCK, WG)                                                        \
    X(ARM, "arm", TIMER, TIMER)                                                          \
    X(FIRE, "fire", TIMER, TIMER)                                                        \
    X(READ, "read", MEMORY, PLACE)                                                       \
    X(WRITE, "write", MEMORY, PLACE)                                                     \
    X(RMW, "rmw", MEMORY, PLACE)                                                         \
    X(FENCE, "fence", MEMORY, NONE)                                                      \
    X(ALLOC, "alloc", MEMORY, PLACE)                                                     \
    X(FREE, "free", MEMORY, PLACE)                                                       \
    X(SPAWN, "spawn", ACTOR, NONE)                                                       \
    X(ASEND, "actor-send", ACTOR, NONE)                                                  \
    X(ARECV, "actor-receive", ACTOR, NONE)                                               \
    X(INVOKE, "invoke", OPERATION, OBJECT)                                               \
    X(RETURN, "return", OPERATION, NONE)                                                 \
    X(FAIL, "fail", OPERATION, NONE)                                                     \
    X(INFO, "info", OPERATION, NONE)                                                     \
    X(USE, "use", OUTSIDE, NONE)                                                         \
    X(IN, "in", OUTSIDE, OUTSIDE)                                                        \
    X(OUT, "out", OUTSIDE, OUTSIDE)                                                      \
    X(MISUSE, "misuse", LOCK, LOCK)

enum fore_kind {
#define X(name, text, group, object) FORE_EV_##name,
    FORE_KIND_LIST(X)
#undef X
        FORE_KINDS
};

enum fore_event_flags {
    FORE_F_PRE = 1 << 0,     /* about to block */
    FORE_F_CLOSED = 1 << 1,  /* the channel was found closed */
    FORE_F_BUSY = 1 << 2,    /* trylock failed; once waited; acquire was only tried */
    FORE_F_SEND = 1 << 3,    /* PRE of one case: a send */
    FORE_F_NEAR = 1 << 3,    /* READ, WRITE: `where` may be that of a neighbouring byte */
    FORE_F_CASES = 1 << 4,   /* PRE of several cases: see the side array */
    FORE_F_TIMEOUT = 1 << 5, /* SELECT: by timeout, not default */
    /* READ, WRITE: the last of what the thread did with the place while no other had it; the rest was not recorded. */
    FORE_F_LAST = 1 << 5,
    FORE_F_VALUE_SHIFT = 6,  /* 3 bits: type of a */
    FORE_F_VALUE2_SHIFT = 9, /* 3 bits: type of b */
    FORE_F_ORDER_SHIFT = 12, /* 3 bits: memory order */
    /* Since the thread's previous event: no branch, no call, no address from memory. */
    FORE_F_STRAIGHT = 1 << 15,
};

enum fore_value_type {
    FORE_VALUE_NONE, /* not recorded */
    FORE_VALUE_INT,  /* int64 */
    FORE_VALUE_FLOAT,
    FORE_VALUE_BOOL,
    FORE_VALUE_NIL,
    FORE_VALUE_STRING, /* a string id */
    FORE_VALUE_LIST,   /* a string id: the list as the notation writes it */
};

enum fore_memory_order {
    FORE_ORDER_PLAIN,
    FORE_ORDER_RELAXED,
    FORE_ORDER_ACQUIRE,
    FORE_ORDER_RELEASE,
    FORE_ORDER_ACQ_REL,
    FORE_ORDER_SEQ_CST,
};

struct fore_event {
    uint32_t thread;
    uint16_t kind;
    uint16_t flags;
    uint32_t object;
    uint32_t where;
    uint64_t a, b;
};
_Static_assert(sizeof(struct fore_event) == 32, "the record is 32 bytes");

enum fore_case_kind {
    FORE_CASE_RECV,
    FORE_CASE_SEND,
    FORE_CASE_DEFAULT,
    FORE_CASE_TIMEOUT
};

struct fore_case {
    uint32_t chan; /* 0: nil, or default/timeout */
    uint32_t kind;
};

const char *fore_kind_name(unsigned kind);
const char *fore_object_kind_name(unsigned kind);

/* Properties of each kind, as arrays, because they are asked for every event. */
struct fore_kind_facts {
    uint8_t group, object; /* enum fore_group, fore_object_kind */
};
extern const struct fore_kind_facts fore_kind_table[FORE_KINDS];

static inline enum fore_group fore_kind_group(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return (enum fore_group)fore_kind_table[kind].group;
}

static inline enum fore_object_kind fore_kind_object(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return (enum fore_object_kind)fore_kind_table[kind].object;
}

/* Does `e` end the wait that `pre` (of no channel) announced, of the same thread? A wait for a lock
 * with a time limit ends with a try that failed. */
bool fore_event_ends_wait(const struct fore_event *pre, const struct fore_event *e);

/* May wait, and then has a pre: lock rlock wgwait join cwoken barrier acquire once. */
static inline bool fore_kind_blocks(unsigned kind)
{
    const uint64_t blocks = UINT64_C(1) << FORE_EV_LOCK | UINT64_C(1) << FORE_EV_RLOCK |
                            UINT64_C(1) << FORE_EV_WGWAIT | UINT64_C(1) << FORE_EV_JOIN |
                            UINT64_C(1) << FORE_EV_CWOKEN |
                            UINT64_C(1) << FORE_EV_BARRIER |
                            UINT64_C(1) << FORE_EV_ACQUIRE | UINT64_C(1) << FORE_EV_ONCE;
    return kind < 64 && blocks >> kind & 1;
}

static inline enum fore_value_type fore_event_type_a(const struct fore_event *e)
{
    return (enum fore_value_type)(e->flags >> FORE_F_VALUE_SHIFT & 7);
}

static inline enum fore_value_type fore_event_type_b(const struct fore_event *e)
{
    return (enum fore_value_type)(e->flags >> FORE_F_VALUE2_SHIFT & 7);
}

static inline enum fore_memory_order fore_event_order(const struct fore_event *e)
{
    return (enum fore_memory_order)(e->flags >> FORE_F_ORDER_SHIFT & 7);
}

/* How an event affects a lock: a condition gives its lock back and retakes it. */
enum fore_lock_step {
    FORE_LOCK_NONE,
    FORE_LOCK_TAKEN,
    FORE_LOCK_BUSY,
    FORE_LOCK_GIVEN_BACK
};
struct fore_lock_use {
    enum fore_lock_step step;
    uint32_t lock;
    bool shared; /* for reading */
};

static inline struct fore_lock_use fore_event_lock(const struct fore_event *e)
{
    bool reads = e->kind == FORE_EV_RLOCK || e->kind == FORE_EV_TRYRLOCK ||
                 e->kind == FORE_EV_RUNLOCK;
    struct fore_lock_use use = {FORE_LOCK_NONE, e->object, reads};
    if (e->flags & FORE_F_PRE)
        return use;
    switch (e->kind) {
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        use.step = e->flags & FORE_F_BUSY ? FORE_LOCK_BUSY : FORE_LOCK_TAKEN;
        break;
    case FORE_EV_UNLOCK:
    case FORE_EV_RUNLOCK:
        use.step = FORE_LOCK_GIVEN_BACK;
        break;
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        use.lock = (uint32_t)e->a;
        if (use.lock)
            use.step = e->kind == FORE_EV_CWAIT ? FORE_LOCK_GIVEN_BACK : FORE_LOCK_TAKEN;
        break;
    default:
        break;
    }
    return use;
}

/* The cases of a PRE. `side` is the array that came with the event; `one` is room for the single
 * case that is stored in the event itself. */
static inline const struct fore_case *fore_event_cases(const struct fore_event *e,
                                                       const struct fore_case *side,
                                                       struct fore_case *one, size_t *n)
{
    if (e->flags & FORE_F_CASES) {
        *n = (size_t)e->b;
        return side + e->a;
    }
    *one = (struct fore_case){e->object,
                              e->flags & FORE_F_SEND ? FORE_CASE_SEND : FORE_CASE_RECV};
    *n = 1;
    return one;
}

#endif
