#include "random_trace.h"

#include <stdio.h>
#include <string.h>

struct pending {
    struct fore_event event;
    uint32_t group;
};

struct mail {
    uint64_t number;
    uint32_t to;
};

struct world {
    struct random_trace *out;
    bool whole; /* see RANDOM_WHOLE */
    struct fore_rng rng;
    uint32_t threads; /* ids 1..threads exist */
    bool ended[RANDOM_THREADS + 1];
    FORE_VEC(struct pending) pending[RANDOM_THREADS + 1]; /* to be recorded first */
    uint32_t chan[RANDOM_OBJECTS], buf[RANDOM_OBJECTS], lock[RANDOM_OBJECTS];
    uint32_t rw, cond, sem, barrier, once, wg, timer, place[RANDOM_OBJECTS];
    uint64_t sends[RANDOM_THREADS + 1][RANDOM_OBJECTS];
    bool closed[RANDOM_OBJECTS];
    FORE_VEC(uint64_t) queue[RANDOM_OBJECTS]; /* of buf */
    uint32_t owner[RANDOM_OBJECTS];           /* of lock */
    uint32_t writer, readers[RANDOM_THREADS + 1];
    bool waits[RANDOM_THREADS + 1]; /* in cond, with lock[0] */
    uint64_t credit, tasks, message;
    FORE_VEC(struct mail) mail;
    bool once_done, armed;
    uint32_t groups;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return fore_rng_below(&w->rng, n);
}

static void record(struct world *w, struct fore_event e, uint32_t group)
{
    fore_vec_push(&w->out->trace.events, e);
    fore_vec_push(&w->out->group, group);
}

static void emit(struct world *w, uint32_t t, unsigned kind, uint32_t object, uint64_t a)
{
    struct fore_event e = {.thread = t, .kind = (uint16_t)kind, .object = object, .a = a};
    record(w, e, 0);
}

static void emit_pre(struct world *w, uint32_t t, unsigned kind, uint32_t object,
                     uint64_t a)
{
    struct fore_event e = {.thread = t,
                           .kind = (uint16_t)kind,
                           .flags = FORE_F_PRE,
                           .object = object,
                           .a = a};
    if (below(w, 2))
        record(w, e, 0);
}

static void later(struct world *w, uint32_t t, unsigned kind, unsigned flags,
                  uint32_t object, uint64_t a, uint64_t b, uint32_t group)
{
    struct fore_event e = {.thread = t,
                           .kind = (uint16_t)kind,
                           .flags = (uint16_t)flags,
                           .object = object,
                           .a = a,
                           .b = b};
    fore_vec_push(&w->pending[t], (struct pending){e, group});
}

static bool idle(const struct world *w, uint32_t t)
{
    return t <= w->threads && !w->ended[t] && !w->pending[t].n && !w->waits[t];
}

/* Another thread that is free to act, or 0. */
static uint32_t other(struct world *w, uint32_t t)
{
    uint32_t u = 1 + (uint32_t)below(w, w->threads);
    return u != t && idle(w, u) ? u : 0;
}

static void do_fork(struct world *w, uint32_t t)
{
    if (w->threads == RANDOM_THREADS)
        return;
    uint32_t child = ++w->threads;
    bool spawn = below(w, 2);
    fore_tables_adopt(&w->out->trace.tables, t, child);
    emit(w, t, spawn ? FORE_EV_SPAWN : FORE_EV_SIGNAL, 0, child);
    if (!spawn)
        later(w, child, FORE_EV_WAIT, 0, 0, child, 0, 0);
}

static void do_join(struct world *w, uint32_t t)
{
    uint32_t u = other(w, t);
    for (int i = 0; u && i < RANDOM_OBJECTS; i++)
        if (w->owner[i] == u)
            return;
    if (!u || w->writer == u || w->readers[u])
        return;
    w->ended[u] = true;
    emit(w, u, FORE_EV_END, 0, 0);
    emit_pre(w, t, FORE_EV_JOIN, 0, u);
    emit(w, t, FORE_EV_JOIN, 0, u);
}

