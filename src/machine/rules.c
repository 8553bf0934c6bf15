/* What each operation needs and does. Operations on channels are in machine.c, because they may
 * take two threads. */
#include "machine/layout.h"
#include "machine/overtake.h"

static const struct fore_event *event_of(const struct fore_machine *m, uint32_t op)
{
    return fore_insn_event(m->p, op);
}

static void create_thread(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    fore_machine_start(m, (uint32_t)event_of(m, op)->a,
                       get_thread(m, thread, T_FLAGS) & FORE_T_DIFFERS);
}

static bool can_join(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return fore_machine_ended(m, (uint32_t)event_of(m, op)->a);
}

static bool same_close(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    const struct fore_event *e = event_of(m, op);
    bool fails = !e->object || get_object(m, e->object, CHAN_CLOSED);
    return fails == !!(e->flags & FORE_F_CLOSED);
}

static void do_close(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t chan = object_of(m, op);
    if (chan && !get_object(m, chan, CHAN_CLOSED))
        put_object(m, chan, CHAN_CLOSED, thread + 1);
}

static bool free_for_writer(const struct fore_machine *m, uint32_t thread, uint32_t lock)
{
    uint32_t owner = get_object(m, lock, LOCK_OWNER);
    if (owner && object_flags(m, lock) & FORE_OBJ_ROBUST && fore_machine_ended(m, owner))
        return true;
    if (owner)
        return owner == thread && object_flags(m, lock) & FORE_OBJ_RECURSIVE;
    return !get_object(m, lock, LOCK_READERS);
}

static bool free_for_reader(const struct fore_machine *m, uint32_t lock)
{
    if (get_object(m, lock, LOCK_OWNER))
        return false;
    return !(object_flags(m, lock) & FORE_OBJ_WRITERS_FIRST) ||
           !get_object(m, lock, LOCK_WRITERS);
}

static void own_lock(struct fore_machine *m, uint32_t thread, uint32_t lock)
{
    /* The last owner of a robust lock may have ended without giving it back. */
    bool again = get_object(m, lock, LOCK_OWNER) == thread;
    put_object(m, lock, LOCK_OWNER, thread);
    put_object(m, lock, LOCK_DEPTH, again ? get_object(m, lock, LOCK_DEPTH) + 1 : 1);
}

static void give_up_level(struct fore_machine *m, uint32_t lock)
{
    uint32_t depth = get_object(m, lock, LOCK_DEPTH) - 1;
    put_object(m, lock, LOCK_DEPTH, depth);
    if (!depth)
        put_object(m, lock, LOCK_OWNER, 0);
}

static void add_reader(struct fore_machine *m, uint32_t lock, uint32_t by)
{
    put_object(m, lock, LOCK_READERS, get_object(m, lock, LOCK_READERS) + by);
}

static bool can_lock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    return free_for_writer(m, thread, object_of(m, op));
}

static void do_lock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t lock = object_of(m, op), flags = get_thread(m, thread, T_FLAGS);
    if (flags & FORE_T_ARRIVED) {
        put_object(m, lock, LOCK_WRITERS, get_object(m, lock, LOCK_WRITERS) - 1);
        put_thread(m, thread, T_FLAGS, flags & ~(uint32_t)FORE_T_ARRIVED);
    }
    own_lock(m, thread, lock);
}

static bool same_trylock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    const struct fore_event *e = event_of(m, op);
    return free_for_writer(m, thread, e->object) == !(e->flags & FORE_F_BUSY);
}

static void do_trylock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    if (free_for_writer(m, thread, object_of(m, op)))
        own_lock(m, thread, object_of(m, op));
}

static bool can_unlock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return get_object(m, object_of(m, op), LOCK_OWNER) != 0;
}

static void do_unlock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    give_up_level(m, object_of(m, op));
}

static bool can_rlock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return free_for_reader(m, object_of(m, op));
}

static void do_rlock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    add_reader(m, object_of(m, op), 1);
}

static bool same_tryrlock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    const struct fore_event *e = event_of(m, op);
    return free_for_reader(m, e->object) == !(e->flags & FORE_F_BUSY);
}

static void do_tryrlock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    if (free_for_reader(m, object_of(m, op)))
        add_reader(m, object_of(m, op), 1);
}

static bool can_runlock(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return get_object(m, object_of(m, op), LOCK_READERS) != 0;
}

static void do_runlock(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    add_reader(m, object_of(m, op), UINT32_MAX);
}

