/* Predicts: data races in runs that keep the observed order of sections of each lock, though
 *           not their adjacency, and that may leave out what they do not need.
 * Sound:    yes; the ideal, played in the observed order, is the witness.
 * Complete: for such runs, one race for each variable and each two places in the source;
 *           until the bound.
 * Cost:     accesses of a place, times those of them that are concurrent, times the sections of
 *           locks that lie before.
 * Source:   [syncp], with shared locks, and with all other synchronisation as observed. */
#include "analysis/race/race_state.h"
#include "base/sort.h"

#include <stdlib.h>

enum { WORK_PER_EVENT = 100, LEAST_WORK = 20000000 };

/* Accesses to one place at one line under the same locks are a class. Those of one thread in it,
 * in order, are a group. Groups of which each is before the next, locks aside, are a chain.
 * There may be many threads, but there are only as many chains as threads are concurrent. */
struct access_group {
    size_t first, n; /* in `sorted` */
    size_t next;     /* in its chain; NONE at the end */
};

struct chain {
    size_t first, last; /* in `groups` */
};

struct class
{
    size_t first, n; /* in `groups` */
    size_t chains, chain_count;
};

enum { MOST_CHAINS = 256 }; /* tried for one group */
enum {
    MOST_LEFT = 1024 /* pairs */,
    LEFT_PART = 8 /* of the work is spent to find them */
};
static const size_t NONE = SIZE_MAX;

/* An access in a chain. */
struct access_cursor {
    size_t group, i;
};

struct predict {
    struct fore_race *r;
    struct fore_closure *ideal;
    FORE_VEC(const struct fore_race_access *) sorted;
    FORE_VEC(struct access_group) groups;
    FORE_VEC(struct class) classes;
    FORE_VEC(struct chain) chains;
    uint64_t most_work, tried;
    uint64_t looked; /* accesses, for pairs that are left */
    bool exhausted;
};

static int by_class(const struct fore_race_access *x, const struct fore_race_access *y)
{
    int c = fore_order_of(x->place, y->place);
    c = c ? c : fore_order_of(x->site, y->site);
    c = c ? c : fore_order_of(x->held, y->held);
    c = c ? c : fore_order_of(x->writes, y->writes);
    return c ? c : fore_order_of(x->atomic, y->atomic);
}

static int by_class_and_time(const void *a, const void *b)
{
    const struct fore_race_access *x = *(const struct fore_race_access *const *)a;
    const struct fore_race_access *y = *(const struct fore_race_access *const *)b;
    int c = by_class(x, y);
    c = c ? c : fore_order_of(x->thread, y->thread);
    return c ? c : fore_order_of(x->time, y->time);
}

static const struct fore_race_access *first_of(const struct predict *p, size_t group)
{
    return p->sorted.at[p->groups.at[group].first];
}

static const struct fore_race_access *last_of(const struct predict *p, size_t group)
{
    return p->sorted.at[p->groups.at[group].first + p->groups.at[group].n - 1];
}

static const struct fore_race_access *access_at(const struct predict *p,
                                                struct access_cursor c)
{
    return p->sorted.at[p->groups.at[c.group].first + c.i];
}

static void advance_cursor(const struct predict *p, struct access_cursor *c)
{
    if (++c->i == p->groups.at[c->group].n)
        *c = (struct access_cursor){p->groups.at[c->group].next, 0};
}

/* Is all of the one group before all of the other, locks aside? */
static bool all_before(const struct predict *p, size_t a, size_t b)
{
    const struct fore_race_access *last = last_of(p, a), *first = first_of(p, b);
    return last->thread == first->thread
               ? last->time < first->time
               : last->time <= fore_clock_get(&p->r->clocks, first->past, last->thread);
}

static const struct fore_race_access *typical_access(const struct predict *p,
                                                     struct class c)
{
    return first_of(p, c.first);
}

/* May accesses of the two classes race, without a race of theirs being known yet? */
static bool worth_it(struct predict *p, struct class a, struct class b)
{
    const struct fore_race_access *x = typical_access(p, a), *y = typical_access(p, b);
    return !fore_race_enough(p->r, x->place) &&
           fore_race_conflict(x->writes, x->atomic, y->writes, y->atomic) &&
           !fore_lockset_excludes(&p->r->locksets, x->held, y->held) &&
           !fore_race_known(p->r, x, y);
}

