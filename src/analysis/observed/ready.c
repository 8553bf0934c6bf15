/* Finds waits that could have ended by themselves. A thread announces what it is about to do; if
 * the run ends between the announcement and the operation, its last event looks like a wait that
 * no thread serves. */
#include "analysis/observed/observed_state.h"

#include "base/hash.h"

#include <string.h>

#define SEVERAL UINT32_MAX

static uint64_t side_of_channel(uint32_t chan, unsigned kind)
{
    return (uint64_t)chan << 1 | kind;
}

/* Which thread waits at which side of which channel, or SEVERAL. */
static void find_sides(const struct fore_observed *o, struct fore_map *sides)
{
    for (uint32_t th = 1; th < o->survey->threads.n; th++) {
        enum fore_observed_life life = o->threads.at[th].life;
        const struct fore_case *cases;
        struct fore_case one;
        if ((life != FORE_LIFE_WAITING && life != FORE_LIFE_TIMED) ||
            o->survey->threads.at[th].end.kind != FORE_EV_PRE)
            continue;
        size_t n = fore_observed_cases(o, th, &one, &cases);
        for (size_t i = 0; i < n; i++)
            if (cases[i].chan && cases[i].kind <= FORE_CASE_SEND) {
                uint64_t *who = fore_map_put(
                    sides, side_of_channel(cases[i].chan, cases[i].kind), NULL);
                *who = !*who || *who == th ? th : SEVERAL;
            }
    }
}

/* Does another thread wait at the other side of the channel? */
static bool is_met(const struct fore_map *sides, uint32_t thread,
                   const struct fore_case *c)
{
    const uint64_t *who = fore_map_get(sides, side_of_channel(c->chan, !c->kind));
    return who && *who != thread;
}

static uint64_t taken_messages(const struct fore_survey *s, uint32_t chan, unsigned kind)
{
    uint64_t n = 0;
    for (uint32_t u = fore_survey_users(s, chan, kind); u; u = s->uses.at[u - 1].next)
        n += s->uses.at[u - 1].taken;
    return n;
}

static bool case_is_ready(const struct fore_observed *o, const struct fore_map *sides,
                          uint32_t thread, const struct fore_case *c)
{
    if (!c->chan || c->kind > FORE_CASE_SEND)
        return c->kind == FORE_CASE_DEFAULT;
    if (c->chan < o->survey->chans.n && o->survey->chans.at[c->chan].closes)
        return true;
    uint64_t capacity = o->trace->tables.objects.at[c->chan].capacity;
    if (!capacity)
        return is_met(sides, thread, c);
    uint64_t sent = taken_messages(o->survey, c->chan, FORE_CASE_SEND);
    uint64_t received = taken_messages(o->survey, c->chan, FORE_CASE_RECV);
    return c->kind == FORE_CASE_RECV ? sent > received : sent < received + capacity;
}

static bool some_case_is_ready(const struct fore_observed *o,
                               const struct fore_map *sides, uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(o, thread, &one, &cases);
    for (size_t i = 0; i < n; i++)
        if (case_is_ready(o, sides, thread, &cases[i]))
            return true;
    return false;
}

static bool is_ready(const struct fore_observed *o, const struct fore_map *sides,
                     uint32_t thread)
{
    const struct fore_event *e = &o->survey->threads.at[thread].end;
    switch (e->kind) {
    case FORE_EV_PRE:
        return some_case_is_ready(o, sides, thread);
    case FORE_EV_LOCK:
    case FORE_EV_RLOCK: /* not ready if readers hold it: a writer may wait for them,
                         * and keep this reader out */
        return !fore_observed_holder(o, e->object);
    case FORE_EV_JOIN:
        return e->a < o->threads.n && o->threads.at[e->a].life == FORE_LIFE_OVER;
    case FORE_EV_WGWAIT: {
        const uint64_t *count = fore_map_get(&o->counts, e->object);
        return !count || *count == 0;
    }
    default: /* the initial count of a semaphore, and the other threads at a barrier, are not
              * known */
        return false;
    }
}

