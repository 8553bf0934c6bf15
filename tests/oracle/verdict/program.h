/* Small programs for the verdict oracle: threads of at most a dozen operations on locks, channels,
 * conditions, variables and the rest of what foresee records, with branches on what they learn.
 *
 * A thread's code only goes forward, so every program ends. An operation is named by its thread
 * and its position; in the trace of a run it stands at "p:LINE". */
#ifndef FORE_TESTS_ORACLE_VERDICT_PROGRAM_H
#define FORE_TESTS_ORACLE_VERDICT_PROGRAM_H

#include "base/rng.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    THREADS = 4,
    CODE = 28, /* operations of a thread, branches and the end included */
    REGS = 4,
    LOCKS = 3,
    CONDS = 1,
    SEMS = 1,
    BARRIERS = 1,
    ONCES = 1,
    GROUPS = 1,
    CHANS = 3,
    VARS = 3,
    ATOMICS = 2,
    THINGS = 2, /* outside */
    TIMERS = 1,
    CASES = 3,
    SELECTS = 4,
    OPS = THREADS * CODE,
};

enum op {
    OP_END,
    OP_EXIT,
    OP_IF,     /* unless register a is b (c: is not b), go to d */
    OP_MOVE,   /* register a = register b */
    OP_LOCK,   /* lock a */
    OP_UNLOCK, /* lock a */
    OP_RLOCK,
    OP_RUNLOCK,
    OP_TRYLOCK,  /* lock a; register b = 1 if it was obtained */
    OP_TRYRLOCK, /* the same for readers */
    OP_CWAIT,    /* condition a, lock b */
    OP_CSIGNAL,
    OP_CBROADCAST,
    OP_ACQUIRE, /* semaphore a */
    OP_RELEASE, /* semaphore a, b times */
    OP_BARRIER, /* barrier a of size b */
    OP_ONCE,    /* once a: its body follows; who does not run it goes to d */
    OP_RAN,     /* once a: the body is done */
    OP_WGADD,   /* group a: count up by b */
    OP_WGDONE,
    OP_WGWAIT,
    OP_SEND,   /* channel a: value b */
    OP_RECV,   /* channel a: into register b, 0 if it was closed */
    OP_CLOSE,  /* channel a */
    OP_SELECT, /* selects[a]; register b = which case, or how many there are */
    OP_READ,   /* variable a, into register b */
    OP_WRITE,  /* variable a = value b */
    OP_LOAD,   /* atomic a, into register b */
    OP_STORE,  /* atomic a = value b */
    OP_CAS,    /* atomic a: from b to c; register d = 1 if it was b */
    OP_FADD,   /* atomic a: add b; register d = what it was */
    OP_IN,     /* from thing a, into register b */
    OP_OUT,    /* to thing a, value b */
    OP_ARM,    /* timer a */
    OP_FIRE,   /* timer a: waits until it was armed, and then as long as it likes */
    OP_FORK,   /* thread a */
    OP_JOIN,   /* thread a */
};

/* A value is a number, or FROM_REG + a register. */
enum { FROM_REG = 64 };

struct insn {
    uint8_t op, a, b, c, d;
};

struct choice {
    uint8_t chan[CASES], value[CASES];
    bool send[CASES];
    uint8_t n;
    bool otherwise, timeout; /* it has a default, or a timeout, at most one of them */
};

enum lock_kind { LOCK_PLAIN, LOCK_READERS_FIRST, LOCK_WRITERS_FIRST };
enum thing_kind {
    THING_PIPE,   /* what goes out comes in again, in order; an empty one makes wait */
    THING_FILE,   /* what went out last comes in */
    THING_SOURCE, /* 1, 0, 1, 0 … comes in, whoever reads */
};

struct program {
    unsigned threads;
    bool root[THREADS]; /* it runs from the start; otherwise somebody forks it */
    struct insn code[THREADS][CODE];
    unsigned length[THREADS];
    struct choice selects[SELECTS];
    unsigned select_count;
    uint8_t capacity[CHANS];
    enum lock_kind locks[LOCKS];
    enum thing_kind things[THINGS];
    const char *family;
};

static inline unsigned op_id(unsigned thread, unsigned pc)
{
    return thread * CODE + pc;
}

/* Which line of "p" it is, and back. */
static inline unsigned op_line(unsigned thread, unsigned pc)
{
    return (thread + 1) * 100 + pc;
}

static inline unsigned line_op(unsigned line)
{
    return op_id(line / 100 - 1, line % 100);
}

/* What the thread does by itself: nobody can tell when. */
static inline bool is_local(uint8_t op)
{
    return op == OP_IF || op == OP_MOVE;
}

extern const char *const var_names[VARS],
    *const atomic_names[ATOMICS],
        *const chan_names[CHANS], *const lock_names[LOCKS], *const thing_names[THINGS];

/* The program of a seed: its family follows from the seed too. */
void program_random(struct program *p, uint64_t seed);
enum { FAMILIES = 19 };
const char *family_name(unsigned i);

void program_print(const struct program *p, struct fore_strbuf *out);

#endif
