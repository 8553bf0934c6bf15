/* The recorded operations as a program: for each thread, the list of what it did, in order.
 *
 * An operation (`insn` in names) joins the event that announced it (`pre`) with the one that
 * ended it (`done`). One without `done` never ended: it can only be the thread's last, unless
 * the trace was torn. Operations are numbered thread by thread; the trace itself is not copied. */
#ifndef FORE_MACHINE_PROGRAM_H
#define FORE_MACHINE_PROGRAM_H

#include "base/budget.h"
#include "machine/clause.h"
#include "trace/trace.h"

#define FORE_NO_EVENT UINT32_MAX
#define FORE_NO_OP UINT32_MAX

/* What `link` holds, by the kind of the operation:
 *   SEND <-> RECV         the two sides of one communication, as recorded; a send whose message
 *                         was dropped from its buffer (a timer that was stopped): itself
 *   CSIGNAL -> CWOKEN     whom it woke; CWOKEN -> the CSIGNAL or CBROADCAST that woke it
 *   FIRE                  of a timer -> what it comes after: its arming, or the last step of
 *                         the thread that its previous firing was of
 *   ARECV -> ASEND        READ, RMW -> the WRITE or RMW whose value it saw
 *   IN, OUT -> the one before it on the same thing; on any, if some thing is not known
 * A CWAIT is also the `pre` of the CWOKEN that follows, if that has none of its own. */
struct fore_insn {
    uint32_t pre, done;
    uint32_t link;
    /* Copied from fore_insn_event: operations lie thread by thread, events anywhere. */
    uint32_t thread, object;
    uint16_t kind, flags;
    uint32_t where; /* of the pre, if that has one */
    /* for a pre with several cases: which of the program's lists; else 0 */
    uint32_t cases;
};

/* What a select offers, in the trace's array of cases. */
struct fore_case_list {
    uint32_t first, n;
};

/* Accesses of which only the last was kept (overtake.h), by place and in the order of the trace. `before` is the thread's recorded
 * access to the same place before it, FORE_NO_OP: none. */
struct fore_last_access {
    uint32_t op, before;
};

struct fore_last_accesses {
    FORE_VEC(struct fore_last_access) list;
    uint32_t *
        start; /* object x has those from start[x] to start[x + 1] - 1; NULL: the trace has none */
};

struct fore_program {
    const struct fore_trace *trace;
    struct fore_insn *ops;
    uint32_t op_count, threads, objects;
    uint32_t *first; /* thread t has ops first[t] .. first[t + 1] - 1; t from 1 */
    uint32_t *gate;  /* the operation that creates thread t, or FORE_NO_OP for a root */
    uint32_t *width; /* the most cases that one operation of thread t offers */
    /* how many operations offer to send on channel x; or how many units are given to semaphore x */
    uint32_t *puts;
    /* a semaphore's count at the start; inferred if not declared. For a once: the lock that its
     * running thread holds, 0 if none is known */
    int64_t *initial;
    FORE_VEC(struct fore_case_list) lists; /* at[0] is none */
    struct fore_last_accesses lasts;
    uint32_t *causes; /* operation -> its direct predecessors (ledger.h); see run.h */
    uint32_t *
        rank; /* if blind: operation -> how many operations of all threads were announced before
               * it */
    bool blind;  /* memory was not seen: unrecorded values may decide */
    bool marked; /* `use` events say where values decide */
    /* threads that ended have an event that says so; traces written by hand need not */
    bool ends;
    bool
        cancels; /* threads cancel others, which may then leave any wait except for a lock */
    bool ledger; /* direct predecessors matter to strict machines */
    /* clauses that are left out, as bits 1 << enum fore_clause: for tests */
    uint32_t ablated;
};

/* Fails (FORE_MEANING) where the trace contradicts itself: a thread that goes on after an
 * operation that never ended, a receive of a message that was never sent, a thread created
 * twice. After a tear these are accepted, and operations without their partners stay unlinked. */
enum fore_status fore_program_build(struct fore_program *p, const struct fore_trace *t,
                                    struct fore_err *e) FORE_MUST_USE;
void fore_program_release(struct fore_program *p);
/* The operation of the thread that ends (or, without an end, begins) with the event at this
 * position of the trace. */
uint32_t fore_program_op_at(const struct fore_program *p, uint32_t thread, uint32_t at);

static inline const struct fore_event *fore_insn_event(const struct fore_program *p,
                                                       uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    return &p->trace->events.at[o->done != FORE_NO_EVENT ? o->done : o->pre];
}

