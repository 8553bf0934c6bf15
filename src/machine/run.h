/* The common start of all analyses of a trace: the trace as a program, and the order in which
 * its replay does the operations. Made once, for the first analysis that asks. */
#ifndef FORE_MACHINE_RUN_H
#define FORE_MACHINE_RUN_H

#include "machine/program.h"

/* A state of the replay, see mark.h. */
struct fore_run_mark {
    uint32_t steps; /* that led there */
    bool ledger;
    uint32_t *words;
};

struct fore_run {
    struct fore_program p; /* p.trace is NULL as long as there is none */
    uint32_t *
        order; /* operations in the order of the replay; a rendezvous is there once, as its
                * sender */
    uint32_t steps;
    uint32_t *when; /* operation -> its last position in that order; or FORE_NO_OP */
    FORE_VEC(struct fore_run_mark) marks; /* of long runs, in their order */
    bool
        unusual; /* since the last mark there was a step that other machines than the replay's
                  * may not take */
    bool mark_all; /* short runs have marks, too, after each event: for tests */
    struct fore_index *index; /* see fore_run_index */
    uint32_t ablated;         /* passed on to the program: see machine/clause.h */
};

/* Makes the program of `t` if it is not there, and its replay, if claims need to know direct
 * predecessors. At first `o` is zeroed; later it may be of the same trace, or of another one,
 * which is then dropped. */
enum fore_status fore_run_claims(struct fore_run *o, const struct fore_trace *t,
                                 struct fore_err *e) FORE_MUST_USE;
/* That, and its replay. */
enum fore_status fore_run_replay(struct fore_run *o, const struct fore_trace *t,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_run_release(struct fore_run *o);

/* Is step i of the order only an arrival: at a barrier or, as a waiting writer, at a lock? */
static inline bool fore_run_arrives(const struct fore_run *o, uint32_t i)
{
    uint32_t op = o->order[i];
    return o->when[op] != i || !fore_insn_ended(&o->p, op);
}

/* The other side, if the operation (of the order) is a rendezvous; else FORE_NO_OP. */
static inline uint32_t fore_run_partner(const struct fore_run *o, uint32_t op)
{
    const struct fore_insn *x = &o->p.ops[op];
    bool meets = x->kind == FORE_EV_SEND && !(x->flags & FORE_F_CLOSED) &&
                 !fore_chan_capacity(&o->p, x->object);
    return meets ? x->link : FORE_NO_OP;
}

#endif
