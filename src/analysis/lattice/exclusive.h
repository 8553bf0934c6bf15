/* Treats locks as exclusion, not as order: two critical sections of one lock may come in either
 * order, as long as they do not overlap and everything else keeps its order. */
#ifndef FORE_ANALYSIS_LATTICE_EXCLUSIVE_H
#define FORE_ANALYSIS_LATTICE_EXCLUSIVE_H

#include "analysis/lattice/observer.h"

struct fore_exclusive;

struct fore_exclusive *fore_exclusive_new(void);
void fore_exclusive_free(struct fore_exclusive *x); /* NULL is fine */
/* Is it an operation on a lock that must take part? */
bool fore_exclusive_wants(const struct fore_event *e);
/* A message whose clock counts both: relevant writes and operations on locks. */
void fore_exclusive_message(struct fore_exclusive *x, const struct fore_observation *m,
                            bool relevant);
/* The space to give to a new observer. */
const struct fore_space *fore_exclusive_space(struct fore_exclusive *x);
/* Hands the relevant events to the observer and ends it. */
void fore_exclusive_end(struct fore_exclusive *x, struct fore_observer *o);
/* Inserts the operations on locks into a run of relevant events, where they can come. */
void fore_exclusive_complete(struct fore_exclusive *x, struct fore_lattice_steps *run);
/* Were there too many places for the operations on locks, so that some runs were left out? */
bool fore_exclusive_cut_short(const struct fore_exclusive *x);

#endif