static inline const struct fore_event *fore_insn_pre(const struct fore_program *p,
                                                     uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    return &p->trace->events.at[o->pre != FORE_NO_EVENT ? o->pre : o->done];
}

/* Did the trace's budget end? For loops that count `i` up: looks once in some thousand rounds. */
static inline bool fore_program_spent_at(const struct fore_program *p, uint64_t i)
{
    enum { EVERY = 1 << 14 };
    return i % EVERY == 0 && fore_budget_spent_now(p->trace->budget);
}

/* May strict and lax machines differ? They do if the recording left out values that may decide,
 * or marks where values do. */
static inline bool fore_program_is_partial(const struct fore_program *p)
{
    return p->ledger || p->marked;
}

/* Does some operation offer several cases? */
static inline bool fore_program_selects(const struct fore_program *p)
{
    return p->lists.n > 1;
}

/* Does the clause count? */
static inline bool fore_clause_holds(const struct fore_program *p, enum fore_clause c)
{
    return !(p->ablated >> c & 1);
}
_Static_assert(FORE_CLAUSES <= 32, "a word has a bit for each clause");

/* Does it read or write outside? The machine keeps the order of such operations, and no thread
 * waits for them. */
static inline bool fore_insn_is_outside(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].kind == FORE_EV_IN || p->ops[op].kind == FORE_EV_OUT;
}

static inline uint32_t fore_insn_thread(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].thread;
}

static inline bool fore_insn_ended(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].done != FORE_NO_EVENT;
}

/* How many events the thread has, in this trace, before those of its operation `end` (or in all,
 * at its end). Costs as much as that number. */
uint64_t fore_insn_events_before(const struct fore_program *p, uint32_t thread,
                                 uint32_t end);
/* The position within its thread, counted from 0, of the event that announced the operation or,
 * without one, did it. Costs as much as there are operations before it. */
uint64_t fore_insn_event_index(const struct fore_program *p, uint32_t op, bool announced);

/* Position within its thread, from 0. */
static inline uint32_t fore_insn_index(const struct fore_program *p, uint32_t op)
{
    return op - p->first[fore_insn_thread(p, op)];
}

/* An enum fore_kind: PRE for a channel operation that never ended. */
static inline unsigned fore_insn_kind(const struct fore_program *p, uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    return o->kind == FORE_EV_CWAIT && o->done == FORE_NO_EVENT ? FORE_EV_CWOKEN
                                                                : o->kind;
}
/* Sends, receives and selects: operations that offer cases. Not close. */
static inline bool fore_insn_offers(const struct fore_program *p, uint32_t op)
{
    unsigned kind = p->ops[op].kind;
    return kind >= FORE_EV_PRE && kind <= FORE_EV_SELECT;
}
_Static_assert(FORE_EV_SEND == FORE_EV_PRE + 1 && FORE_EV_RECV == FORE_EV_SEND + 1 &&
                   FORE_EV_SELECT == FORE_EV_RECV + 1,
               "channel operations are numbered in a row");
/* Is it a message that left its buffer without being received? */
static inline bool fore_insn_dropped(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].link == op;
}

const struct fore_case *fore_insn_rare_cases(const struct fore_program *p, uint32_t op,
                                             struct fore_case *one, size_t *n);
/* The cases that an operation offers; `one` is room for a single one. None for operations
 * that are not about channels. */
static inline const struct fore_case *fore_insn_cases(const struct fore_program *p,
                                                      uint32_t op, struct fore_case *one,
                                                      size_t *n)
{
    const struct fore_insn *o = &p->ops[op];
    *n = 0;
    if (!fore_insn_offers(p, op))
        return one;
    if (o->cases) {
        *n = p->lists.at[o->cases].n;
        return p->trace->cases.at + p->lists.at[o->cases].first;
    }
    if (o->flags & FORE_F_CASES || (o->kind != FORE_EV_SEND && o->kind != FORE_EV_RECV))
        return fore_insn_rare_cases(p, op, one, n);
    *one = (struct fore_case){o->object,
                              o->kind == FORE_EV_SEND ? FORE_CASE_SEND : FORE_CASE_RECV};
    *n = 1;
    return one;
}
bool fore_insn_has_case(const struct fore_program *p, uint32_t op, uint32_t chan,
                        enum fore_case_kind kind);
static inline uint64_t fore_chan_capacity(const struct fore_program *p, uint32_t chan)
{
    return p->trace->tables.objects.at[chan].capacity;
}

/* "thread 2: post(x!) at main.go:4" */
void fore_insn_text(const struct fore_program *p, uint32_t op, struct fore_strbuf *out);

#endif
