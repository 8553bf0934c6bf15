/* Cost: linear in the trace. A thread that cannot go on waits in a list of the object (or
 * thread) that it needs, and is tried again when something happens to that. */
#include "machine/replay.h"

#include "machine/layout.h"

struct player {
    struct fore_machine *m;
    struct fore_replay *out;
    uint32_t *scanned; /* thread -> operations whose events were seen, as an end */
    uint32_t *head;    /* object, or objects + thread -> first thread that waits for it */
    uint32_t *next;    /* the rest of that list */
    bool *waits;
    FORE_VEC(uint32_t) work; /* threads that may be able to go on */
};

static uint32_t key_of(const struct player *y, uint32_t op)
{
    const struct fore_program *p = y->m->p;
    const struct fore_event *e = fore_insn_event(p, op);
    unsigned kind = fore_insn_kind(p, op);
    if (kind == FORE_EV_JOIN)
        return p->objects + (uint32_t)e->a;
    uint32_t flags = get_thread(y->m, e->thread, T_FLAGS);
    if (kind == FORE_EV_CWOKEN && flags & FORE_T_WOKEN)
        return (uint32_t)e->a;
    if (kind == FORE_EV_ARECV && p->ops[op].link != FORE_NO_OP)
        return p->objects + fore_insn_thread(p, p->ops[op].link);
    return e->object;
}

static void wait_for(struct player *y, uint32_t thread, uint32_t key)
{
    if (y->waits[thread])
        return;
    y->waits[thread] = true;
    y->next[thread] = y->head[key];
    y->head[key] = thread;
}

static void notify(struct player *y, uint32_t key)
{
    uint32_t t = y->head[key];
    y->head[key] = 0;
    for (; t; t = y->next[t]) {
        y->waits[t] = false;
        fore_vec_push(&y->work, t);
    }
}

static void notify_all(struct player *y, uint32_t thread, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(y->m->p, op);
    notify(y, e->object);
    if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
        notify(y, (uint32_t)e->a);
    if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
        fore_vec_push(&y->work, (uint32_t)e->a);
    notify(y, y->m->p->objects + thread);
}

static void take(struct player *y, struct fore_move v)
{
    uint32_t op = fore_machine_next(y->m, v.thread);
    if (y->out && y->out->keep) {
        fore_vec_push(&y->out->steps, v);
        fore_vec_push(&y->out->ops, op);
    }
    fore_machine_step(y->m, v);
    notify_all(y, v.thread, op);
    if (v.other)
        fore_vec_push(&y->work, v.other);
}

/* As far as the events that were seen allow. */
static void go_on(struct player *y, uint32_t thread)
{
    struct fore_move v;
    for (;;) {
        uint32_t op = fore_machine_next(y->m, thread);
        if (op == FORE_NO_OP || op >= y->scanned[thread])
            return;
        if (!fore_machine_recorded(y->m, thread, &v)) {
            wait_for(y, thread, key_of(y, op));
            return;
        }
        take(y, v);
    }
}

static void drain(struct player *y)
{
    while (y->work.n)
        go_on(y, fore_vec_pop(&y->work));
}

/* Come to a barrier, or to a lock as a writer, with the event that says so. */
static void announce(struct player *y, uint32_t thread)
{
    uint32_t op = fore_machine_next(y->m, thread);
    if (op != y->scanned[thread] || fore_insn_kind(y->m->p, op) != FORE_EV_BARRIER)
        return;
    struct fore_move v = {.thread = thread, .act = FORE_ACT_ARRIVE};
    if (fore_machine_can(y->m, v))
        take(y, v);
}

static void scan(struct player *y, uint32_t i)
{
    const struct fore_program *p = y->m->p;
    const struct fore_event *e = &p->trace->events.at[i];
    uint32_t t = e->thread, op = y->scanned[t];
    /* A wait that never ended stays where it is; only an end may follow it. */
    while (op < p->first[t + 1] && !fore_insn_ended(p, op) && p->ops[op].pre < i)
        op = p->first[t + 1];
    if (op >= p->first[t + 1])
        return;
    if (p->ops[op].done == i) {
        y->scanned[t] = op + 1;
        if (!y->waits[t])
            go_on(y, t);
    } else if (e->flags & FORE_F_PRE) {
        announce(y, t);
    }
    drain(y);
}

static enum fore_status stuck(struct player *y, struct fore_err *err)
{
    const struct fore_program *p = y->m->p;
    uint32_t first = FORE_NO_OP;
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t op = get_thread(y->m, t, T_NEXT);
        if (op < y->scanned[t] &&
            (first == FORE_NO_OP || fore_insn_event(p, op) < fore_insn_event(p, first)))
            first = op;
    }
    if (first == FORE_NO_OP || p->trace->torn || p->trace->lost)
        return FORE_OK;
    struct fore_strbuf what = FORE_STRBUF_INIT, why = FORE_STRBUF_INIT;
    uint32_t t = fore_insn_thread(p, first);
    fore_insn_text(p, first, &what);
    fore_machine_why(y->m, t, &why);
    bool started = get_thread(y->m, t, T_FLAGS) & FORE_T_STARTED;
    enum fore_status st = fore_fail(
        err, FORE_MEANING, "%s: the trace contradicts itself: %s cannot happen: %s%s",
        p->trace->name, what.at,
        started ? "the thread still waits " : "the thread was not",
        started ? why.at : " created by then");
    fore_strbuf_release(&what);
    fore_strbuf_release(&why);
    return st;
}

enum fore_status fore_replay_run(struct fore_machine *m, struct fore_replay *r,
                                 struct fore_err *e)
{
    const struct fore_program *p = m->p;
    struct player y = {.m = m, .out = r};
    size_t threads = (size_t)p->threads + 1;
    y.scanned = fore_calloc(threads, sizeof *y.scanned);
    y.next = fore_calloc(threads, sizeof *y.next);
    y.waits = fore_calloc(threads, sizeof *y.waits);
    y.head = fore_calloc(threads + p->objects + 1, sizeof *y.head);
    for (uint32_t t = 1; t <= p->threads; t++)
        y.scanned[t] = p->first[t];
    bool forgetful = m->forgetful;
    m->forgetful = true;
    for (uint32_t i = 0; i < p->trace->events.n; i++)
        scan(&y, i);
    m->forgetful = forgetful;
    enum fore_status st = stuck(&y, e);
    fore_free(y.scanned);
    fore_free(y.next);
    fore_free(y.waits);
    fore_free(y.head);
    fore_vec_release(&y.work);
    return st;
}

void fore_replay_release(struct fore_replay *r)
{
    fore_vec_release(&r->steps);
    fore_vec_release(&r->ops);
}
