/* Finds locks that are given back by threads that do not own them, or destroyed while they are
 * held. */
#ifndef FORE_C_MISUSE_H
#define FORE_C_MISUSE_H

#include "capture/c/runtime/rt.h"

enum fore_rt_owner { FORE_RT_MINE, FORE_RT_NOBODYS, FORE_RT_ANOTHERS };

#define FORE_RT_UNLOCKED_FREE "unlocked while nobody held it"
#define FORE_RT_UNLOCKED_ANOTHERS "unlocked by a thread that did not hold it"
#define FORE_RT_DESTROYED_HELD "destroyed while it was held"
#define FORE_RT_UNINITIALISED                                                            \
    "locked although it was not initialised, or destroyed before"

#define FORE_RT_HELD_AT_FORK                                                             \
    "waited for without end in a forked process (another thread of the parent held it "  \
    "at the fork)"

/* What the library knows of a lock of readers and writers: whether a writer holds it, and
 * whether a reader waits while a writer does. */
bool fore_rt_is_written(const pthread_rwlock_t *l);
bool fore_rt_prefers_writers(const pthread_rwlock_t *l);
/* Records that something was wrong with the lock. `flags` are of its kind. */
void fore_rt_misuse(const void *lock, unsigned flags, const char *what);
/* Called before it is unlocked: records a misuse. False if the call releases nothing. */
bool fore_rt_may_unlock(const pthread_mutex_t *m);
bool fore_rt_may_unlock_rw(const pthread_rwlock_t *l);
/* Called before it is waited for. */
void fore_rt_look_for_orphan(const pthread_mutex_t *m);
/* Before it is destroyed. */
void fore_rt_destroyed(const pthread_mutex_t *m);
void fore_rt_destroyed_rw(const pthread_rwlock_t *l);

#endif
