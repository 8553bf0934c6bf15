#include "analysis/observed/state.h"

static const struct fore_object *object_of(const struct fore_trace *t, uint32_t id)
{
    return &t->tables.objects.at[id < t->tables.objects.n ? id : 0];
}

static bool is_wait(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || (e->flags & FORE_F_PRE);
}

size_t fore_observed_cases(const struct fore_observed *o, uint32_t thread,
                           struct fore_case *one, const struct fore_case **out)
{
    const struct fore_event *e = &o->trace->events.at[o->threads.at[thread].last];
    size_t n = 1;
    if (e->kind == FORE_EV_PRE) {
        *out = fore_trace_cases(o->trace, e, one, &n);
        return n;
    }
    *one = (struct fore_case){e->object, FORE_CASE_RECV};
    *out = one;
    return e->kind == FORE_EV_JOIN ? 0 : 1;
}

/* ---- lives ---- */

static void live(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    fore_vec_ensure(&o->threads, (size_t)e->thread + 1);
    struct fore_observed_thread *th = &o->threads.at[e->thread];
    bool timer = th->count == 0 && e->kind == FORE_EV_FIRE;
    th->count++;
    th->last = i;
    if (th->life == FORE_LIFE_OVER)
        return;
    bool over = e->kind == FORE_EV_END || e->kind == FORE_EV_EXIT ||
                e->kind == FORE_EV_PANIC || timer;
    th->life = over ? FORE_LIFE_OVER : is_wait(e) ? FORE_LIFE_WAITING : FORE_LIFE_RUNNING;
    o->exited |= e->kind == FORE_EV_EXIT || e->kind == FORE_EV_PANIC;
}

/* Marks what a thread waits for as wanted; a timer among it will end the wait. */
static void want(struct fore_observed *o, uint32_t thread)
{
    struct fore_observed_thread *th = &o->threads.at[thread];
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(o, thread, &one, &cases), known = 0, hidden = 0;
    for (size_t i = 0; i < n; i++) {
        const struct fore_object *x = object_of(o->trace, cases[i].chan);
        if (cases[i].kind == FORE_CASE_TIMEOUT || x->flags & FORE_OBJ_TIMED)
            th->life = FORE_LIFE_TIMED;
        if (!cases[i].chan)
            continue;
        known++;
        hidden += (x->flags & FORE_OBJ_HIDDEN) != 0;
        *fore_map_put(&o->wanted, cases[i].chan, NULL) = 1;
    }
    th->hidden = known && hidden == known;
}

/* ---- ties ---- */

static void tie(struct fore_observed *o, uint32_t object, uint32_t i,
                enum fore_observed_role role, bool send)
{
    const struct fore_event *e = &o->trace->events.at[i];
    uint64_t key = (uint64_t)object << 32 | (uint64_t)e->thread << 3 |
                   (uint64_t)role << 1 | (uint64_t)send;
    struct fore_observed_tie x = {object, e->thread, i, o->threads.at[e->thread].count,
                                  role,   send};
    uint64_t *at = fore_map_put(&o->latest, key, NULL);
    if (*at) {
        o->ties.at[*at - 1] = x;
        return;
    }
    fore_vec_push(&o->ties, x);
    *at = o->ties.n;
}

static void untie(struct fore_observed *o, uint32_t object)
{
    for (size_t i = 0; i < o->ties.n; i++)
        if (o->ties.at[i].object == object && o->ties.at[i].role == FORE_ROLE_HOLDS)
            o->ties.at[i].thread = 0;
}

static void offers(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    struct fore_case one;
    size_t n;
    const struct fore_case *cases = fore_trace_cases(o->trace, e, &one, &n);
    for (size_t k = 0; n > 1 && k < n; k++)
        if (cases[k].chan && fore_map_get(&o->wanted, cases[k].chan))
            tie(o, cases[k].chan, i, FORE_ROLE_OFFERED, cases[k].kind == FORE_CASE_SEND);
}

static void lock_tie(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    switch (e->kind) {
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        if (!(e->flags & FORE_F_BUSY))
            tie(o, e->object, i, FORE_ROLE_HOLDS, false);
        break;
    case FORE_EV_UNLOCK:
    case FORE_EV_RUNLOCK:
        untie(o, e->object);
        break;
    case FORE_EV_WGADD:
        tie(o, e->object, i, FORE_ROLE_COUNTS, false);
        break;
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
    case FORE_EV_WGDONE:
        tie(o, e->object, i, FORE_ROLE_SERVED, true);
        break;
    default:
        break;
    }
}

/* A condition gives its lock back while it waits. */
static void condition_tie(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    uint32_t lock = (uint32_t)e->a;
    if (!lock || !fore_map_get(&o->wanted, lock))
        return;
    if (e->kind == FORE_EV_CWAIT)
        untie(o, lock);
    else if (e->kind == FORE_EV_CWOKEN && !(e->flags & FORE_F_PRE))
        tie(o, lock, i, FORE_ROLE_HOLDS, false);
}

static void relate(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    if (e->kind == FORE_EV_PRE) {
        offers(o, i);
        return;
    }
    if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
        condition_tie(o, i);
    if (e->flags & FORE_F_PRE || !fore_map_get(&o->wanted, e->object))
        return;
    if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_CLOSE)
        tie(o, e->object, i, FORE_ROLE_SERVED, true);
    else if (e->kind == FORE_EV_RECV)
        tie(o, e->object, i, FORE_ROLE_SERVED, false);
    else
        lock_tie(o, i);
}

void fore_observed_init(struct fore_observed *o, const struct fore_trace *t)
{
    *o = (struct fore_observed){.trace = t};
    fore_vec_ensure(&o->threads, t->tables.threads.n);
    for (size_t i = 0; i < t->events.n; i++)
        live(o, (uint32_t)i);
    for (uint32_t th = 1; th < o->threads.n; th++)
        if (o->threads.at[th].life == FORE_LIFE_WAITING)
            want(o, th);
    if (!o->wanted.n)
        return;
    for (size_t th = 0; th < o->threads.n; th++)
        o->threads.at[th].count = 0;
    for (size_t i = 0; i < t->events.n; i++) {
        relate(o, (uint32_t)i);
        o->threads.at[t->events.at[i].thread].count++;
    }
}

void fore_observed_release(struct fore_observed *o)
{
    fore_vec_release(&o->threads);
    fore_vec_release(&o->ties);
    fore_map_release(&o->wanted);
    fore_map_release(&o->latest);
}

const struct fore_observed_tie *fore_observed_holder(const struct fore_observed *o,
                                                     uint32_t object)
{
    for (size_t i = o->ties.n; i > 0; i--) {
        const struct fore_observed_tie *x = &o->ties.at[i - 1];
        if (x->object == object && x->role == FORE_ROLE_HOLDS && x->thread)
            return x;
    }
    return NULL;
}
