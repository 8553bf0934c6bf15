/* The search by levels with the threads of this process, or with other processes. */
#ifndef FORE_EXPLORE_STATEFUL_H
#define FORE_EXPLORE_STATEFUL_H

#include "explore/levels.h"

/* `prepare`, if it is not NULL, is called with every rank before it begins. */
void fore_stateful_run(struct fore_explorer *s,
                       void (*prepare)(struct fore_levels *k, void *user), void *user);

#endif
