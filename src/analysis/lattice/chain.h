/* How a state was reached: one step and the chain before it. Chains share their common
 * beginnings, and steps that no chain contains any more are freed. The part that all chains
 * share (the trunk) is moved to a file, so that memory does not grow with the length of a run. */
#ifndef FORE_ANALYSIS_LATTICE_CHAIN_H
#define FORE_ANALYSIS_LATTICE_CHAIN_H

#include "base/vec.h"
#include "trace/event.h"

#include <stdio.h>

/* One relevant event, as a witness shows it. */
struct fore_lattice_step {
    struct fore_event event;
    uint64_t at;    /* position in the trace, from 0 */
    uint32_t index; /* position in its thread, from 0 */
    uint32_t var;   /* of the specification */
};

struct fore_lattice_steps {
    FORE_VEC(struct fore_lattice_step) v;
};

struct fore_chain_node {
    uint32_t parent, refs;
    /* how many steps refer to it as parent; the sum of their numbers */
    uint32_t kids, kid_sum;
    struct fore_lattice_step step;
};

struct fore_chains {
    FORE_VEC(struct fore_chain_node) nodes; /* 0: none; 1: the empty chain, at first */
    uint32_t free, root;
    uint64_t trunk; /* steps in the file */
    FILE *file;     /* NULL until there is a trunk */
    bool broken;    /* the file could not be written: the trunk is lost */
};

void fore_chains_init(struct fore_chains *c);
void fore_chains_release(struct fore_chains *c);
/* The chain `parent` (which keeps its reference) and then `step`; the caller holds it. */
uint32_t fore_chain_add(struct fore_chains *c, uint32_t parent,
                        const struct fore_lattice_step *step);
void fore_chain_keep(struct fore_chains *c, uint32_t chain); /* 0 is fine */
void fore_chain_drop(struct fore_chains *c, uint32_t chain);
/* Moves the part that all chains share to the file. */
void fore_chains_trim(struct fore_chains *c);
/* The steps of a chain, first to last. */
void fore_chain_steps(const struct fore_chains *c, uint32_t chain,
                      struct fore_lattice_steps *out);

#endif
