/* The beginnings of runs that guided search could try next, the most promising first. */
#ifndef FORE_EXPLORE_PROGRAM_FRONTIER_H
#define FORE_EXPLORE_PROGRAM_FRONTIER_H

#include "base/map.h"
#include "explore/program/reversal.h"

struct fore_try {
    uint64_t score, order; /* the least comes first */
    char *schedule;
    uint64_t seed; /* seed of other randomness, as in the run in which it was found */
};

struct fore_tries {
    FORE_VEC(struct fore_try) heap;
    struct fore_map tried; /* by the hash of their classes */
    struct fore_map pairs; /* pair of places -> how often it was reversed */
    uint64_t order;
    uint64_t bytes; /* of the schedules */
};

void fore_tries_release(struct fore_tries *t);
/* Takes over the schedules of new beginnings. False: memory is bounded, and some were left out. */
bool fore_tries_add(struct fore_tries *t, struct fore_beginnings *b, uint64_t seed);
/* Adds a schedule that was asked for: it comes before all others, unless it was tried. */
void fore_tries_wish(struct fore_tries *t, char *schedule, uint64_t seed);
/* Takes the next one, whose schedule the caller frees or puts back; false: nothing is left. */
bool fore_tries_take(struct fore_tries *t, struct fore_try *out);
void fore_tries_put(struct fore_tries *t, struct fore_try x);

#endif
