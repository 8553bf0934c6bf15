/* Proves:   that no order of the recorded operations ends with threads that wait for ever.
 * Sound:    yes. In such a state each thread that has not ended waits at one of its operations, for something that
 *           another one still has to do: a send waits for a receive on the channel, and so on. (There is one left to be
 *           done, as all operations were done in the recorded run.) That other thread waits, too, at an operation that
 *           comes before what it still has to do. Following that, one must come to a circle. So if the operations of the
 *           threads, taken together by thread, object and kind, form no circle of this sort, there is no such state.
 *           Nobody waits at a lock: every thread that waits or has ended has given back as many locks as it took, so
 *           none is held. A select waits for the case that was taken, too. A thread that waited when the recording ended
 *           has nothing more to do that others could wait for.
 * Complete: no: of operations taken together, the first and the last count. Two threads that talk to each
 *           other over two channels form a circle.
 * Cost:     O(uses + pairs of operations that wait for each other), at most MOST_WAITS of these. */
#include "trace/waits.h"

enum { MOST_WAITS = 1 << 18 };

enum site_kind {
    AT_RECEIVE = FORE_CASE_RECV,
    AT_SEND = FORE_CASE_SEND,
    AT_CLOSED, /* a receive that found the channel closed */
    AT_GROUP,  /* a wait for a wait group */
    AT_START,  /* the thread is not created yet */
    NOWHERE,   /* operations that do not wait: a close, a count down, a creation */
};

/* Where a thread may wait. */
struct site {
    uint32_t kind, object, thread;
    uint32_t first; /* position of the first time */
    uint32_t next;  /* 1 + the thread's next one */
};

struct wait_edge {
    uint32_t from, to; /* sites */
};

struct waits {
    const struct fore_survey *s;
    FORE_VEC(struct site) sites;
    FORE_VEC(uint32_t) of; /* thread -> 1 + its first site */
    FORE_VEC(struct wait_edge) list;
};

static void add_site(struct waits *w, enum site_kind kind, uint32_t object,
                     uint32_t thread, uint32_t first)
{
    fore_vec_ensure(&w->of, (size_t)thread + 1);
    struct site x = {kind, object, thread, first, w->of.at[thread]};
    fore_vec_push(&w->sites, x);
    w->of.at[thread] = (uint32_t)w->sites.n;
}

/* ---- which traces can be judged at all ---- */

static bool knows_kinds(const struct fore_survey *s)
{
    static const uint64_t known =
        1ull << FORE_EV_SIGNAL | 1ull << FORE_EV_WAIT | 1ull << FORE_EV_END |
        1ull << FORE_EV_EXIT | 1ull << FORE_EV_PRE | 1ull << FORE_EV_SEND |
        1ull << FORE_EV_RECV | 1ull << FORE_EV_CLOSE | 1ull << FORE_EV_LOCK |
        1ull << FORE_EV_UNLOCK | 1ull << FORE_EV_RLOCK | 1ull << FORE_EV_RUNLOCK |
        1ull << FORE_EV_WGADD | 1ull << FORE_EV_WGDONE | 1ull << FORE_EV_WGWAIT;
    return !(s->kinds & ~known) && !s->waited_locked;
}

static bool locks_given_back(const struct fore_survey *s)
{
    for (size_t i = 1; i < s->threads.n; i++)
        if (s->threads.at[i].held)
            return false;
    return true;
}

/* ---- sites ---- */

/* If no thread closes the channel, the close was before the recording. */
static void add_uses(struct waits *w, uint32_t chan, enum site_kind kind)
{
    for (uint32_t i = fore_survey_users(w->s, chan, kind); i;) {
        const struct fore_use *u = &w->s->uses.at[i - 1];
        if (u->taken)
            add_site(w, kind, chan, u->thread, u->served);
        if (u->closed)
            add_site(w, AT_CLOSED, chan, u->thread, u->closed_at);
        i = u->next;
    }
}

static bool add_sites(struct waits *w, bool so_far)
{
    const struct fore_survey *s = w->s;
    for (uint32_t x = 1; x < s->chans.n; x++) {
        add_uses(w, x, AT_RECEIVE);
        add_uses(w, x, AT_SEND);
    }
    for (uint32_t x = 1; x < s->groups.n; x++) {
        const struct fore_survey_group *g = &s->groups.at[x];
        if (!g->waits)
            continue;
        if (g->waiter == FORE_SHARED || (g->sum && !so_far))
            return false;
        add_site(w, AT_GROUP, x, g->waiter, g->first_wait);
    }
    for (uint32_t t = 1; t < s->threads.n; t++)
        if (s->threads.at[t].creation)
            add_site(w, AT_START, 0, t, 0);
    return true;
}

