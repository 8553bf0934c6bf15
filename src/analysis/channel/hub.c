/* Counts:   alternatives on channels with one thread in their middle (a collector, or the source
 *           of a pool of workers), in a trace of threads and channels without buffers.
 * Sound:    yes, and complete: it is the test of clocks.c for this case.
 * Cost:     O(events * hubs), with one pass over the events in their order, or over their links.
 * Source:   [goscout], definitions 16 and 17; docs/theory/channels.md.
 *
 * Of each clock only one entry per hub is kept: how many of the middle thread's offers on the
 * hub are known to be done. If the m-th of these meets an offer of another thread whose
 * announcement knew of f, then the f-th to the (m - 1)-th could have met it, too: nothing orders
 * them before it, and none of them knows that it ended. */
#include "analysis/channel/outline.h"

enum { MOST_HUBS = 64, POLL = 1 << 16 };

struct hub {
    uint32_t chan, middle;
    bool sends;    /* the middle thread does */
    uint32_t done; /* offers of the middle thread that were taken */
};

/* The alternatives of one thread's offers on a hub. The first example: its offer, as an event, and
 * the number of the middle thread's. */
struct hub_tally {
    uint64_t count;
    uint32_t at, first;
};

struct pass {
    struct fore_outline *o;
    struct hub hubs[MOST_HUBS];
    uint32_t n;
    uint32_t *hub_of; /* channel -> 1 + its hub */
    uint32_t *known; /* thread * n + hub -> how many of its offers are known to be done */
    /* channel * n + hub, known by the threads that close it; NULL if none does */
    uint32_t *closed;
    struct hub_tally *tallies; /* thread * n + hub */
};

static uint32_t *known_to(const struct pass *p, uint32_t thread)
{
    return p->known + (size_t)thread * p->n;
}

static void learn_clock(const struct pass *p, uint32_t *to, const uint32_t *from)
{
    for (uint32_t h = 0; h < p->n; h++)
        to[h] = to[h] > from[h] ? to[h] : from[h];
}

/* Counts that the offer `at` met, or still waits, and could have met `n` others, the first of
 * them `first`. */
static void add_tally(struct pass *p, uint32_t hub, uint32_t thread, uint32_t at,
                      uint32_t first, uint64_t n)
{
    struct hub_tally *x = &p->tallies[(size_t)thread * p->n + hub];
    if (!x->count) {
        x->at = at;
        x->first = first;
    }
    x->count += n;
}

/* The send is the event before the receive. */
static void meet_at_hub(struct pass *p, const struct fore_link *l)
{
    uint32_t *a = known_to(p, l->thread), *b = known_to(p, l->other);
    uint32_t hub = p->hub_of[l->object];
    if (hub) {
        struct hub *h = &p->hubs[hub - 1];
        uint32_t from = (h->sends ? b : a)[hub - 1];
        if (from < h->done)
            add_tally(p, hub - 1, h->sends ? l->other : l->thread,
                      h->sends ? l->at : l->at - 1, from, h->done - from);
        known_to(p, h->middle)[hub - 1] = ++h->done;
    }
    learn_clock(p, a, b);
    memcpy(b, a, p->n * sizeof *b);
}

/* False if a cause comes after its effect: then this is not the order to use. */
static bool follow_link(struct pass *p, const struct fore_link *l)
{
    const struct fore_survey *s = p->o->s;
    uint32_t *closed = p->closed ? p->closed + (size_t)l->object * p->n : NULL;
    const struct fore_survey_thread *other =
        l->other < s->threads.n ? &s->threads.at[l->other] : NULL;
    switch (l->kind) {
    case FORE_LINK_MEET:
        meet_at_hub(p, l);
        return true;
    case FORE_LINK_CLOSE:
        learn_clock(p, closed, known_to(p, l->thread));
        return true;
    case FORE_LINK_CLOSED:
        if (closed)
            learn_clock(p, known_to(p, l->thread), closed);
        return true;
    case FORE_LINK_CREATE:
        if (other)
            learn_clock(p, known_to(p, l->other), known_to(p, l->thread));
        return other && (!other->count || other->first > l->at);
    default:
        if (other)
            learn_clock(p, known_to(p, l->thread), known_to(p, l->other));
        return other && (!other->count || other->last < l->at);
    }
}

/* Follows the links of the events that are there, and of those that are not. */
static bool follow_all(struct pass *p, struct fore_budget *budget)
{
    const struct fore_trace *t = p->o->t;
    const struct fore_event none = {0};
    struct fore_link l;
    for (uint32_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        if (i % POLL == 0 && budget && fore_budget_spent(budget))
            return true;
        if (fore_link_of(e, i ? e - 1 : &none, i, &l) && !follow_link(p, &l))
            return false;
    }
    for (size_t i = 0; t->brief && i < p->o->s->log.n; i++)
        if (!follow_link(p, &p->o->s->log.at[i]))
            return false;
    return true;
}

/* Counts offers that were never taken up: every later offer of the middle thread might have met
 * them. */