/* A condition whose lock is not known (0) is used with events of the lock's own. */
static bool can_cwait(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    uint32_t lock = (uint32_t)event_of(m, op)->a;
    return !lock || get_object(m, lock, LOCK_OWNER) != 0;
}

static void do_cwait(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    const struct fore_event *e = event_of(m, op);
    if (e->a)
        give_up_level(m, (uint32_t)e->a);
    fore_machine_sleep(m, thread, e->object);
}

bool fore_machine_wakes(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    return get_thread(m, thread, T_FLAGS) & FORE_T_WOKEN ||
           (fore_insn_ended(m->p, op) && m->p->ops[op].link == FORE_NO_OP);
}

static bool can_cwoken(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t lock = (uint32_t)event_of(m, op)->a;
    return fore_machine_wakes(m, thread, op) &&
           (!lock || free_for_writer(m, thread, lock));
}

static void do_cwoken(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t lock = (uint32_t)event_of(m, op)->a;
    if (get_thread(m, thread, T_FLAGS) & FORE_T_WAITING)
        fore_machine_wake(m, thread, object_of(m, op));
    put_thread(m, thread, T_FLAGS,
               get_thread(m, thread, T_FLAGS) & ~(uint32_t)FORE_T_WOKEN);
    if (lock)
        own_lock(m, thread, lock);
}

static void do_cbroadcast(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    uint32_t cond = object_of(m, op), first;
    while ((first = m->w[at_list(m, cond, 0)]) != 0)
        fore_machine_wake(m, first, cond);
}

static bool same_acquire(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    const struct fore_event *e = event_of(m, op);
    return get_object(m, e->object, COUNT) >= e->a;
}

/* A thread that only tried does not wait for the units: it can go on without them. */
static bool can_acquire(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    return event_of(m, op)->flags & FORE_F_BUSY || same_acquire(m, thread, op);
}

static void count_units(struct fore_machine *m, uint32_t object, uint64_t by)
{
    put_object(m, object, COUNT, get_object(m, object, COUNT) + (uint32_t)by);
}

static void do_acquire(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    if (same_acquire(m, thread, op))
        count_units(m, object_of(m, op), 0 - event_of(m, op)->a);
}

static void do_release(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    count_units(m, object_of(m, op), event_of(m, op)->a);
}

/* Arrivals are numbered; a round of the barrier's size opens when all have arrived. */
static bool barrier_is_full(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    const struct fore_event *e = event_of(m, op);
    uint64_t size = e->a ? e->a : 1;
    uint64_t round = get_thread(m, thread, T_TICKET) / size + 1;
    return get_thread(m, thread, T_FLAGS) & FORE_T_ARRIVED &&
           get_object(m, e->object, COUNT) >= round * size;
}

static void do_barrier(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)op;
    put_thread(m, thread, T_FLAGS,
               get_thread(m, thread, T_FLAGS) & ~(uint32_t)FORE_T_ARRIVED);
    put_thread(m, thread, T_TICKET, 0);
}

/* ONCE_RUNNING: a thread that did not run the function in the recorded run runs it, and has left
 * the trace by doing so. */
enum { ONCE_RAN = 1, ONCE_RUNNING = 2 };

/* The first thread to come runs the function, and the others wait for it. The recording says
 * only when the function was done, not when it began; so a thread that waited may also have been
 * the one to run it, which would take it off the trace. */
static bool same_once(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    bool ran = !(event_of(m, op)->flags & FORE_F_BUSY);
    return ran == (get_object(m, object_of(m, op), COUNT) == 0);
}

/* While a thread is known to run the once, others wait. */
static bool can_once(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    if (get_object(m, object_of(m, op), COUNT) == ONCE_RUNNING)
        return false;
    uint32_t lock = (uint32_t)m->p->initial[object_of(m, op)];
    return !(event_of(m, op)->flags & FORE_F_BUSY) || !lock ||
           !get_object(m, lock, LOCK_OWNER);
}

static void do_once(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    bool same = same_once(m, thread, op);
    bool waited = event_of(m, op)->flags & FORE_F_BUSY;
    if (same && !waited)
        put_object(m, object_of(m, op), COUNT, ONCE_RAN);
    else if (!same && waited)
        put_object(m, object_of(m, op), COUNT, ONCE_RUNNING);
}

static uint32_t wg_after(const struct fore_machine *m, uint32_t op)
{
    const struct fore_event *e = event_of(m, op);
    uint64_t by = e->kind == FORE_EV_WGDONE ? UINT64_MAX : e->a;
    return get_object(m, e->object, COUNT) + (uint32_t)by;
}

