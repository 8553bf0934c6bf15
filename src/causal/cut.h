/* Cuts: how far each thread has come, as a clock whose entries count events. A cut is
 * consistent if whatever happened before one of its events is in it too. Consistent cuts
 * are closed under fore_clock_join and fore_clock_meet: they form a lattice. */
#ifndef FORE_CAUSAL_CUT_H
#define FORE_CAUSAL_CUT_H

#include "causal/order.h"

bool fore_cut_consistent(const struct fore_order *o, struct fore_clock cut);
bool fore_cut_has(const struct fore_order *o, struct fore_clock cut, uint32_t event);

/* The least consistent cut that has the event, and the greatest that has not. The caller
 * drops them. */
struct fore_clock fore_cut_least(struct fore_order *o, uint32_t event);
struct fore_clock fore_cut_greatest_without(struct fore_order *o, uint32_t event);
struct fore_clock fore_cut_all(struct fore_order *o);

/* May the thread go one event further? (With its partner, if that event is half of an
 * unbuffered communication.) False at its end. */
bool fore_cut_enabled(const struct fore_order *o, struct fore_clock cut, uint32_t thread);
/* Does so: the cut then has the thread's next event and whatever happened before it. */
void fore_cut_advance(struct fore_order *o, struct fore_clock *cut, uint32_t thread);

#endif
