/* What the operations of a replay know of each other: clocks that are kept while one goes
 * through some of its steps, forwards (which operations are done) or backwards (which ones will
 * know). Of each clock only the entries of the threads of interest are there. Nothing is known
 * of the steps outside, which order no two operations inside. */
#ifndef FORE_ANALYSIS_CHANNEL_KNOWLEDGE_H
#define FORE_ANALYSIS_CHANNEL_KNOWLEDGE_H

#include "analysis/channel/comm.h"
#include "causal/clock.h"

struct fore_knowledge {
    const struct fore_comm *c;
    const struct fore_program *p;
    const uint32_t *dim; /* thread -> its entry in clocks, 0: has none */
    struct fore_clocks clocks;
    struct fore_clock *of_thread, *of_object;
    struct fore_map messages;  /* operation, or room_key -> clock */
    uint32_t *sent, *received; /* through each buffer, so far (or still to come) */
    bool backward;
};

/* The next step is `step` or, backward, the step before it. `dim` is shared. */
void fore_knowledge_init(struct fore_knowledge *k, const struct fore_comm *c,
                         const uint32_t *dim, bool backward, uint32_t step);
void fore_knowledge_release(struct fore_knowledge *k);
/* Step i of the order is done. */
void fore_knowledge_step(struct fore_knowledge *k, uint32_t i);

/* How many operations of `other`, a thread of interest, the thread knows to be done. Forward
 * only. */
static inline uint32_t fore_knowledge_of(const struct fore_knowledge *k, uint32_t thread,
                                         uint32_t other)
{
    return fore_clock_get(&k->clocks, k->of_thread[thread], k->dim[other]);
}

#endif
