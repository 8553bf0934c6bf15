#include "analysis/observed/observed_state.h"

#include <stdlib.h>

static const struct fore_object *object_of(const struct fore_trace *t, uint32_t id)
{
    return &t->tables.objects.at[id < t->tables.objects.n ? id : 0];
}

static bool is_wait(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || (e->flags & FORE_F_PRE);
}

uint32_t fore_observed_ties(const struct fore_observed *o, uint32_t object)
{
    const uint64_t *ends = fore_map_get(&o->chains, object);
    return ends ? (uint32_t)*ends : 0;
}

size_t fore_observed_cases(const struct fore_observed *o, uint32_t thread,
                           struct fore_case *one, const struct fore_case **out)
{
    const struct fore_event *e = &o->survey->threads.at[thread].end;
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

static void note_alive(struct fore_observed *o, uint32_t thread)
{
    const struct fore_survey_thread *from = &o->survey->threads.at[thread];
    struct fore_observed_thread *th = &o->threads.at[thread];
    th->count = from->count;
    th->last = from->last;
    if (!from->count)
        return;
    th->life = from->over            ? FORE_LIFE_OVER
               : is_wait(&from->end) ? FORE_LIFE_WAITING
                                     : FORE_LIFE_RUNNING;
}

/* Marks the objects that a thread waits for as wanted; a timer among them will end the wait. */
static void note_wanted(struct fore_observed *o, uint32_t thread)
{
    struct fore_observed_thread *th = &o->threads.at[thread];
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(o, thread, &one, &cases), known = 0, hidden = 0;
    bool timed = false, times_out = false, spent = false;
    for (size_t i = 0; i < n; i++) {
        const struct fore_object *x = object_of(o->trace, cases[i].chan);
        times_out |= cases[i].kind == FORE_CASE_TIMEOUT;
        spent |= (x->flags & FORE_OBJ_SPENT) != 0;
        timed |= (x->flags & (FORE_OBJ_TIMED | FORE_OBJ_SPENT)) == FORE_OBJ_TIMED;
        if (!cases[i].chan)
            continue;
        known++;
        hidden += (x->flags & FORE_OBJ_HIDDEN) != 0;
        *fore_map_put(&o->wanted, cases[i].chan, NULL) = 1;
    }
    if (timed ||
        (times_out && !spent)) /* the case `timeout` stands for the timed channels */
        th->life = FORE_LIFE_TIMED;
    th->hidden = known && hidden == known;
}

/* ---- ties ---- */

/* Appends to the chain of its object. */
static void add_tie(struct fore_observed *o, const struct fore_observed_tie *x)
{
    uint64_t *ends = fore_map_put(&o->chains, x->object, NULL);
    fore_vec_push(&o->ties, *x);
    uint64_t new = o->ties.n;
    fore_vec_last(&o->ties).next = 0;
    if (*ends)
        o->ties.at[(*ends >> 32) - 1].next = (uint32_t) new;
    *ends = (*ends ? (uint32_t)*ends : new) | new << 32;
}

static void tie_thread(struct fore_observed *o, uint32_t object, uint32_t i,
                       enum fore_observed_role role, bool send)
{
    const struct fore_event *e = &o->trace->events.at[i];
    uint64_t key = (uint64_t)object << 32 | (uint64_t)e->thread << 3 |
                   (uint64_t)role << 1 | (uint64_t)send;
    struct fore_observed_tie x = {
        .object = object,
        .thread = e->thread,
        .event = i,
        .index = o->threads.at[e->thread].count,
        .role = role,
        .send = send,
    };
    uint64_t *at = fore_map_put(&o->latest, key, NULL);
    if (*at) {
        x.next = o->ties.at[*at - 1].next;
        o->ties.at[*at - 1] = x;
        return;
    }
    *at = o->ties.n + 1;
    add_tie(o, &x);
}

/* Removes the tie: `thread` unlocks the lock; 0: its holder does. */
static void untie_thread(struct fore_observed *o, uint32_t object, uint32_t thread)
{
    for (uint32_t i = fore_observed_ties(o, object); i; i = o->ties.at[i - 1].next) {
        struct fore_observed_tie *x = &o->ties.at[i - 1];
        if (x->role == FORE_ROLE_HOLDS && (!thread || x->thread == thread))
            x->thread = 0;
    }
}

static void tie_offers(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    struct fore_case one;
    size_t n;
    const struct fore_case *cases = fore_trace_cases(o->trace, e, &one, &n);
    for (size_t k = 0; n > 1 && k < n; k++)
        if (cases[k].chan && fore_map_get(&o->wanted, cases[k].chan))
            tie_thread(o, cases[k].chan, i, FORE_ROLE_OFFERED,
                       cases[k].kind == FORE_CASE_SEND);
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
            tie_thread(o, e->object, i, FORE_ROLE_HOLDS, false);
        break;
    case FORE_EV_UNLOCK:
        untie_thread(o, e->object, 0);
        break;
    case FORE_EV_RUNLOCK:
        untie_thread(o, e->object, e->thread);
        break;
    case FORE_EV_WGADD:
        *fore_map_put(&o->counts, e->object, NULL) += e->a;
        tie_thread(o, e->object, i, FORE_ROLE_COUNTS, false);
        break;
    case FORE_EV_WGDONE:
        *fore_map_put(&o->counts, e->object, NULL) -= 1;
        tie_thread(o, e->object, i, FORE_ROLE_SERVED, true);
        break;
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
    case FORE_EV_RELEASE:
        tie_thread(o, e->object, i, FORE_ROLE_SERVED, true);
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
        untie_thread(o, lock, 0);
    else if (e->kind == FORE_EV_CWOKEN && !(e->flags & FORE_F_PRE))
        tie_thread(o, lock, i, FORE_ROLE_HOLDS, false);
}

static void relate_event(struct fore_observed *o, uint32_t i)
{
    const struct fore_event *e = &o->trace->events.at[i];
    if (e->kind == FORE_EV_PRE) {
        tie_offers(o, i);
        return;
    }
    if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
        condition_tie(o, i);
    if (e->flags & FORE_F_PRE || !fore_map_get(&o->wanted, e->object))
        return;
    if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_CLOSE)
        tie_thread(o, e->object, i, FORE_ROLE_SERVED, true);
    else if (e->kind == FORE_EV_RECV)
        tie_thread(o, e->object, i, FORE_ROLE_SERVED, false);
    else
        lock_tie(o, i);
}