static bool same_wgadd(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return (int32_t)wg_after(m, op) >= 0;
}

static void do_wgadd(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    put_object(m, object_of(m, op), COUNT, wg_after(m, op));
}

static bool can_wgwait(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    return get_object(m, object_of(m, op), COUNT) == 0;
}

static struct fore_value value_written(const struct fore_machine *m, uint32_t place)
{
    uint32_t by = get_object(m, place, COUNT) & ~FORE_TAINT;
    if (!by)
        return m->p->trace->tables.objects.at[place].init;
    const struct fore_event *e = event_of(m, by - 1);
    if (e->kind == FORE_EV_RMW)
        return (struct fore_value){fore_event_type_b(e), e->b};
    return (struct fore_value){fore_event_type_a(e), e->a};
}

/* The same value is as good as the same writer, because the thread cannot tell them apart. The
 * same writer with another value means that something unrecorded, such as a call into the
 * kernel, wrote after it. */
static bool same_value(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    const struct fore_event *e = event_of(m, op);
    if (get_object(m, e->object, COUNT) & FORE_TAINT)
        return false; /* what was written is not known */
    struct fore_value now = value_written(m, e->object);
    enum fore_value_type type = fore_event_type_a(e);
    if (type != FORE_VALUE_NONE && now.type == type && now.bits == e->a &&
        !(m->strict && fore_overtakes(m, thread, op)))
        return true;
    return get_object(m, e->object, COUNT) == m->p->ops[op].link + 1;
}

static void do_write(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    put_object(m, object_of(m, op), COUNT, fore_machine_signed(m, thread, op));
}

/* The sender has done it: an actor's message waits until it is taken. */
static bool was_sent(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    (void)thread;
    uint32_t from = m->p->ops[op].link;
    return from != FORE_NO_OP &&
           get_thread(m, fore_insn_thread(m->p, from), T_NEXT) > from;
}

static bool can_fire(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    return m->p->ops[op].link == FORE_NO_OP || was_sent(m, thread, op);
}

/* What goes to one thing and what comes from it keep their order. */
static bool is_in_order(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    return !fore_clause_holds(m->p, FORE_CLAUSE_ORDER) || can_fire(m, thread, op);
}

const struct fore_insn_rule fore_insn_rules[FORE_KINDS] = {
    [FORE_EV_SIGNAL] = {.effect = create_thread},
    [FORE_EV_SPAWN] = {.effect = create_thread},
    [FORE_EV_JOIN] = {.ready = can_join},
    [FORE_EV_CLOSE] = {NULL, same_close, do_close},
    [FORE_EV_LOCK] = {can_lock, NULL, do_lock},
    [FORE_EV_TRYLOCK] = {NULL, same_trylock, do_trylock},
    [FORE_EV_UNLOCK] = {can_unlock, NULL, do_unlock},
    [FORE_EV_RLOCK] = {can_rlock, NULL, do_rlock},
    [FORE_EV_TRYRLOCK] = {NULL, same_tryrlock, do_tryrlock},
    [FORE_EV_RUNLOCK] = {can_runlock, NULL, do_runlock},
    [FORE_EV_CWAIT] = {can_cwait, NULL, do_cwait},
    [FORE_EV_CWOKEN] = {can_cwoken, NULL, do_cwoken},
    [FORE_EV_CBROADCAST] = {.effect = do_cbroadcast},
    [FORE_EV_ACQUIRE] = {can_acquire, same_acquire, do_acquire},
    [FORE_EV_RELEASE] = {.effect = do_release},
    [FORE_EV_BARRIER] = {barrier_is_full, NULL, do_barrier},
    [FORE_EV_ONCE] = {can_once, same_once, do_once},
    [FORE_EV_WGADD] = {NULL, same_wgadd, do_wgadd},
    [FORE_EV_WGDONE] = {NULL, same_wgadd, do_wgadd},
    [FORE_EV_WGWAIT] = {.ready = can_wgwait},
    [FORE_EV_FIRE] = {.ready = can_fire},
    [FORE_EV_READ] = {.same = same_value},
    [FORE_EV_WRITE] = {.effect = do_write},
    [FORE_EV_RMW] = {NULL, same_value, do_write},
    [FORE_EV_ARECV] = {.ready = was_sent},
    [FORE_EV_IN] = {.ready = is_in_order},
    [FORE_EV_OUT] = {.ready = is_in_order},
};