/* The two posts are recorded whenever their threads get to it. */
static void do_channel(struct world *w, uint32_t t)
{
    uint32_t u = other(w, t);
    size_t c = below(w, RANDOM_OBJECTS);
    if (!u || w->closed[c])
        return;
    uint64_t k = ++w->sends[t][c];
    later(w, t, FORE_EV_PRE, FORE_F_SEND, w->chan[c], 0, 0, 0);
    later(w, t, FORE_EV_SEND, 0, w->chan[c], k, 0, 0);
    later(w, u, FORE_EV_PRE, 0, w->chan[c], 0, 0, 0);
    later(w, u, FORE_EV_RECV, 0, w->chan[c], t, k, 0);
}

static void do_buffer(struct world *w, uint32_t t)
{
    size_t c = below(w, RANDOM_OBJECTS), capacity = c + 1;
    if (below(w, 2) && w->queue[c].n < capacity) {
        fore_vec_push(&w->queue[c], ++w->message);
        emit(w, t, FORE_EV_SEND, w->buf[c], w->message);
    } else if (w->queue[c].n) {
        uint64_t m = w->queue[c].at[0];
        memmove(w->queue[c].at, w->queue[c].at + 1, --w->queue[c].n * sizeof m);
        emit(w, t, FORE_EV_RECV, w->buf[c], m);
    }
}

/* Is a side of a communication on the channel still to be recorded? */
static bool is_apart(const struct world *w, uint32_t chan)
{
    for (uint32_t t = 1; t <= w->threads; t++)
        for (size_t i = 0; i < w->pending[t].n; i++)
            if (w->pending[t].at[i].event.object == chan)
                return true;
    return false;
}

static void do_close(struct world *w, uint32_t t)
{
    size_t c = below(w, RANDOM_OBJECTS);
    if (w->whole && is_apart(w, w->chan[c]))
        return;
    struct fore_event e = {.thread = t, .kind = FORE_EV_CLOSE, .object = w->chan[c]};
    if (w->closed[c]) {
        static const uint16_t finds[] = {FORE_EV_RECV, FORE_EV_SEND, FORE_EV_CLOSE};
        e.kind = finds[below(w, 3)];
        e.flags = FORE_F_CLOSED;
    } else if (below(w, 3)) {
        return;
    }
    w->closed[c] = true;
    record(w, e, 0);
}

static void do_lock(struct world *w, uint32_t t)
{
    size_t m = below(w, RANDOM_OBJECTS);
    if (w->owner[m] == t) {
        emit(w, t, FORE_EV_UNLOCK, w->lock[m], 0);
        w->owner[m] = 0;
    } else if (!w->owner[m]) {
        bool tries = !below(w, 3);
        if (!tries)
            emit_pre(w, t, FORE_EV_LOCK, w->lock[m], 0);
        emit(w, t, tries ? FORE_EV_TRYLOCK : FORE_EV_LOCK, w->lock[m], 0);
        w->owner[m] = t;
    } else if (below(w, 2)) {
        struct fore_event e = {.thread = t,
                               .kind = FORE_EV_TRYLOCK,
                               .flags = FORE_F_BUSY,
                               .object = w->lock[m]};
        record(w, e, 0);
    }
}

static void do_rwlock(struct world *w, uint32_t t)
{
    uint32_t reading = 0;
    for (uint32_t u = 1; u <= w->threads; u++)
        reading += w->readers[u];
    if (w->writer == t) {
        emit(w, t, FORE_EV_UNLOCK, w->rw, 0);
        w->writer = 0;
    } else if (w->readers[t]) {
        emit(w, t, FORE_EV_RUNLOCK, w->rw, 0);
        w->readers[t] = 0;
    } else if (!w->writer && below(w, 2)) {
        emit(w, t, FORE_EV_RLOCK, w->rw, 0);
        w->readers[t] = 1;
    } else if (!w->writer && !reading) {
        emit(w, t, FORE_EV_LOCK, w->rw, 0);
        w->writer = t;
    }
}

/* Waits on the condition with lock 0; a thread that waits is woken by one that signals. */
static void do_cond(struct world *w, uint32_t t)
{
    if (w->owner[0] == t && below(w, 2)) {
        emit(w, t, FORE_EV_CWAIT, w->cond, w->lock[0]);
        w->owner[0] = 0;
        w->waits[t] = true;
        return;
    }
    uint32_t u = 1 + (uint32_t)below(w, w->threads);
    uint64_t how = below(w, 3);
    if (how == 2)
        emit(w, t, FORE_EV_CBROADCAST, w->cond, 0);
    else
        emit(w, t, FORE_EV_CSIGNAL, w->cond, how && w->waits[u] ? u : 0);
    if (w->waits[u] && !w->owner[0]) {
        emit_pre(w, u, FORE_EV_CWOKEN, w->cond, w->lock[0]);
        emit(w, u, FORE_EV_CWOKEN, w->cond, w->lock[0]);
        w->owner[0] = u;
        w->waits[u] = false;
    }
}