/* The ties of channels without selects are in the survey. */
static bool survey_tells(const struct fore_observed *o)
{
    size_t i = 0;
    uint64_t object, value;
    while (fore_map_next(&o->wanted, &i, &object, &value)) {
        if (object && object_of(o->trace, (uint32_t)object)->kind != FORE_OBJ_CHAN)
            return false;
        for (unsigned kind = 0; kind < 2; kind++)
            for (uint32_t u = fore_survey_users(o->survey, (uint32_t)object, kind); u;
                 u = o->survey->uses.at[u - 1].next)
                if (o->survey->uses.at[u - 1].chose)
                    return false;
    }
    return true;
}

static int by_event(const void *a, const void *b)
{
    const struct fore_observed_tie *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

bool fore_observed_is_brief(const struct fore_trace *t)
{
    struct fore_observed o = {.trace = t};
    o.survey = fore_trace_survey(t, &o.own);
    bool brief = !o.survey->faults.n && !fore_survey_has(o.survey, FORE_EV_MISUSE);
    for (uint32_t i = 0; i < o.survey->threads.n && brief; i++) {
        const struct fore_survey_thread *th = &o.survey->threads.at[i];
        if (!th->count || th->over || !is_wait(&th->end))
            continue;
        brief = th->end.kind == FORE_EV_PRE && !(th->end.flags & FORE_F_CASES);
        *fore_map_put(&o.wanted, th->end.object, NULL) = 1;
    }
    brief = brief && survey_tells(&o);
    fore_observed_release(&o);
    return brief;
}

/* Makes the ties in the order in which each thread served first, with what it did last. */
static void ties_of_survey(struct fore_observed *o)
{
    const struct fore_survey *s = o->survey;
    FORE_VEC(struct fore_observed_tie) list = {0};
    for (uint32_t x = 1; x < s->chans.n; x++)
        for (unsigned kind = 0; kind < 2 && fore_map_get(&o->wanted, x); kind++)
            for (uint32_t u = fore_survey_users(s, x, kind); u;
                 u = s->uses.at[u - 1].next)
                if (s->uses.at[u - 1].serves)
                    fore_vec_push(&list, (struct fore_observed_tie){
                                             .object = x,
                                             .thread = s->uses.at[u - 1].thread,
                                             .event = s->uses.at[u - 1].served,
                                             .index = u - 1,
                                             .role = FORE_ROLE_SERVED,
                                             .send = kind == FORE_CASE_SEND});
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_event);
    for (size_t i = 0; i < list.n; i++) {
        const struct fore_use *u = &s->uses.at[list.at[i].index];
        list.at[i].event = u->served_at;
        list.at[i].index = u->served_index;
        add_tie(o, &list.at[i]);
    }
    fore_vec_release(&list);
}

static void ties_of_events(struct fore_observed *o)
{
    for (size_t th = 0; th < o->threads.n; th++)
        o->threads.at[th].count = 0;
    for (size_t i = 0; i < o->trace->events.n; i++) {
        relate_event(o, (uint32_t)i);
        o->threads.at[o->trace->events.at[i].thread].count++;
    }
}

void fore_observed_init(struct fore_observed *o, const struct fore_trace *t)
{
    *o = (struct fore_observed){.trace = t};
    o->survey = fore_trace_survey(t, &o->own);
    o->exited = o->survey->exited;
    size_t threads = o->survey->threads.n;
    fore_vec_ensure(&o->threads,
                    threads > t->tables.threads.n ? threads : t->tables.threads.n);
    for (uint32_t th = 0; th < threads; th++)
        note_alive(o, th);
    for (uint32_t th = 1; th < o->threads.n; th++)
        if (o->threads.at[th].life == FORE_LIFE_WAITING)
            note_wanted(o, th);
    if (o->wanted.n && survey_tells(o))
        ties_of_survey(o);
    else if (o->wanted.n)
        ties_of_events(o);
    fore_observed_find_ready(o);
    fore_observed_find_rescued(o);
}

void fore_observed_release(struct fore_observed *o)
{
    fore_vec_release(&o->threads);
    fore_vec_release(&o->ties);
    fore_map_release(&o->wanted);
    fore_map_release(&o->latest);
    fore_map_release(&o->chains);
    fore_map_release(&o->counts);
    fore_survey_release(&o->own);
}

const struct fore_observed_tie *fore_observed_holder(const struct fore_observed *o,
                                                     uint32_t object)
{
    const struct fore_observed_tie *last = NULL;
    for (uint32_t i = fore_observed_ties(o, object); i; i = o->ties.at[i - 1].next)
        if (o->ties.at[i - 1].role == FORE_ROLE_HOLDS && o->ties.at[i - 1].thread)
            last = &o->ties.at[i - 1];
    bool passes_on = object_of(o->trace, object)->flags & FORE_OBJ_ROBUST;
    return last && passes_on && o->threads.at[last->thread].life == FORE_LIFE_OVER ? NULL
                                                                                   : last;
}
