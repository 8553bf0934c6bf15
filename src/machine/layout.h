/* Where in the machine's array of words each part of the state is. Internal to machine/.
 *
 *   threads   4 each   next operation, flags, arrival number at a barrier, who woke it (a mark)
 *   objects   4 each   channel:  taken, put, closed (1 + thread)
 *                      lock:     owner, depth, readers, waiting writers
 *                      semaphore, wait group: count    barrier: arrivals    once: done
 *                      place: 1 + operation that wrote it last
 *   queues             a channel's sends that are in its buffer, 1 + operation each; units that
 *                      were given to a semaphore, marks
 *   ledger    2 each   see ledger.h; kept by strict machines only
 *   -------- from here on, not part of the fingerprint --------
 *   lists     4 each   channel: who offers to receive (first, last), to send (first, last)
 *                      condition: who waits (first, last)
 *   offers    2 each   next, previous offer of the same list
 *   waiters   2 each   next, previous thread that waits for the same condition */
#ifndef FORE_MACHINE_LAYOUT_H
#define FORE_MACHINE_LAYOUT_H

#include "machine/machine.h"

#include "base/hash.h"

enum { T_NEXT, T_FLAGS, T_TICKET, T_WAKER, T_WORDS };
enum { O_WORDS = 4 };
enum { CHAN_TAKEN = 0, CHAN_PUT, CHAN_CLOSED };
enum { LOCK_OWNER = 0, LOCK_DEPTH, LOCK_READERS, LOCK_WRITERS };
enum { COUNT = 0 };
enum { LEDGER_LAST = 0, LEDGER_MORE, LEDGER_WORDS };
/* A flag on 1 + an operation that wrote or sent: the value is unknown. */
#define FORE_TAINT (1u << 31)

static inline uint32_t at_thread(uint32_t thread, uint32_t field)
{
    return thread * T_WORDS + field;
}

static inline uint32_t at_object(const struct fore_machine *m, uint32_t object,
                                 uint32_t field)
{
    return m->objects_at + object * O_WORDS + field;
}

static inline uint32_t at_list(const struct fore_machine *m, uint32_t object,
                               uint32_t field)
{
    return m->lists_at + object * O_WORDS + field;
}

static inline uint32_t at_ledger(const struct fore_machine *m, uint32_t object,
                                 uint32_t field)
{
    return m->ledger_at + object * LEDGER_WORDS + field;
}

static inline uint32_t get_thread(const struct fore_machine *m, uint32_t thread,
                                  uint32_t field)
{
    return m->w[at_thread(thread, field)];
}

static inline uint32_t get_object(const struct fore_machine *m, uint32_t object,
                                  uint32_t field)
{
    return m->w[at_object(m, object, field)];
}

/* The thread's next operation; FORE_NO_OP if it has none left or is off the trace. */
static inline uint32_t next_of(const struct fore_machine *m, uint32_t thread)
{
    const uint32_t *t = m->w + at_thread(thread, 0);
    if ((t[T_FLAGS] & (FORE_T_STARTED | FORE_T_OFF)) != FORE_T_STARTED)
        return FORE_NO_OP;
    return t[T_NEXT] < m->p->first[thread + 1] ? t[T_NEXT] : FORE_NO_OP;
}

static inline uint32_t queued_in(const struct fore_machine *m, uint32_t chan)
{
    return get_object(m, chan, CHAN_PUT) - get_object(m, chan, CHAN_TAKEN);
}

/* The first send in a buffer that has one. */
static inline uint32_t head_of(const struct fore_machine *m, uint32_t chan)
{
    return (m->w[m->queue[chan] + get_object(m, chan, CHAN_TAKEN)] & ~FORE_TAINT) - 1;
}

static inline uint32_t object_of(const struct fore_machine *m, uint32_t op)
{
    return m->p->ops[op].object;
}

static inline void put_cell(struct fore_machine *m, uint32_t at, uint32_t value)
{
    uint32_t was = m->w[at];
    if (was == value)
        return;
    if (!m->forgetful) {
        fore_vec_push(&m->trail, (struct fore_saved){at, was});
        if (at < m->loud)
            m->print ^= fore_hash_u64((uint64_t)at << 32 | was) ^
                        fore_hash_u64((uint64_t)at << 32 | value);
    }
    m->w[at] = value;
}

static inline void put_thread(struct fore_machine *m, uint32_t thread, uint32_t field,
                              uint32_t value)
{
    put_cell(m, at_thread(thread, field), value);
}

static inline void put_object(struct fore_machine *m, uint32_t object, uint32_t field,
                              uint32_t value)
{
    put_cell(m, at_object(m, object, field), value);
}

static inline unsigned object_flags(const struct fore_machine *m, uint32_t object)
{
    return m->p->trace->tables.objects.at[object].flags;
}

/* 1 + an operation that writes or sends, tainted if the value that it writes or sends is
 * unknown. */
static inline uint32_t fore_machine_signed(const struct fore_machine *m, uint32_t thread,
                                           uint32_t op)
{
    bool unknown = get_thread(m, thread, T_FLAGS) & FORE_T_DIFFERS;
    return (op + 1) |
           (unknown && fore_clause_holds(m->p, FORE_CLAUSE_UNKNOWN) ? FORE_TAINT : 0);
}

/* The rules of an operation that is not about channels: is it possible now, would the thread get
 * what it recorded, and what does it do? NULL: always, yes, nothing. */
struct fore_insn_rule {
    bool (*ready)(const struct fore_machine *m, uint32_t thread, uint32_t op);
    bool (*same)(const struct fore_machine *m, uint32_t thread, uint32_t op);
    void (*effect)(struct fore_machine *m, uint32_t thread, uint32_t op);
};
extern const struct fore_insn_rule fore_insn_rules[FORE_KINDS];
static inline const struct fore_insn_rule *fore_insn_rule(unsigned kind)
{
    return &fore_insn_rules[kind];
}

/* What a thread gets by a step, compared with what it recorded. */
enum fore_got {
    FORE_SAME,
    FORE_OTHER_VALUE, /* another message or value: it may not decide at once */
    FORE_OTHER_WAY,   /* another case or result: the thread's next operation is unknown */
};

/* Takes a step that can be taken, whether it is known what the step brings or not. */
void fore_machine_take(struct fore_machine *m, struct fore_move v);
void fore_machine_commit(struct fore_machine *m, struct fore_move v, uint32_t op,
                         enum fore_got mine, enum fore_got others);
/* `differs`: the creating thread may have seen something else than in the observed run. */
void fore_machine_start(struct fore_machine *m, uint32_t thread, bool differs);
void fore_machine_wake(struct fore_machine *m, uint32_t thread, uint32_t condition);
void fore_machine_sleep(struct fore_machine *m, uint32_t thread, uint32_t condition);

/* Computes where each part of the state begins, and how long the state is. */
void fore_machine_lay_out(struct fore_machine *m);

#endif
