/* Agents that a harness treats alike: of one role, with the same arguments, and interchangeable
 * in the messages with which clients and the start address them. States that differ only by
 * swapping such agents count as one. The system has to say how its states and messages name
 * agents (foresee_symmetry in foresee/actor.h); else there is no symmetry. */
#ifndef FORE_EXPLORE_SYMMETRY_H
#define FORE_EXPLORE_SYMMETRY_H

#include "explore/explorer.h"
#include "explore/store.h"

/* A renaming of agents: agent i becomes to[i]. */
struct fore_renaming {
    int64_t to[FORE_AGENTS_MAX + 1];
};

struct fore_symmetry {
    FORE_VEC(struct fore_renaming) group; /* the identity first; one: no symmetry */
    FORE_VEC(char) state;                 /* a renamed copy */
};

void fore_symmetry_init(struct fore_symmetry *y, const struct fore_actors *w);
void fore_symmetry_release(struct fore_symmetry *y);
/* A print that is the same for all states that renamings lead to. */
struct fore_print fore_symmetry_print(struct fore_symmetry *y,
                                      const struct fore_explorer *s, uint32_t judge);

#endif
