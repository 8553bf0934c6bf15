/* The least prefix of the observed run in which given operations are done, closed under what must
 * come before: program order, creation, and what one table says of each kind of operation. Run in
 * the observed order it is a run again, or nearly: the machine has the last word. */
#ifndef FORE_MACHINE_CLOSURE_H
#define FORE_MACHINE_CLOSURE_H

#include "machine/drive.h"
#include "machine/index.h"

/* Orders that an analysis keeps as observed although the machine would allow more. */
enum fore_keeps {
    FORE_KEEPS_SECTIONS =
        1 << 0,                  /* of locks: earlier ones are over before the last one */
    FORE_KEEPS_BUFFERS = 1 << 1, /* sends into a buffer, receives, acquisitions */
    FORE_KEEPS_COUNTS = 1 << 2,  /* a Done, or a Wait, comes after the Adds before it */
    FORE_KEEPS_ATOMICS = 1 << 3, /* what atomic reads saw */
    FORE_KEEPS_ALL = (1 << 4) - 1,
};

struct fore_closure {
    const struct fore_index *index;
    const struct fore_program *p;
    unsigned keeps;
    uint32_t *need; /* thread -> end of the operations that are in */
    uint32_t *seen; /* thread -> how far their needs were followed */
    /* list, and which of its kinds -> how many operations are in */
    struct fore_map reached;
    uint32_t
        *last; /* 2 * lock, + 1 for readers -> 1 + its latest acquisition that is in */
    FORE_VEC(uint32_t) locks;   /* number of entries of `last` that are not 0 */
    FORE_VEC(uint32_t) work;    /* threads of which more came in */
    FORE_VEC(uint32_t) touched; /* threads that have operations in it */
    uint64_t work_done; /* operations looked at so far; clearing does not reset it */
    /* an operation is needed that was never done, or it is not known, because the budget ended */
    bool failed;
    unsigned spared; /* a kind whose needs are not followed; 0: none. For tests. */
};

/* Begins with the operations that are fixed (see struct fore_index). */
void fore_closure_init(struct fore_closure *c, const struct fore_index *x,
                       unsigned keeps);
void fore_closure_release(struct fore_closure *c);
/* Empties it; costs as much as is in it. */
void fore_closure_clear(struct fore_closure *c);

/* Takes in the operation and everything before it in its thread; or only the latter. */
void fore_closure_want(struct fore_closure *c, uint32_t op);
void fore_closure_want_before(struct fore_closure *c, uint32_t op);
/* Follows the needs of the operations that came in since the last call. False if one of these
 * was never done, or the budget of the trace ended. */
bool fore_closure_close(struct fore_closure *c);
/* The same, one thread at a time: false if there is nothing left to follow, or it failed. */
bool fore_closure_grow(struct fore_closure *c);

/* Does the table, or a lock, make the operation need an operation of another thread? */
bool fore_closure_needs_others(const struct fore_program *p, uint32_t op);
/* Runs the closed set on a fresh machine: in the observed order, except that an operation comes
 * later if it must. False if that is no run: something that was left out was needed after all. */
bool fore_closure_play(const struct fore_closure *c, struct fore_driver *r);

static inline bool fore_closure_has(const struct fore_closure *c, uint32_t op)
{
    return op != FORE_NO_OP && op < c->need[fore_insn_thread(c->p, op)];
}

#endif
