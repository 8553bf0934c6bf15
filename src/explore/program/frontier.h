/* What guided search could try next: beginnings of runs that were not tried, the most promising
 * first. */
#ifndef FORE_EXPLORE_PROGRAM_FRONTIER_H
#define FORE_EXPLORE_PROGRAM_FRONTIER_H

#include "base/map.h"
#include "explore/program/reversal.h"

struct fore_try {
    uint64_t score, order; /* the least comes first */
    char *schedule;
    uint64_t seed; /* of what is random besides it, in the run that it was found in */
};

struct fore_tries {
    FORE_VEC(struct fore_try) heap;
    struct fore_map tried; /* by the hash of its class */
    struct fore_map pairs; /* how often two places were reversed */
    uint64_t order;
    uint64_t bytes; /* of the schedules */
};

void fore_tries_release(struct fore_tries *t);
/* Takes over the schedules of those that are new. False: memory is bounded, and some were left out. */
bool fore_tries_add(struct fore_tries *t, struct fore_beginnings *b, uint64_t seed);
/* One that somebody asked for: before all others, unless it was tried. */
void fore_tries_wish(struct fore_tries *t, char *schedule, uint64_t seed);
/* The next one, whose schedule the caller frees or puts back; false: nothing is left. */
bool fore_tries_take(struct fore_tries *t, struct fore_try *out);
void fore_tries_put(struct fore_tries *t, struct fore_try x);

#endif
