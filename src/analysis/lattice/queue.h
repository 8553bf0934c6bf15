/* The relevant events that the observer still needs, by thread, with what each must come
 * after. They may arrive in any order that fills no gap twice. */
#ifndef FORE_ANALYSIS_LATTICE_QUEUE_H
#define FORE_ANALYSIS_LATTICE_QUEUE_H

#include "analysis/lattice/chain.h"
#include "base/map.h"
#include "spec/value.h"

/* "`count` relevant events of `thread`" */
struct fore_past {
    uint32_t thread, count;
};

/* A message of algorithm A: event `number` (from 1) of `thread`, its clock, what it wrote. */
struct fore_observation {
    uint32_t thread, number;
    const struct fore_past *past; /* entries of other threads that are not 0 */
    uint32_t past_count;
    struct fore_val value;
    struct fore_lattice_step step;
};

struct fore_queued {
    bool known;
    uint32_t need_count;
    struct fore_past
        *needs;       /* by slot; what the thread's previous event needed is left out */
    uint64_t arrival; /* 0, 1, … */
    struct fore_val value;
    struct fore_lattice_step step;
};

/* A thread with relevant events. */
struct fore_slot {
    uint32_t thread;
    uint32_t dropped; /* events 1 … dropped are gone */
    uint32_t known;   /* events 1 … known have arrived */
    size_t first;     /* where event dropped + 1 is in `events` */
    FORE_VEC(struct fore_queued) events;
    FORE_VEC(uint32_t) seen; /* by slot: what event `known` is known to come after */
};

struct fore_queue {
    FORE_VEC(struct fore_slot) slots;
    struct fore_map slot_of;
    uint64_t arrived, held; /* held: known and not dropped */
};

void fore_queue_release(struct fore_queue *q);
uint32_t fore_queue_slot(struct fore_queue *q, uint32_t thread); /* found or added */
/* The number of the event's level: how many relevant events it needs, itself included. */
uint64_t fore_queue_add(struct fore_queue *q, const struct fore_observation *m);
void fore_queue_drop(struct fore_queue *q, uint32_t slot, uint32_t up_to);

/* The number-th event of the slot, or NULL if it has not arrived. It must not be dropped. */
static inline const struct fore_queued *fore_queue_at(const struct fore_queue *q,
                                                      uint32_t slot, uint32_t number)
{
    const struct fore_slot *s = &q->slots.at[slot];
    size_t i = s->first + (number - s->dropped - 1);
    return i < s->events.n && s->events.at[i].known ? &s->events.at[i] : NULL;
}

/* Lemma 6: has the cut everything that the event needs? (Its own entry is the caller's.) */
static inline bool fore_queue_enabled(const struct fore_queued *e, const uint32_t *cut)
{
    for (uint32_t i = 0; i < e->need_count; i++)
        if (cut[e->needs[i].thread] < e->needs[i].count)
            return false;
    return true;
}

#endif
