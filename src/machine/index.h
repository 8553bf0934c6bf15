/* Which operations were done to which object, in the observed order, and which operation gave
 * each lock back. */
#ifndef FORE_MACHINE_INDEX_H
#define FORE_MACHINE_INDEX_H

#include "machine/run.h"

/* Each object has two lists of operations: list 2x, and list 2x + 1 for receives from channel x. */
struct fore_index {
    const struct fore_run *run;
    uint32_t *start; /* list k is ops[start[k]] .. ops[start[k + 1] - 1] */
    uint32_t *ops;
    uint32_t *rank; /* operation -> its position in `ops` */
    uint32_t
        *release; /* acquisition -> the operation that gives the lock back; itself, if
                        * its thread held the lock already */
    /* acquisition of a semaphore -> where, in its list, the releases end without which there would not be enough units for
     * it and for those before it; NULL: there are none */
    uint32_t *units;
    uint32_t *closed; /* channel -> its close, or FORE_NO_OP */
    uint32_t *
        fixed; /* thread -> end of the operations that every run keeps; NULL: none are kept */
    uint32_t *
        needy; /* operation -> the first one from it on, in its thread, that needs operations of
                 * others; or the thread's end */
};

/* The index of a run that was replayed: made for the first analysis that asks, released with the
 * run. */
const struct fore_index *fore_run_index(struct fore_run *o);
void fore_index_release(struct fore_index *x);

static inline uint32_t fore_index_list(const struct fore_program *p, uint32_t op)
{
    return 2 * p->ops[op].object + (p->ops[op].kind == FORE_EV_RECV);
}

/* The operation's position in its list, counted from 0. */
static inline uint32_t fore_index_position(const struct fore_index *x, uint32_t op)
{
    return x->rank[op] - x->start[fore_index_list(&x->run->p, op)];
}

#endif
