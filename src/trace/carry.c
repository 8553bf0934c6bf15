#include "trace/carry.h"

#include "trace/event.h"

void fore_carry_release(struct fore_carry *c)
{
    fore_vec_release(&c->holds);
    fore_vec_release(&c->states);
    fore_vec_release(&c->idle);
    fore_vec_release(&c->threads);
    fore_map_release(&c->semaphores);
    fore_map_release(&c->onces);
    fore_map_release(&c->barriers);
    fore_map_release(&c->places);
    fore_vec_release(&c->out);
}

static struct fore_carried_thread *thread_of(struct fore_carry *c, uint32_t thread)
{
    fore_vec_ensure(&c->threads, (size_t)thread + 1);
    return &c->threads.at[thread];
}

/* ---- the state after an event ---- */

/* The last one of the thread; of another, if a lock was given back by another thread. */
static void drop_hold(struct fore_carry *c, uint32_t thread, uint32_t lock)
{
    size_t found = c->holds.n;
    for (size_t i = c->holds.n; i-- > 0;)
        if (c->holds.at[i].lock == lock &&
            (found == c->holds.n || c->holds.at[i].thread == thread)) {
            found = i;
            if (c->holds.at[i].thread == thread)
                break;
        }
    if (found == c->holds.n)
        return;
    c->holds.n--;
    memmove(c->holds.at + found, c->holds.at + found + 1,
            (c->holds.n - found) * sizeof *c->holds.at);
}

static void count_departure(struct fore_carry *c, const struct fore_event *e)
{
    uint64_t *at = fore_map_put(&c->barriers, e->object, NULL);
    uint64_t departed = (*at >> 32) + 1;
    *at = e->a && departed % e->a ? departed % e->a << 32 | (uint32_t)e->a : 0;
}

static void note_lock(struct fore_carry *c, const struct fore_event *e)
{
    struct fore_carried_thread *t = thread_of(c, e->thread);
    struct fore_lock_use use = fore_event_lock(e);
    if (use.step == FORE_LOCK_TAKEN)
        fore_vec_push(&c->holds, (struct fore_carried_hold){e->thread, use.lock, e->where,
                                                            use.shared});
    else if (use.step == FORE_LOCK_GIVEN_BACK)
        drop_hold(c, e->thread, use.lock);
    switch (e->kind) {
    case FORE_EV_CWAIT:
        t->cond = e->object;
        t->told = false;
        t->lock = (uint32_t)e->a;
        t->where = e->where;
        break;
    case FORE_EV_CWOKEN:
        t->cond = 0;
        t->asleep = false;
        break;
    case FORE_EV_ACQUIRE:
        *fore_map_put(&c->semaphores, e->object, NULL) -= e->a ? e->a : 1;
        break;
    case FORE_EV_RELEASE:
        *fore_map_put(&c->semaphores, e->object, NULL) += e->a ? e->a : 1;
        break;
    case FORE_EV_BARRIER:
        count_departure(c, e);
        break;
    case FORE_EV_ONCE:
        if (!(e->flags & FORE_F_BUSY) && !fore_map_get(&c->onces, e->object))
            *fore_map_put(&c->onces, e->object, NULL) = 2;
        break;
    default:
        break;
    }
}

static void note_event(struct fore_carry *c, const struct fore_event *e)
{
    if (e->flags & FORE_F_PRE && fore_kind_blocks(e->kind)) {
        thread_of(c, e->thread)->told = e->kind == FORE_EV_CWOKEN;
        return;
    }
    if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
        thread_of(c, (uint32_t)e->a)->signalled_now = true;
    else if (e->kind == FORE_EV_END || e->kind == FORE_EV_EXIT)
        thread_of(c, e->thread)->ended_now = true;
    else if (fore_kind_group(e->kind) == FORE_GROUP_LOCK)
        note_lock(c, e);
}

/* ---- the events of a part ---- */

/* Does the event only end a wait for something earlier? */
static bool is_past_wait(struct fore_carry *c, const struct fore_event *e)
{
    const uint64_t *once;
    switch (e->kind) {
    case FORE_EV_WAIT:
        return thread_of(c, e->thread)->signalled;
    case FORE_EV_JOIN:
        return thread_of(c, (uint32_t)e->a)->ended;
    case FORE_EV_ONCE:
        once = fore_map_get(&c->onces, e->object);
        return once && *once == 1;
    default:
        return fore_kind_group(e->kind) == FORE_GROUP_OPERATION;
    }
}

