/* Circles in the graph of states: the system can come back to a state without that any client
 * has noticed anything. */
#ifndef FORE_EXPLORE_CIRCLE_H
#define FORE_EXPLORE_CIRCLE_H

#include "explore/explorer.h"

/* A circle sends every message anew that it receives, so there is none if no kind of message at
 * one agent brings itself about again. What brings about what is noted as bits in so many words:
 * of the last step, unless it is a fault, whose budget keeps it from coming back. */
size_t fore_causes_words(const struct fore_actors *w);
void fore_causes_note(const struct fore_actors *w, uint64_t *causes);
/* `causes` is used up. */
bool fore_circles_may_be(const struct fore_actors *w, uint64_t *causes);
/* Reports the shortest circle that a search in depth meets, from the explorer's start. */
void fore_circles_find(struct fore_explorer *s);

#endif