/* ---- who waits for whom ---- */

/* The site `from` waits for something that the thread does for the last time at `last`: the
 * thread may itself wait at an earlier operation. It cannot wait at that operation itself,
 * because then one of the two goes on. */
static bool add_waits(struct waits *w, uint32_t from, uint32_t thread, uint32_t last,
                      enum site_kind supplies)
{
    uint32_t object = w->sites.at[from].object;
    for (uint32_t i = thread < w->of.n ? w->of.at[thread] : 0; i;) {
        const struct site *x = &w->sites.at[i - 1];
        bool meets = x->kind == supplies && x->object == object;
        if (x->first < last && !meets)
            fore_vec_push(&w->list, (struct wait_edge){from, i - 1});
        i = x->next;
    }
    return w->list.n <= MOST_WAITS;
}

static bool add_users(struct waits *w, uint32_t from, uint32_t chan, unsigned kind)
{
    bool fits = true;
    for (uint32_t i = fore_survey_users(w->s, chan, kind); i && fits;) {
        const struct fore_use *u = &w->s->uses.at[i - 1];
        if (u->taken)
            fits = add_waits(w, from, u->thread, u->taken_at, kind);
        i = u->next;
    }
    return fits;
}

static bool add_dones(struct waits *w, uint32_t from, uint32_t group)
{
    bool fits = true;
    for (uint32_t i = w->s->groups.at[group].first; i && fits;) {
        const struct fore_survey_done *d = &w->s->dones.at[i - 1];
        fits = add_waits(w, from, d->thread, d->last, NOWHERE);
        i = d->next;
    }
    return fits;
}

static bool add_waits_of(struct waits *w, uint32_t from)
{
    const struct fore_survey *s = w->s;
    struct site x = w->sites.at[from];
    switch ((enum site_kind)x.kind) {
    case AT_SEND:
        return add_users(w, from, x.object, FORE_CASE_RECV);
    case AT_RECEIVE:
        return add_users(w, from, x.object, FORE_CASE_SEND);
    case AT_CLOSED:
        return add_waits(w, from, s->chans.at[x.object].closer,
                         s->chans.at[x.object].close_at, NOWHERE);
    case AT_GROUP:
        return add_dones(w, from, x.object);
    case AT_START:
    case NOWHERE:
        break;
    }
    return add_waits(w, from, s->threads.at[x.thread].parent,
                     s->threads.at[x.thread].creation - 1, NOWHERE);
}

/* Removes, again and again, the sites that wait for no remaining site. */
static bool has_no_circle(const struct waits *w)
{
    size_t n = w->sites.n, left = n, waiting = 0;
    uint32_t *waits = fore_calloc(n + 1, sizeof *waits);
    uint32_t *start = fore_calloc(n + 2, sizeof *start);
    uint32_t *who = fore_calloc(w->list.n + 1, sizeof *who);
    uint32_t *work = fore_calloc(n + 1, sizeof *work);
    for (size_t i = 0; i < w->list.n; i++) {
        waits[w->list.at[i].from]++;
        start[w->list.at[i].to + 2]++;
    }
    for (size_t i = 2; i <= n; i++)
        start[i] += start[i - 1];
    for (size_t i = 0; i < w->list.n; i++)
        who[start[w->list.at[i].to + 1]++] = w->list.at[i].from;
    for (uint32_t i = 0; i < n; i++)
        if (!waits[i])
            work[waiting++] = i;
    while (waiting) {
        uint32_t x = work[--waiting];
        left--;
        for (uint32_t i = start[x]; i < start[x + 1]; i++)
            if (!--waits[who[i]])
                work[waiting++] = who[i];
    }
    fore_free(waits);
    fore_free(start);
    fore_free(who);
    fore_free(work);
    return !left;
}

bool fore_survey_waits_end(const struct fore_survey *s, bool so_far)
{
    struct waits w = {.s = s};
    bool known =
        knows_kinds(s) && (so_far || locks_given_back(s)) && add_sites(&w, so_far);
    for (uint32_t i = 0; i < w.sites.n && known; i++)
        known = add_waits_of(&w, i);
    known = known && has_no_circle(&w);
    fore_vec_release(&w.sites);
    fore_vec_release(&w.of);
    fore_vec_release(&w.list);
    return known;
}