static void put_outside(struct fore_carry *c, uint32_t thread, unsigned kind,
                        uint32_t object)
{
    fore_vec_push(
        &c->out,
        (struct fore_event){.thread = thread, .kind = (uint16_t)kind, .object = object});
}

/* The value of a place at the beginning of the part is the value first read from it. */
static void note_first(struct fore_carry *c, struct fore_tables *t,
                       const struct fore_event *e)
{
    bool fresh;
    if (e->kind != FORE_EV_READ && e->kind != FORE_EV_WRITE && e->kind != FORE_EV_RMW)
        return;
    fore_map_put(&c->places, e->object, &fresh);
    if (!fresh)
        return;
    t->objects.at[e->object].init = e->kind == FORE_EV_WRITE
                                        ? (struct fore_value){FORE_VALUE_NONE, 0}
                                        : (struct fore_value){fore_event_type_a(e), e->a};
}

/* A thread that waits since an earlier part is woken by something outside, which the signalling
 * thread puts out, and then takes the lock. */
static bool put_wakeup(struct fore_carry *c, const struct fore_event *e)
{
    bool sleeper = false;
    if (e->kind == FORE_EV_CWOKEN && thread_of(c, e->thread)->asleep) {
        struct fore_event lock = *e;
        if (!thread_of(c, e->thread)->told)
            put_outside(c, e->thread, FORE_EV_IN, c->wakes);
        lock.kind = FORE_EV_LOCK;
        lock.object = (uint32_t)e->a;
        lock.a = 0;
        fore_vec_push(&c->out, lock);
        return true;
    }
    if (e->kind != FORE_EV_CSIGNAL && e->kind != FORE_EV_CBROADCAST)
        return false;
    for (size_t i = 0; i < c->threads.n && !sleeper; i++)
        sleeper = c->threads.at[i].asleep && c->threads.at[i].cond == e->object;
    if (sleeper)
        put_outside(c, e->thread, FORE_EV_OUT, c->wakes);
    return e->kind == FORE_EV_CSIGNAL && e->a && thread_of(c, (uint32_t)e->a)->asleep;
}

static void put_event(struct fore_carry *c, struct fore_tables *t,
                      const struct fore_event *e)
{
    struct fore_carried_thread *own = thread_of(c, e->thread);
    if (!own->seen && !own->signalled_now && c->begins)
        put_outside(c, e->thread, FORE_EV_IN, c->earlier);
    thread_of(c, e->thread)->seen = true;
    note_first(c, t, e);
    if (!put_wakeup(c, e))
        fore_vec_push(&c->out, *e);
}

struct fore_batch fore_carry_events(struct fore_carry *c, struct fore_tables *t,
                                    const struct fore_batch *b)
{
    struct fore_batch to = *b;
    fore_vec_clear(&c->out);
    for (size_t i = 0; i < b->n; i++) {
        const struct fore_event *e = &b->events[i];
        if (c->part && is_past_wait(c, e))
            continue;
        if (c->part)
            put_event(c, t, e);
        note_event(c, e);
    }
    if (c->part) {
        to.events = c->out.at;
        to.n = c->out.n;
    }
    return to;
}

/* ---- the next part ---- */

bool fore_carry_may_end(const struct fore_carry *c)
{
    uint64_t key, value;
    for (size_t i = 0; fore_map_next(&c->barriers, &i, &key, &value);)
        if (value)
            return false;
    return true;
}

struct fore_batch fore_carry_end(struct fore_carry *c, const struct fore_tables *t)
{
    fore_vec_clear(&c->out);
    for (uint32_t i = 0; i < c->threads.n; i++) {
        const struct fore_carried_thread *w = &c->threads.at[i];
        if (w->cond && !w->asleep && !w->told)
            fore_vec_push(&c->out, (struct fore_event){.thread = i,
                                                       .kind = FORE_EV_CWOKEN,
                                                       .flags = FORE_F_PRE,
                                                       .object = w->cond,
                                                       .where = w->where,
                                                       .a = w->lock});
    }
    return (struct fore_batch){.tables = t, .events = c->out.at, .n = c->out.n};
}

