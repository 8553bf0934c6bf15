/* Records misuse of locks before the library acts on it; the owner is the one that the library
 * itself knows. Kinds of locks that refuse (error-checking, recursive, robust) return an error,
 * which is defined behaviour and no misuse. */
#include "capture/c/runtime/misuse.h"
#include "capture/c/runtime/turn.h"

#include <string.h>

#ifdef __GLIBC__

enum { KIND = 3, RECURSIVE = 1, ERRORCHECK = 2, ROBUST = 16 };

static enum fore_rt_owner owner_of_mutex(const pthread_mutex_t *m)
{
    if (!__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED))
        return FORE_RT_NOBODYS;
    int owner = __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
    return owner == fore_rt_self()->tid ? FORE_RT_MINE : FORE_RT_ANOTHERS;
}

/* Was the lock held by another thread of the parent when this process was forked, so that no
 * thread here gives it back? Locks shared with other processes do not count. */
static bool is_orphaned(const pthread_mutex_t *m)
{
    enum { SHARED = 128 };
    int kind = m->__data.__kind;
    return owner_of_mutex(m) == FORE_RT_ANOTHERS && !(kind & (ROBUST | SHARED));
}

static bool refuses(const pthread_mutex_t *m)
{
    int kind = m->__data.__kind;
    return kind & ROBUST || (kind & KIND) == RECURSIVE || (kind & KIND) == ERRORCHECK;
}

/* Only the number of readers is known: each may be the calling thread. */
static enum fore_rt_owner owner_of_rwlock(const pthread_rwlock_t *l)
{
    enum { FLAGS = 3 };
    int writer = __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED);
    unsigned readers = __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> FLAGS;
    if (writer)
        return writer == fore_rt_self()->tid ? FORE_RT_MINE : FORE_RT_ANOTHERS;
    return readers ? FORE_RT_MINE : FORE_RT_NOBODYS;
}

bool fore_rt_is_written(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) != 0;
}

bool fore_rt_prefers_writers(const pthread_rwlock_t *l)
{
    return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

#else

bool fore_rt_is_written(const pthread_rwlock_t *l)
{
    (void)l;
    return false;
}

bool fore_rt_prefers_writers(const pthread_rwlock_t *l)
{
    (void)l;
    return false;
}

static enum fore_rt_owner owner_of_mutex(const pthread_mutex_t *m)
{
    (void)m;
    return FORE_RT_MINE;
}

static bool is_orphaned(const pthread_mutex_t *m)
{
    (void)m;
    return false;
}

static bool refuses(const pthread_mutex_t *m)
{
    (void)m;
    return false;
}

static enum fore_rt_owner owner_of_rwlock(const pthread_rwlock_t *l)
{
    (void)l;
    return FORE_RT_MINE;
}

#endif

void fore_rt_misuse(const void *lock, unsigned flags, const char *what)
{
    struct fore_rt_thread *t = fore_rt_enter();
    struct fore_rt_object *o =
        t ? fore_rt_object(t, lock, FORE_RING_OBJ_LOCK, flags) : NULL;
    if (o) {
        uint32_t text = fore_rt_text(t, what, strlen(what));
        uint32_t where = fore_rt_where(t, fore_rt_site());
        struct fore_ring_record *r = fore_rt_take(t, 1);
        ((uint64_t *)(r + 1))[0] = text;
        ((uint64_t *)(r + 1))[1] = 0;
        fore_rt_put(
            t, r, where, o->id,
            FORE_RING_WORD(FORE_RING_MISUSE, FORE_RING_DONE, 1, fore_rt_ticket(o)));
    }
    if (t)
        fore_rt_leave(t);
}

/* A lock that a forked process gives back was taken by its parent, which is unknown here. */
static bool is_known(const void *lock)
{
    const struct fore_rt_object *o = fore_rt_known(lock, FORE_RING_OBJ_LOCK);
    return o && o->ticket;
}

static bool tell_unlock(const void *lock, unsigned flags, enum fore_rt_owner owner)
{
    if (owner == FORE_RT_MINE || !fore_rt_on() || !is_known(lock))
        return true;
    fore_rt_misuse(lock, flags,
                   owner == FORE_RT_NOBODYS ? FORE_RT_UNLOCKED_FREE
                                            : FORE_RT_UNLOCKED_ANOTHERS);
    return owner == FORE_RT_ANOTHERS;
}

bool fore_rt_may_unlock(const pthread_mutex_t *m)
{
    enum fore_rt_owner owner = owner_of_mutex(m);
    if (owner != FORE_RT_MINE && refuses(m) && is_known(m))
        return false;
    return tell_unlock(m, 0, owner);
}

bool fore_rt_may_unlock_rw(const pthread_rwlock_t *l)
{
    return tell_unlock(l, FORE_RING_OBJ_RW, owner_of_rwlock(l));
}

void fore_rt_look_for_orphan(const pthread_mutex_t *m)
{
    if (!fore_rt_is_alone_in_child() || !is_orphaned(m))
        return;
    fore_turn_child_waits(); /* records it, and does not return, if the run is controlled */
    fore_rt_misuse(m, 0, FORE_RT_HELD_AT_FORK);
}

void fore_rt_destroyed(const pthread_mutex_t *m)
{
    if (fore_rt_on() && owner_of_mutex(m) != FORE_RT_NOBODYS && is_known(m))
        fore_rt_misuse(m, 0, FORE_RT_DESTROYED_HELD);
}

void fore_rt_destroyed_rw(const pthread_rwlock_t *l)
{
    if (fore_rt_on() && owner_of_rwlock(l) != FORE_RT_NOBODYS && is_known(l))
        fore_rt_misuse(l, FORE_RING_OBJ_RW, FORE_RT_DESTROYED_HELD);
}
