/* Finds circles in the graph of states: ways in which the system comes back to a state without
 * any client noticing. */
#ifndef FORE_EXPLORE_CIRCLE_H
#define FORE_EXPLORE_CIRCLE_H

#include "explore/explorer.h"

/* A circle sends every message again that it receives. So there is none if no kind of message at
 * one agent can cause itself. The causes are noted as bits, in this many words; fore_causes_note
 * adds those of the last step, unless that is a fault, whose budget keeps it from coming back. */
size_t fore_causes_words(const struct fore_actors *w);
void fore_causes_note(const struct fore_actors *w, uint64_t *causes);
/* `causes` is used up. */
bool fore_circles_may_be(const struct fore_actors *w, uint64_t *causes);
/* Reports the shortest circle that a search in depth meets, from the explorer's start. */
void fore_circles_find(struct fore_explorer *s);

#endif