bool fore_race_leads_to(struct fore_closure *ideal, const struct fore_race_access *a,
                        const struct fore_race_access *b)
{
    fore_closure_clear(ideal);
    fore_closure_want_before(ideal, a->op);
    fore_closure_want_before(ideal, b->op);
    return fore_closure_close(ideal) && !fore_closure_has(ideal, a->op) &&
           !fore_closure_has(ideal, b->op);
}

/* Finds a race between two chains, if there is any. The ideal of two accesses grows with both.
 * If it contains the one access, then so does its ideal with any later access of the other
 * chain, so that access is done with. */
static bool find_pair(struct predict *p, struct chain a, struct chain b,
                      const struct fore_race_access **x,
                      const struct fore_race_access **y)
{
    struct access_cursor i = {a.first, 0}, k = {b.first, 0};
    fore_closure_clear(p->ideal);
    p->r->pairs++;
    while (i.group != NONE && k.group != NONE) {
        *x = access_at(p, i);
        *y = access_at(p, k);
        fore_closure_want_before(p->ideal, (*x)->op);
        fore_closure_want_before(p->ideal, (*y)->op);
        if (!fore_closure_close(p->ideal)) {
            p->exhausted = true; /* the budget ended */
            return false;
        }
        bool has_x = fore_closure_has(p->ideal, (*x)->op);
        bool has_y = fore_closure_has(p->ideal, (*y)->op);
        if (!has_x && !has_y)
            return true;
        if (has_x)
            advance_cursor(p, &i);
        if (has_y)
            advance_cursor(p, &k);
        if (p->ideal->work_done + p->tried++ > p->most_work ||
            fore_budget_spent(p->r->ctx->budget)) {
            p->exhausted = true;
            return false;
        }
    }
    return false;
}

/* Finds, among the accesses of two chains that only locks order, two that are next to each
 * other. In the observed order of both chains there are two neighbours of that kind if there are
 * any: what comes before the one, or after the other, in its chain is ordered with it. */
static bool nearest_pair(struct predict *p, struct chain a, struct chain b,
                         struct fore_race_pair *out)
{
    struct access_cursor c[2] = {{a.first, 0}, {b.first, 0}};
    const struct fore_race_access *last[2] = {NULL};
    uint32_t nearest = UINT32_MAX;
    while (c[0].group != NONE || c[1].group != NONE) {
        bool second =
            c[0].group == NONE ||
            (c[1].group != NONE && access_at(p, c[1])->at < access_at(p, c[0])->at);
        const struct fore_race_access *x = access_at(p, c[second]), *y = last[!second];
        if (y && x->thread != y->thread && x->at - y->at < nearest &&
            y->time > fore_clock_get(&p->r->clocks, x->past, y->thread)) {
            *out = (struct fore_race_pair){y, x};
            nearest = x->at - y->at;
        }
        last[second] = x;
        p->looked++;
        advance_cursor(p, &c[second]);
    }
    return nearest != UINT32_MAX;
}

/* Notes pairs for the search: two sections of a lock in the other order may still show a race of
 * the two classes. */
static void leave_pairs(struct predict *p, struct class a, struct class b)
{
    for (size_t i = 0; i < a.chain_count; i++)
        for (size_t k = a.first == b.first ? i + 1 : 0; k < b.chain_count; k++) {
            struct chain g = p->chains.at[a.chains + i], h = p->chains.at[b.chains + k];
            struct fore_race_pair pair;
            if (all_before(p, g.last, h.first) || all_before(p, h.last, g.first))
                continue;
            if (p->r->left.n == MOST_LEFT || p->looked > p->most_work / LEFT_PART)
                p->r->unkept = true;
            else if (nearest_pair(p, g, h, &pair))
                fore_vec_push(&p->r->left, pair);
        }
}