void fore_observed_find_ready(struct fore_observed *o)
{
    struct fore_map sides = {0};
    find_sides(o, &sides);
    for (uint32_t th = 1; th < o->survey->threads.n; th++)
        if (o->threads.at[th].life == FORE_LIFE_WAITING && is_ready(o, &sides, th))
            o->threads.at[th].life = FORE_LIFE_READY;
    fore_map_release(&sides);
}

/* Can only the thread that the wait names end it? `*who` is 0 if none can. */
static bool is_up_to(const struct fore_observed *o, uint32_t thread, uint32_t *who)
{
    const struct fore_event *e = &o->survey->threads.at[thread].end;
    const struct fore_case *cases;
    struct fore_case one;
    *who = 0;
    if (e->kind == FORE_EV_JOIN) {
        *who = e->a < o->threads.n ? (uint32_t)e->a : 0;
        return true;
    }
    if (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK) {
        const struct fore_observed_tie *h = fore_observed_holder(o, e->object);
        *who = h ? h->thread : 0;
        return h != NULL;
    }
    bool some = false;
    for (size_t i = fore_observed_cases(o, thread, &one, &cases); i-- > 0;)
        some |= cases[i].chan != 0;
    return e->kind == FORE_EV_PRE && !some;
}

/* Threads of one test can reach each other's channels, and threads that belong to no test can
 * reach everything. A thread of another test cannot, or it would have used the channel. The
 * scope of a thread is its test, without sub-tests, as a hash; 0: none. */
uint64_t fore_observed_scope(const struct fore_observed *o, uint32_t thread)
{
    const struct fore_tables *tab = &o->trace->tables;
    const char *group = fore_tables_text(tab, tab->threads.at[thread].group);
    if (!*group || !strcmp(group, "init"))
        return 0;
    uint64_t h = fore_hash(group, strcspn(group, "/"));
    return h ? h : 1;
}

bool fore_observed_is_endless(const struct fore_observed *o, uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    return o->trace->tables.ended == FORE_ENDED_RETURNED &&
           o->threads.at[thread].life == FORE_LIFE_WAITING &&
           o->survey->threads.at[thread].end.kind == FORE_EV_PRE &&
           !fore_observed_cases(o, thread, &one, &cases);
}

/* Was the thread created, and has nothing of it been recorded since, not even its end? It may sleep or compute. */
static bool has_begun_unseen(const struct fore_observed *o, uint32_t thread)
{
    return o->threads.at[thread].life == FORE_LIFE_UNSEEN &&
           o->trace->tables.threads.at[thread].parent;
}

static bool may_act(const struct fore_observed *o, uint32_t thread)
{
    return fore_observed_alive(o->threads.at[thread].life) ||
           has_begun_unseen(o, thread) || o->threads.at[thread].may_go_on ||
           fore_observed_is_endless(o, thread);
}

static bool may_be_rescued(const struct fore_observed *o, const struct fore_map *scopes,
                           uint32_t thread)
{
    uint32_t who;
    if (is_up_to(o, thread, &who))
        return who && (may_act(o, who) || o->threads.at[who].life == FORE_LIFE_UNSEEN);
    uint64_t scope = fore_observed_scope(o, thread);
    return fore_map_get(scopes, 0) || (!scope && scopes->n) ||
           fore_map_get(scopes, scope);
}

void fore_observed_find_rescued(struct fore_observed *o)
{
    struct fore_map scopes = {0}; /* those with a thread that may act */
    for (uint32_t th = 1; th < o->threads.n; th++)
        if (may_act(o, th) && !fore_observed_is_background(o, th))
            fore_map_put(&scopes, fore_observed_scope(o, th), NULL);
    for (bool more = scopes.n > 0; more;) {
        more = false;
        for (uint32_t th = 1; th < o->threads.n; th++) {
            struct fore_observed_thread *x = &o->threads.at[th];
            if (x->life != FORE_LIFE_WAITING || x->may_go_on ||
                !may_be_rescued(o, &scopes, th))
                continue;
            x->may_go_on = more = true;
            fore_map_put(&scopes, fore_observed_scope(o, th), NULL);
        }
    }
    fore_map_release(&scopes);
}
