/* The locks that a thread holds alone, the last one last. If it holds more than there is room
 * for, the others are not known. */
#ifndef FORE_C_HOLD_H
#define FORE_C_HOLD_H

#include "capture/c/runtime/rt.h"

static inline void fore_rt_hold(struct fore_rt_thread *t, struct fore_rt_object *lock)
{
    if (t->locks < sizeof t->lock / sizeof *t->lock)
        t->lock[t->locks++] = lock;
}

static inline void fore_rt_let_go(struct fore_rt_thread *t,
                                  const struct fore_rt_object *lock)
{
    uint32_t i = t->locks;
    while (i > 0 && t->lock[i - 1] != lock)
        i--;
    if (!i)
        return;
    for (; i < t->locks; i++)
        t->lock[i - 1] = t->lock[i];
    t->locks--;
}

/* The lock at this address if it is the one that the thread took last; else NULL. */
static inline struct fore_rt_object *fore_rt_last_lock(const struct fore_rt_thread *t,
                                                       const void *lock)
{
    struct fore_rt_object *o = t->locks ? t->lock[t->locks - 1] : NULL;
    return o && o->address == lock ? o : NULL;
}

/* Does the thread hold the lock of this number, which guards places? See shared.h. */
static inline bool fore_rt_holds(const struct fore_rt_thread *t, uint32_t guard)
{
    for (uint32_t i = t->locks; i > 0; i--)
        if (t->lock[i - 1]->guard == guard)
            return true;
    return false;
}

#endif