static void do_sem(struct world *w, uint32_t t)
{
    if (w->credit && below(w, 2)) {
        w->credit--;
        emit_pre(w, t, FORE_EV_ACQUIRE, w->sem, 1);
        emit(w, t, FORE_EV_ACQUIRE, w->sem, 1);
    } else {
        w->credit++;
        emit(w, t, FORE_EV_RELEASE, w->sem, 1);
    }
}

/* Does the barrier still wait for someone? (b: the arrival was not recorded.) */
static bool barrier_open(const struct world *w)
{
    for (uint32_t t = 1; t <= w->threads; t++)
        for (size_t i = 0; i < w->pending[t].n; i++)
            if (w->pending[t].at[i].group && w->pending[t].at[i].event.b)
                return true;
    return false;
}

/* Three at a time; of some only the departure is recorded. */
static void do_barrier(struct world *w, uint32_t t)
{
    uint32_t u = other(w, t), v = other(w, t), group;
    if (!u || !v || u == v || barrier_open(w))
        return;
    const uint32_t who[] = {t, u, v};
    group = ++w->groups;
    for (int i = 0; i < 3; i++) {
        bool recorded = w->whole || below(w, 2);
        struct fore_event e = {.thread = who[i],
                               .kind = FORE_EV_BARRIER,
                               .flags = FORE_F_PRE,
                               .object = w->barrier,
                               .a = 3};
        if (recorded)
            record(w, e, group);
        later(w, who[i], FORE_EV_BARRIER, 0, w->barrier, 3, !recorded, group);
    }
}

static void do_once(struct world *w, uint32_t t)
{
    struct fore_event e = {.thread = t,
                           .kind = FORE_EV_ONCE,
                           .flags = w->once_done ? FORE_F_BUSY : 0,
                           .object = w->once};
    w->once_done = true;
    record(w, e, 0);
}

static void do_wg(struct world *w, uint32_t t)
{
    switch (below(w, 4)) {
    case 0:
        w->tasks += 2;
        emit(w, t, FORE_EV_WGADD, w->wg, 2);
        break;
    case 1:
        if (w->tasks)
            w->tasks--, emit(w, t, FORE_EV_WGADD, w->wg, (uint64_t)-1);
        break;
    case 2:
        if (w->tasks)
            w->tasks--, emit(w, t, FORE_EV_WGDONE, w->wg, 0);
        break;
    default:
        if (!w->tasks)
            emit(w, t, FORE_EV_WGWAIT, w->wg, 0);
    }
}

static void do_timer(struct world *w, uint32_t t)
{
    if (w->armed || !below(w, 2)) {
        emit(w, t, w->armed && below(w, 2) ? FORE_EV_FIRE : FORE_EV_ARM, w->timer, 0);
        w->armed = true;
    }
}

static void do_memory(struct world *w, uint32_t t)
{
    static const uint16_t kinds[] = {FORE_EV_READ, FORE_EV_READ, FORE_EV_WRITE,
                                     FORE_EV_RMW};
    emit(w, t, kinds[below(w, 4)], w->place[below(w, RANDOM_OBJECTS)], below(w, 4));
}

static void do_atomic(struct world *w, uint32_t t)
{
    static const uint16_t kinds[] = {FORE_EV_READ, FORE_EV_WRITE, FORE_EV_RMW,
                                     FORE_EV_FENCE};
    struct fore_event e = {.thread = t, .kind = kinds[below(w, 4)]};
    uint64_t order = FORE_ORDER_RELAXED + below(w, 5);
    e.flags = (uint16_t)(order << FORE_F_ORDER_SHIFT);
    if (e.kind != FORE_EV_FENCE)
        e.object = w->place[below(w, RANDOM_OBJECTS)];
    record(w, e, 0);
}

