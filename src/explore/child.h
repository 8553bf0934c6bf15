/* The part of a session that runs in its child. */
#ifndef FORE_EXPLORE_CHILD_H
#define FORE_EXPLORE_CHILD_H

#include "explore/session.h"

/* In memory that parent and child share. */
struct fore_shared {
    volatile sig_atomic_t stop; /* set by the parent */
    uint32_t workers;
    struct fore_actor_watch watch[];
};

/* Does all the work, from loading the system to the last frame. Does not return. */
void fore_session_child(const struct fore_session *x, struct fore_shared *shared, int fd);

#endif
