/* The fingerprint by which stateful searches tell states apart: of an explorer's world, and of
 * the states in which the sequential object may be. */
#ifndef FORE_EXPLORE_PRINT_H
#define FORE_EXPLORE_PRINT_H

#include "explore/explorer.h"
#include "explore/store.h"

struct fore_print fore_print_of(const struct fore_explorer *s, uint32_t judge);
/* The place of a message among those pending on its link, if that keeps order; else 0. */
uint64_t fore_print_place(const struct fore_actors *w, const struct fore_message *m);

#endif