static void do_message(struct world *w, uint32_t t)
{
    for (size_t i = 0; i < w->mail.n; i++)
        if (w->mail.at[i].to == t && below(w, 2)) {
            emit(w, t, FORE_EV_ARECV, 0, w->mail.at[i].number);
            w->mail.at[i] = fore_vec_pop(&w->mail);
            return;
        }
    struct mail m = {++w->message, 1 + (uint32_t)below(w, w->threads)};
    struct fore_event e = {.thread = t, .kind = FORE_EV_ASEND, .a = m.number, .b = m.to};
    fore_vec_push(&w->mail, m);
    record(w, e, 0);
}

static void (*const actions[])(struct world *, uint32_t) = {
    do_fork,   do_join,   do_channel, do_buffer,  do_close, do_lock,
    do_rwlock, do_cond,   do_sem,     do_barrier, do_once,  do_wg,
    do_timer,  do_memory, do_atomic,  do_message,
};

static uint32_t object(struct world *w, enum fore_object_kind kind, const char *name,
                       size_t i)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%s%zu", name, i);
    return fore_tables_object(&w->out->trace.tables, kind, text, (size_t)n);
}

static void name_objects(struct world *w)
{
    struct fore_tables *t = &w->out->trace.tables;
    for (size_t i = 0; i < RANDOM_OBJECTS; i++) {
        w->chan[i] = object(w, FORE_OBJ_CHAN, "x", i);
        w->buf[i] = object(w, FORE_OBJ_CHAN, "b", i);
        t->objects.at[w->buf[i]].capacity = i + 1;
        w->lock[i] = object(w, FORE_OBJ_LOCK, "m", i);
        w->place[i] = object(w, FORE_OBJ_PLACE, "v", i);
    }
    w->rw = object(w, FORE_OBJ_LOCK, "rw", 0);
    t->objects.at[w->rw].flags |= FORE_OBJ_RW;
    w->cond = object(w, FORE_OBJ_COND, "c", 0);
    w->sem = object(w, FORE_OBJ_SEM, "s", 0);
    w->barrier = object(w, FORE_OBJ_BARRIER, "bar", 0);
    w->once = object(w, FORE_OBJ_ONCE, "o", 0);
    w->wg = object(w, FORE_OBJ_WG, "wg", 0);
    w->timer = object(w, FORE_OBJ_TIMER, "t", 0);
    for (size_t i = 1; i <= RANDOM_THREADS; i++) {
        char text[32];
        int n = snprintf(text, sizeof text, "%zu", i);
        fore_tables_thread(t, text, (size_t)n);
    }
}

static void step(struct world *w, unsigned features)
{
    uint32_t t = 1 + (uint32_t)below(w, w->threads);
    if (w->pending[t].n) {
        struct pending p = w->pending[t].at[0];
        memmove(w->pending[t].at, w->pending[t].at + 1, --w->pending[t].n * sizeof p);
        record(w, p.event, p.group);
        return;
    }
    size_t action = below(w, sizeof actions / sizeof *actions);
    if (idle(w, t) && features >> action & 1)
        actions[action](w, t);
}

void random_trace_make(struct random_trace *r, uint64_t seed, unsigned features,
                       size_t events)
{
    memset(r, 0, sizeof *r);
    fore_trace_init(&r->trace, "random");
    struct world w = {.out = r, .threads = 1, .whole = features & RANDOM_WHOLE};
    fore_rng_seed(&w.rng, seed);
    name_objects(&w);
    if (!(features & RANDOM_FORK) || below(&w, 2))
        w.threads = 2 + (uint32_t)below(&w, RANDOM_THREADS - 2);
    for (int i = 0; i < 100000 && r->trace.events.n < events; i++)
        step(&w, features);
    for (uint32_t t = 1; t <= RANDOM_THREADS; t++) {
        for (size_t i = 0; i < w.pending[t].n; i++)
            record(&w, w.pending[t].at[i].event, w.pending[t].at[i].group);
        fore_vec_release(&w.pending[t]);
    }
    for (int i = 0; i < RANDOM_OBJECTS; i++)
        fore_vec_release(&w.queue[i]);
    fore_vec_release(&w.mail);
}

void random_trace_release(struct random_trace *r)
{
    fore_trace_release(&r->trace);
    fore_vec_release(&r->group);
}