static void move_keys(struct fore_map *m, const struct fore_map *moved)
{
    struct fore_map old = *m;
    uint64_t key, value;
    *m = (struct fore_map){0};
    for (size_t i = 0; fore_map_next(&old, &i, &key, &value);)
        *fore_map_put(m, *fore_map_get(moved, key), NULL) = value;
    fore_map_release(&old);
}

static void want_keys(struct fore_map *wanted, struct fore_map *m)
{
    struct fore_map old = *m;
    uint64_t key, value;
    *m = (struct fore_map){0};
    for (size_t i = 0; fore_map_next(&old, &i, &key, &value);)
        if (value) { /* an object without state needs nothing */
            *fore_map_put(m, key, NULL) = value;
            fore_map_put(wanted, key, NULL);
        }
    fore_map_release(&old);
}

static void renew_tables(struct fore_carry *c, struct fore_tables *t,
                         struct fore_map *moved)
{
    want_keys(moved, &c->semaphores);
    want_keys(moved, &c->onces);
    for (size_t i = 0; i < c->holds.n; i++)
        fore_map_put(moved, c->holds.at[i].lock, NULL);
    for (size_t i = 0; i < c->threads.n; i++)
        if (c->threads.at[i].cond)
            fore_map_put(moved, c->threads.at[i].cond, NULL);
    struct fore_map wheres = {0};
    for (size_t i = 0; i < c->holds.n; i++)
        fore_map_put(&wheres, c->holds.at[i].where, NULL);
    fore_tables_renew(t, moved, &wheres);
    move_keys(&c->semaphores, moved);
    move_keys(&c->onces, moved);
    for (size_t i = 0; i < c->holds.n; i++) {
        struct fore_carried_hold *h = &c->holds.at[i];
        h->lock = (uint32_t)*fore_map_get(moved, h->lock);
        h->where = (uint32_t)*fore_map_get(&wheres, h->where);
    }
    for (size_t i = 0; i < c->threads.n; i++) {
        struct fore_carried_thread *w = &c->threads.at[i];
        w->cond = w->cond ? (uint32_t)*fore_map_get(moved, w->cond) : 0;
    }
    fore_map_release(&wheres);
}

/* Entries of this part belong to an earlier part now. */
static void turn_page(struct fore_carry *c)
{
    uint64_t key, value;
    for (size_t i = 0; i < c->threads.n; i++) {
        struct fore_carried_thread *t = &c->threads.at[i];
        t->signalled |= t->signalled_now;
        t->ended |= t->ended_now;
        t->signalled_now = t->ended_now = t->seen = t->told = false;
    }
    for (size_t i = 0; fore_map_next(&c->onces, &i, &key, &value);)
        *fore_map_get(&c->onces, key) = 1;
    fore_map_release(&c->barriers);
    fore_map_release(&c->places);
    c->part++;
}

static void put_lock(struct fore_carry *c, uint32_t thread, uint32_t lock, uint32_t where,
                     bool shared)
{
    struct fore_event e = {.thread = thread,
                           .kind = shared ? FORE_EV_RLOCK : FORE_EV_LOCK,
                           .flags = FORE_F_PRE,
                           .object = lock,
                           .where = where};
    fore_vec_push(&c->out, e);
    e.flags = 0;
    fore_vec_push(&c->out, e);
}

/* The threads come one after the other: each reads what those before it have put out. */
static void begin_turn(struct fore_carry *c, uint32_t thread)
{
    thread_of(c, thread)->seen = true;
    if (c->out.n)
        put_outside(c, thread, FORE_EV_IN, c->earlier);
}

static void put_semaphores(struct fore_carry *c)
{
    uint64_t object, count;
    for (size_t i = 0; fore_map_next(&c->semaphores, &i, &object, &count);) {
        if ((int64_t)count <= 0)
            continue;
        begin_turn(c, 1);
        fore_vec_push(&c->out, (struct fore_event){.thread = 1,
                                                   .kind = FORE_EV_RELEASE,
                                                   .object = (uint32_t)object,
                                                   .a = count});
        put_outside(c, 1, FORE_EV_OUT, c->earlier);
    }
}

/* A thread of its own, which has ended, puts in what channels and wait groups have. */
static void put_message(struct fore_carry *c, uint32_t thread, uint32_t chan, uint64_t k)
{
    struct fore_event e = {
        .thread = thread, .kind = FORE_EV_PRE, .flags = FORE_F_SEND, .object = chan};
    fore_vec_push(&c->out, e);
    e.kind = FORE_EV_SEND;
    e.flags = 0;
    e.a = k;
    fore_vec_push(&c->out, e);
}

