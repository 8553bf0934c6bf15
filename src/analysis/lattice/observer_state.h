/* Inside the observer: its state, and what its ways of working share. */
#ifndef FORE_ANALYSIS_LATTICE_OBSERVER_STATE_H
#define FORE_ANALYSIS_LATTICE_OBSERVER_STATE_H

#include "analysis/lattice/observer.h"

#include "base/hash.h"

/* An event that extends a state, before the window has chosen. */
struct candidate {
    uint64_t arrival;
    uint32_t state, slot;
};

struct fore_observer {
    struct fore_watch *watch;
    struct fore_observer_options opt;
    struct fore_observer_stats stats;
    struct fore_queue queue;
    FORE_VEC(struct fore_tier) levels; /* LEVELS: two, in turns; EAGER: all */
    uint64_t level;                    /* of the newest complete one */
    bool sets;      /* monitor states as sets of bits: no detail, small automata */
    uint32_t width; /* words of a cut, at least the number of slots */
    struct fore_chains *chains; /* one per property */
    struct fore_violation *violations;
    uint32_t found;         /* violated properties */
    FORE_VEC(uint32_t) key; /* of the state that is being made */
    struct fore_map cuts;   /* with a space: the cuts of the level that is being made */
    FORE_VEC(struct candidate) candidates;
    FORE_VEC(struct fore_observation) waiting; /* EAGER: what it needs is not there yet */
    /* the observed run */
    struct fore_val *seen_values;
    uint32_t *seen_states;
    uint64_t seen;
};

/* A state's hash is the sum of its entries, weighted: one step adds one weight. */
static inline uint64_t fore_slot_weight(uint32_t slot)
{
    return fore_hash_u64(slot + 1) | 1;
}

/* extend.c */
/* Limbs for counts on the level after `from`; 0 if they would be too many. */
uint32_t fore_observer_limbs(struct fore_observer *o, struct fore_tier *from);
/* A run to a state on `level` violates the property. */
void fore_observer_found(struct fore_observer *o, uint32_t prop, uint64_t level,
                         uint32_t chain);
bool fore_observer_followed(const struct fore_observer *o, uint32_t prop);
/* Can the next event of `slot` extend the state? */
bool fore_observer_extends(const struct fore_observer *o, struct fore_tier *l, uint32_t s,
                           uint32_t slot, uint64_t *arrival);
/* Extends state s of `from` by the event of `slot`, into `to`, whose states are on `level`.
 * The state it leads to, or NONE if the window is full. */
uint32_t fore_observer_edge(struct fore_observer *o, struct fore_tier *from, uint32_t s,
                            struct fore_tier *to, uint32_t slot, uint64_t level);
void fore_observer_widen(struct fore_observer *o); /* cuts for all threads known by now */
bool fore_observer_spent(struct fore_observer *o);
/* Words of a cut that callbacks see. */
static inline uint32_t fore_observer_cut_width(const struct fore_observer *o)
{
    return o->opt.space ? (uint32_t)o->queue.slots.n : o->width;
}

/* eager.c */
void fore_observer_eagerly(struct fore_observer *o, const struct fore_observation *m);

#endif