/* Tries all chains of one class with all of the other, until one race is found. */
static enum fore_status try_classes(struct predict *p, struct class a, struct class b,
                                    struct fore_err *e)
{
    const struct fore_race_access *x, *y;
    for (size_t i = 0; i < a.chain_count; i++)
        for (size_t k = a.first == b.first ? i + 1 : 0; k < b.chain_count; k++) {
            struct chain g = p->chains.at[a.chains + i], h = p->chains.at[b.chains + k];
            p->tried++;
            if (p->exhausted)
                return FORE_OK;
            if (all_before(p, g.last, h.first) || all_before(p, h.last, g.first) ||
                !find_pair(p, g, h, &x, &y))
                continue;
            /* These two threads may have been told at another part of the same object. */
            if (!fore_race_known(p->r, x, y))
                FORE_TRY(fore_race_tell(p->r, p->ideal, x, y, FORE_RACE_PREDICTED, e));
            if (fore_race_known(p->r, x, y))
                return FORE_OK;
        }
    return FORE_OK;
}

static int by_start(const void *a, const void *b, void *ctx)
{
    const struct predict *p = ctx;
    const struct access_group *x = a, *y = b;
    return fore_order_of(p->sorted.at[x->first]->at, p->sorted.at[y->first]->at);
}

/* Appends each group to the first chain whose end is before it. */
static void make_chains(struct predict *p, struct class *c)
{
    qsort_r(p->groups.at + c->first, c->n, sizeof *p->groups.at, by_start, p);
    c->chains = p->chains.n;
    for (size_t g = c->first; g < c->first + c->n; g++) {
        size_t i = c->chains, end = p->chains.n;
        if (end - i > MOST_CHAINS)
            i = end - MOST_CHAINS;
        while (i < end && !all_before(p, p->chains.at[i].last, g))
            i++;
        if (i == end) {
            fore_vec_push(&p->chains, (struct chain){g, g});
        } else {
            p->groups.at[p->chains.at[i].last].next = g;
            p->chains.at[i].last = g;
        }
    }
    c->chain_count = p->chains.n - c->chains;
}

static void make_classes(struct predict *p)
{
    for (size_t i = 0; i < p->r->accesses.n; i++)
        fore_vec_push(&p->sorted, &p->r->accesses.at[i]);
    if (p->sorted.n)
        qsort(p->sorted.at, p->sorted.n, sizeof *p->sorted.at, by_class_and_time);
    for (size_t i = 0; i < p->sorted.n; i++) {
        const struct fore_race_access *now = p->sorted.at[i];
        bool same_class = i && by_class(p->sorted.at[i - 1], now) == 0;
        if (same_class && p->sorted.at[i - 1]->thread == now->thread) {
            fore_vec_last(&p->groups).n++;
            continue;
        }
        if (!same_class)
            fore_vec_push(&p->classes, (struct class){.first = p->groups.n});
        fore_vec_last(&p->classes).n++;
        fore_vec_push(&p->groups, (struct access_group){i, 1, NONE});
    }
}

static enum fore_status try_all(struct predict *p, struct fore_err *e)
{
    for (size_t i = 0; i < p->classes.n; i++)
        make_chains(p, &p->classes.at[i]);
    for (size_t i = 0; i < p->classes.n && !p->exhausted; i++)
        for (size_t k = i; k < p->classes.n && !p->exhausted; k++) {
            struct class a = p->classes.at[i], b = p->classes.at[k];
            if (typical_access(p, a)->place != typical_access(p, b)->place)
                break;
            p->tried++;
            if (worth_it(p, a, b))
                FORE_TRY(try_classes(p, a, b, e));
            if (worth_it(p, a, b))
                leave_pairs(p, a, b);
        }
    return FORE_OK;
}

enum fore_status fore_race_predict(struct fore_race *r, struct fore_closure *ideal,
                                   struct fore_err *e)
{
    struct predict p = {.r = r, .ideal = ideal};
    p.most_work = (uint64_t)r->t->events.n * WORK_PER_EVENT;
    if (p.most_work < LEAST_WORK)
        p.most_work = LEAST_WORK;
    make_classes(&p);
    enum fore_status s = try_all(&p, e);
    if (p.exhausted || r->ctx->budget->spent)
        fore_findings_incomplete(r->ctx->out, "races: %s",
                                 r->ctx->budget->spent
                                     ? fore_spent_text(r->ctx->budget->spent)
                                     : "there are too many pairs of "
                                       "places to try all");
    fore_vec_release(&p.sorted);
    fore_vec_release(&p.groups);
    fore_vec_release(&p.classes);
    fore_vec_release(&p.chains);
    return s;
}