static void put_states(struct fore_carry *c, struct fore_tables *t)
{
    static const char label[] = "earlier", name[] = "what was before";
    if (!c->states.n)
        return;
    uint32_t thread = fore_tables_thread(t, label, sizeof label - 1);
    t->threads.at[thread].name = fore_tables_string(t, name, sizeof name - 1);
    begin_turn(c, thread);
    for (size_t i = 0; i < c->states.n; i++) {
        const struct fore_carried_state *s = &c->states.at[i];
        struct fore_event e = {.thread = thread, .object = s->object};
        for (uint64_t k = 0; s->kind == FORE_OBJ_CHAN && k < s->count; k++)
            put_message(c, thread, s->object, s->first + k);
        e.kind = s->kind == FORE_OBJ_CHAN ? FORE_EV_CLOSE
                 : s->kind == FORE_OBJ_WG ? FORE_EV_WGADD
                                          : FORE_EV_ARM;
        e.a = s->kind == FORE_OBJ_WG ? s->count : 0;
        if (s->kind != FORE_OBJ_CHAN || s->closed)
            fore_vec_push(&c->out, e);
    }
    put_outside(c, thread, FORE_EV_OUT, c->earlier);
    fore_vec_push(&c->out, (struct fore_event){.thread = thread, .kind = FORE_EV_END});
}

/* Makes the events with which a part begins; c->out is then good until the next call. */
static struct fore_batch put_beginning(struct fore_carry *c, struct fore_tables *t)
{
    static const char earlier[] = "earlier", wakes[] = "wakes";
    fore_vec_clear(&c->out);
    for (size_t i = 0; i < c->threads.n; i++) {
        c->threads.at[i].asleep = c->threads.at[i].cond != 0;
        if (c->threads.at[i].signalled) { /* no thread creates it in this part */
            t->threads.at[i].parent = t->threads.at[i].child = 0;
            t->threads.at[i].earlier = true;
        }
    }
    c->earlier = fore_tables_object(t, FORE_OBJ_OUTSIDE, earlier, sizeof earlier - 1);
    c->wakes = fore_tables_object(t, FORE_OBJ_OUTSIDE, wakes, sizeof wakes - 1);
    put_semaphores(c);
    put_states(c, t);
    for (size_t i = 0; i < c->holds.n; i++) {
        const struct fore_carried_hold *h = &c->holds.at[i];
        begin_turn(c, h->thread);
        put_lock(c, h->thread, h->lock, h->where, h->shared);
        put_outside(c, h->thread, FORE_EV_OUT, c->earlier);
    }
    for (size_t i = 0; i < c->idle.n; i++)
        put_outside(c, c->idle.at[i], FORE_EV_IN, c->earlier);
    for (size_t i = 0; i < c->threads.n; i++)
        c->threads.at[i].seen = false;
    c->begins = c->out.n;
    return (struct fore_batch){.tables = t, .events = c->out.at, .n = c->out.n};
}

struct fore_batch fore_carry_next(struct fore_carry *c, struct fore_tables *t,
                                  struct fore_map *moved)
{
    turn_page(c);
    if (moved)
        renew_tables(c, t, moved);
    return put_beginning(c, t);
}

/* ---- a run of which only the last part is known ---- */

void fore_carry_hold(struct fore_carry *c, struct fore_carried_hold hold)
{
    fore_vec_push(&c->holds, hold);
}

void fore_carry_sleeper(struct fore_carry *c, uint32_t thread, uint32_t cond,
                        uint32_t lock, uint32_t where)
{
    struct fore_carried_thread *t = thread_of(c, thread);
    t->cond = cond;
    t->lock = lock;
    t->where = where;
}

void fore_carry_created(struct fore_carry *c, uint32_t thread, bool idle)
{
    thread_of(c, thread)->signalled_now = true;
    if (idle)
        fore_vec_push(&c->idle, thread);
}

void fore_carry_once(struct fore_carry *c, uint32_t once)
{
    *fore_map_put(&c->onces, once, NULL) = 2;
}

void fore_carry_state(struct fore_carry *c, struct fore_carried_state state)
{
    fore_vec_push(&c->states, state);
}

struct fore_batch fore_carry_begin(struct fore_carry *c, struct fore_tables *t)
{
    turn_page(c);
    return put_beginning(c, t);
}
