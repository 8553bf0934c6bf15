#include "machine/drive.h"

#include "machine/layout.h"

void fore_steps_release(struct fore_steps *s)
{
    fore_vec_release(&s->moves);
    fore_vec_release(&s->ops);
    fore_vec_release(&s->arrivals);
}

void fore_steps_clear(struct fore_steps *s)
{
    fore_vec_clear(&s->moves);
    fore_vec_clear(&s->ops);
    fore_vec_clear(&s->arrivals);
    s->from = NULL;
}

void fore_steps_expand(struct fore_steps *s, const struct fore_program *p)
{
    struct fore_machine m;
    size_t next = 0;
    fore_machine_init(&m, p);
    fore_machine_forget(&m);
    if (s->from)
        fore_run_resume(s->from, &m);
    for (size_t i = s->moves.n; i < s->ops.n; i++) {
        struct fore_move v = {.thread = fore_insn_thread(p, s->ops.at[i]),
                              .act = FORE_ACT_ARRIVE};
        if (next < s->arrivals.n && s->arrivals.at[next] == i) {
            next++;
            fore_machine_step(&m, v);
        } else {
            FORE_BUG_IF(!fore_machine_follow(&m, v.thread, &v));
        }
        fore_vec_push(&s->moves, v);
    }
    fore_machine_release(&m);
}

void fore_driver_init(struct fore_driver *d, struct fore_machine *m,
                      struct fore_steps *log)
{
    const struct fore_program *p = m->p;
    size_t threads = (size_t)p->threads + 1;
    *d = (struct fore_driver){.m = m, .log = log};
    d->limit = fore_calloc(threads, sizeof *d->limit);
    d->next = fore_calloc(threads, sizeof *d->next);
    d->waits = fore_calloc(threads, sizeof *d->waits);
    d->head = fore_calloc(threads + p->objects + 1, sizeof *d->head);
    for (uint32_t t = 1; t <= p->threads; t++)
        d->limit[t] = p->first[t];
}

void fore_driver_release(struct fore_driver *d)
{
    fore_free(d->limit);
    fore_free(d->next);
    fore_free(d->waits);
    fore_free(d->head);
    fore_vec_release(&d->work);
}

/* The object or thread that must change before the operation can be done. */
static uint32_t key_of(const struct fore_driver *d, uint32_t op)
{
    const struct fore_program *p = d->m->p;
    const struct fore_insn *o = &p->ops[op];
    unsigned kind = fore_insn_kind(p, op);
    if (kind == FORE_EV_JOIN)
        return p->objects + (uint32_t)fore_insn_event(p, op)->a;
    if (kind == FORE_EV_CWOKEN && fore_machine_wakes(d->m, o->thread, op))
        return (uint32_t)fore_insn_event(p, op)->a;
    if ((kind == FORE_EV_ARECV || kind == FORE_EV_FIRE || kind == FORE_EV_IN ||
         kind == FORE_EV_OUT) &&
        o->link != FORE_NO_OP)
        return p->objects + fore_insn_thread(p, o->link);
    return o->object;
}

static void wait_for(struct fore_driver *d, uint32_t thread, uint32_t key)
{
    if (d->waits[thread])
        return;
    d->waits[thread] = true;
    d->next[thread] = d->head[key];
    d->head[key] = thread;
}

static inline void notify_waiting(struct fore_driver *d, uint32_t key)
{
    uint32_t t = d->head[key];
    if (!t)
        return;
    d->head[key] = 0;
    for (; t; t = d->next[t]) {
        d->waits[t] = false;
        fore_vec_push(&d->work, t);
    }
}

static void notify_all(struct fore_driver *d, uint32_t thread, uint32_t op)
{
    const struct fore_insn *o = &d->m->p->ops[op];
    notify_waiting(d, o->object);
    if (o->kind == FORE_EV_CWAIT || o->kind == FORE_EV_CWOKEN)
        notify_waiting(d, (uint32_t)fore_insn_event(d->m->p, op)->a);
    if (o->kind == FORE_EV_SIGNAL || o->kind == FORE_EV_SPAWN)
        fore_vec_push(&d->work, (uint32_t)fore_insn_event(d->m->p, op)->a);
    notify_waiting(d, d->m->p->objects + thread);
}

/* Writes down a step that was taken, and lets the threads that may have waited for it try again. */
static void note_taken(struct fore_driver *d, struct fore_move v, uint32_t op)
{
    struct fore_steps *log = d->log;
    if (log) {
        if (!log->ops_only)
            fore_vec_push(&log->moves, v);
        else if (v.act == FORE_ACT_ARRIVE)
            fore_vec_push(&log->arrivals, (uint32_t)log->ops.n);
        fore_vec_push(&log->ops, op);
    }
    notify_all(d, v.thread, op);
    if (v.other)
        fore_vec_push(&d->work, v.other);
}

static void take_and_record(struct fore_driver *d, struct fore_move v)
{
    uint32_t op = next_of(d->m, v.thread);
    fore_machine_step(d->m, v);
    note_taken(d, v, op);
}

/* A writer that finds the lock taken keeps further readers out while it waits. */
static void announce_writer(struct fore_driver *d, uint32_t thread, uint32_t op)
{
    struct fore_move v = {.thread = thread, .act = FORE_ACT_ARRIVE};
    if (d->announce && fore_insn_kind(d->m->p, op) == FORE_EV_LOCK &&
        fore_machine_can(d->m, v))
        take_and_record(d, v);
}

/* The recorded step of a thread that has one; the step of a rendezvous is its sender's. */
static bool follow_recorded(struct fore_driver *d, uint32_t thread, struct fore_move *v)
{
    if (!fore_machine_follow(d->m, thread, v))
        return false;
    bool arrives = v->act == FORE_ACT_ARRIVE;
    note_taken(d, *v, get_thread(d->m, v->thread, T_NEXT) - !arrives);
    return true;
}

static void go_on(struct fore_driver *d, uint32_t thread)
{
    struct fore_move v;
    while (!d->stopped) {
        uint32_t op = next_of(d->m, thread);
        if (op == FORE_NO_OP || op >= d->limit[thread])
            return;
        d->stopped = fore_program_spent_at(d->m->p, ++d->steps);
        if (!follow_recorded(d, thread, &v)) {
            announce_writer(d, thread, op);
            wait_for(d, thread, key_of(d, op));
            return;
        }
    }
}

static void drain_driver(struct fore_driver *d)
{
    while (d->work.n && !d->stopped)
        go_on(d, fore_vec_pop(&d->work));
}

void fore_driver_take(struct fore_driver *d, struct fore_move v)
{
    take_and_record(d, v);
    drain_driver(d);
}

void fore_driver_go(struct fore_driver *d, uint32_t thread)
{
    if (!d->waits[thread])
        go_on(d, thread);
    drain_driver(d);
}

void fore_driver_all(struct fore_driver *d)
{
    const struct fore_program *p = d->m->p;
    for (uint32_t t = 1; t <= p->threads; t++)
        d->limit[t] = p->first[t + 1];
    for (uint32_t t = 1; t <= p->threads; t++)
        fore_driver_go(d, t);
}
