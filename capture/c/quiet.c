/* Sections that say nothing. A thread that takes a lock which it was itself the last to release,
 * and has neither done nor learnt anything since, and gives it back without having done anything
 * within, adds nothing to any order: it is not recorded. If something happens within, the lock is
 * recorded before that, also when that is the taking of another lock; so critical sections and
 * the nesting of locks are as they were. Only where relevant variables alone are recorded: an
 * access that is merely noted would not know that it is within. */
#include "c/sync.h"

#include <errno.h>

static bool is_old_news(const struct fore_rt_object *o, const struct fore_rt_thread *t)
{
    return __atomic_load_n(&o->last, __ATOMIC_RELAXED) == t->number &&
           __atomic_load_n(&o->news, __ATOMIC_RELAXED) == t->news;
}

bool fore_rt_lock_quietly(pthread_mutex_t *m, int *status)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (!fore_rt_on() || t->inside || t->over || t->quiet || fore_rt_tells())
        return false;
    struct fore_rt_object *o = fore_rt_known(m, FORE_RT_LOCK);
    if (!o || !is_old_news(o, t))
        return false;
    *status = fore_rt_real.pthread_mutex_trylock(m);
    if (*status && *status != EOWNERDEAD)
        return false;
    if (is_old_news(o, t)) {
        t->quiet = o;
        t->quiet_site = t->site;
    } else { /* another thread has had it in between */
        fore_rt_op_done(FORE_RING_LOCK, 0, m, FORE_RT_LOCK, 0, 0);
    }
    return true;
}

bool fore_rt_unlock_quietly(const pthread_mutex_t *m)
{
    struct fore_rt_thread *t = fore_rt_self();
    if (!t->quiet || t->quiet->address != m || t->inside)
        return false;
    t->quiet = NULL;
    return true;
}

void fore_rt_say_lock(struct fore_rt_thread *t)
{
    struct fore_rt_object *o = t->quiet;
    uint32_t news = t->news;
    t->quiet = NULL;
    uint32_t where = fore_rt_where(t, t->quiet_site);
    fore_rt_put(t, fore_rt_take(t, 0), where, o->id,
                FORE_RING_WORD(FORE_RING_LOCK, FORE_RING_DONE, 0, fore_rt_ticket(o)));
    t->news = news;
}