static void add_dangling(struct pass *p, const struct hub *h)
{
    const struct fore_survey *s = p->o->s;
    uint32_t hub = p->hub_of[h->chan] - 1;
    for (uint32_t i = fore_survey_users(s, h->chan, !h->sends); i;
         i = s->uses.at[i - 1].next) {
        const struct fore_use *u = &s->uses.at[i - 1];
        uint32_t from = known_to(p, u->thread)[hub];
        if (u->offers > u->taken && from < h->done && u->thread != h->middle)
            add_tally(p, hub, u->thread, s->threads.at[u->thread].last, from,
                      h->done - from);
    }
}

/* ---- groups ---- */

static struct fore_outline_group *group_of(struct pass *p, const struct hub *h,
                                           uint32_t where)
{
    const struct fore_survey *s = p->o->s;
    for (size_t i = 0; i < p->o->groups.n; i++) {
        struct fore_outline_group *g = &p->o->groups.at[i];
        if (g->chan == h->chan && where == (h->sends ? g->where_receive : g->where_send))
            return g;
    }
    uint32_t middle = s->uses.at[fore_survey_users(s, h->chan, h->sends) - 1].where;
    fore_vec_push(&p->o->groups, (struct fore_outline_group){
                                     .chan = h->chan,
                                     .where_send = h->sends ? middle : where,
                                     .where_receive = h->sends ? where : middle});
    return &fore_vec_last(&p->o->groups);
}

/* The earliest example has the shortest witness. Places are few, and so are groups. */
static void make_groups(struct pass *p, uint32_t hub)
{
    const struct fore_survey *s = p->o->s;
    const struct hub *h = &p->hubs[hub];
    for (uint32_t i = fore_survey_users(s, h->chan, !h->sends); i;
         i = s->uses.at[i - 1].next) {
        const struct fore_use *u = &s->uses.at[i - 1];
        const struct hub_tally *x = &p->tallies[(size_t)u->thread * p->n + hub];
        if (!x->count)
            continue;
        struct fore_outline_group *g = group_of(p, h, u->where);
        uint32_t *mine = h->sends ? &g->receive : &g->send;
        if (!g->count || x->at < *mine) {
            *mine = x->at;
            *(h->sends ? &g->send : &g->receive) = x->first;
        }
        g->count += x->count;
    }
}

/* Turns the numbers by which examples name the middle thread's offers into events. False if one
 * is not there. */
static bool find_example(const struct pass *p, struct fore_outline_group *g)
{
    const struct fore_trace *t = p->o->t;
    const struct hub *h = &p->hubs[p->hub_of[g->chan] - 1];
    uint32_t *at = h->sends ? &g->send : &g->receive, left = *at;
    unsigned kind = h->sends ? FORE_EV_SEND : FORE_EV_RECV;
    for (uint32_t k = 0; k < t->events.n; k++) {
        const struct fore_event *e = &t->events.at[k];
        if (e->kind != kind || e->object != g->chan || e->thread != h->middle || left--)
            continue;
        *at = k;
        return true;
    }
    return false;
}

static void set_up(struct pass *p)
{
    const struct fore_survey *s = p->o->s;
    size_t objects = s->chans.n;
    p->hub_of = fore_calloc(p->o->t->tables.objects.n, sizeof *p->hub_of);
    for (p->n = 0; p->n < p->o->hubs.n; p->n++) {
        uint32_t x = p->o->hubs.at[p->n];
        uint32_t receiver = fore_survey_users(s, x, FORE_CASE_RECV);
        bool sends = s->uses.at[receiver - 1].next;
        uint32_t middle = fore_survey_users(s, x, sends);
        p->hubs[p->n] = (struct hub){x, s->uses.at[middle - 1].thread, sends, 0};
        p->hub_of[x] = p->n + 1;
    }
    size_t threads = s->threads.n > p->o->t->tables.threads.n ? s->threads.n
                                                              : p->o->t->tables.threads.n;
    p->known = fore_calloc((threads + 1) * p->n, sizeof *p->known);
    p->tallies = fore_calloc((threads + 1) * p->n, sizeof *p->tallies);
    if (fore_survey_has(s, FORE_EV_CLOSE))
        p->closed = fore_calloc((objects + 1) * p->n, sizeof *p->closed);
}

bool fore_outline_count(struct fore_outline *o, struct fore_budget *budget)
{
    struct pass p = {.o = o};
    if (o->hubs.n > MOST_HUBS)
        return false;
    set_up(&p);
    bool good = follow_all(&p, budget);
    for (uint32_t h = 0; h < p.n; h++) {
        add_dangling(&p, &p.hubs[h]);
        make_groups(&p, h);
    }
    for (size_t i = 0; i < o->groups.n && good; i++)
        good = find_example(&p, &o->groups.at[i]);
    fore_free(p.hub_of);
    fore_free(p.known);
    fore_free(p.closed);
    fore_free(p.tallies);
    return good;
}
