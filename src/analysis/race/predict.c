/* Predicts: data races in runs that keep the observed order of sections of each lock, though
 *           not their adjacency, and that may leave out what they do not need.
 * Sound:    yes; the ideal, played in the observed order, is the witness.
 * Complete: for such runs, one race for each two places in the source; until the bound.
 * Cost:     accesses of a place, times its threads squared, times the sections that lie before.
 * Source:   [syncp], with shared locks, and with all other synchronisation as observed. */
#include "analysis/race/state.h"

#include <stdlib.h>

enum { WORK_PER_EVENT = 400, LEAST_WORK = 50000000 };

/* Accesses of one place by one thread at one line under the same locks, in order. */
struct group {
    size_t first, n; /* in `sorted` */
};

struct predict {
    struct fore_race *r;
    struct fore_race_ideal *ideal;
    FORE_VEC(const struct fore_race_access *) sorted;
    FORE_VEC(struct group) groups;
    uint64_t most_work;
    bool exhausted;
};

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_group(const struct fore_race_access *x, const struct fore_race_access *y)
{
    int c = compare(x->place, y->place);
    c = c ? c : compare(x->where, y->where);
    c = c ? c : compare(x->thread, y->thread);
    c = c ? c : compare(x->held, y->held);
    c = c ? c : compare(x->writes, y->writes);
    return c ? c : compare(x->atomic, y->atomic);
}

static int by_group_and_time(const void *a, const void *b)
{
    const struct fore_race_access *x = *(const struct fore_race_access *const *)a;
    const struct fore_race_access *y = *(const struct fore_race_access *const *)b;
    int c = by_group(x, y);
    return c ? c : compare(x->time, y->time);
}

static const struct fore_race_access *member(const struct predict *p, struct group g,
                                             size_t i)
{
    return p->sorted.at[g.first + i];
}

/* All of `a` before all of `b`, whatever locks do? */
static bool all_before(const struct predict *p, struct group a, struct group b)
{
    const struct fore_race_access *last = member(p, a, a.n - 1), *first = member(p, b, 0);
    return last->time <= fore_clock_get(&p->r->clocks, first->past, last->thread);
}

static bool worth_it(struct predict *p, struct group a, struct group b)
{
    const struct fore_race_access *x = member(p, a, 0), *y = member(p, b, 0);
    return x->thread != y->thread &&
           fore_race_conflict(x->writes, x->atomic, y->writes, y->atomic) &&
           !fore_lockset_excludes(&p->r->locksets, x->held, y->held) &&
           !all_before(p, a, b) && !all_before(p, b, a);
}

/* One race between two groups, if there is any. The ideal of two accesses grows with both. If
 * it has the one, then so has that of the one with any later other: the one is done with. */
static bool find(struct predict *p, struct group a, struct group b,
                 const struct fore_race_access **x, const struct fore_race_access **y)
{
    fore_race_ideal_clear(p->ideal);
    p->r->pairs++;
    for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
        *x = member(p, a, i);
        *y = member(p, b, k);
        if (!fore_race_ideal_lead(p->ideal, *x) || !fore_race_ideal_lead(p->ideal, *y))
            return false;
        bool has_x = fore_race_ideal_has(p->ideal, *x);
        bool has_y = fore_race_ideal_has(p->ideal, *y);
        if (!has_x && !has_y)
            return true;
        i += has_x;
        k += has_y;
        if (fore_budget_spent(p->r->ctx->budget))
            return false;
    }
    return false;
}

static enum fore_status try_pair(struct predict *p, struct group a, struct group b,
                                 struct fore_err *e)
{
    const struct fore_race_access *x, *y;
    if (!worth_it(p, a, b) || fore_race_known(p->r, member(p, a, 0), member(p, b, 0)))
        return FORE_OK;
    if (fore_race_ideal_work(p->ideal) > p->most_work ||
        fore_budget_spent(p->r->ctx->budget)) {
        p->exhausted = true;
        return FORE_OK;
    }
    if (!find(p, a, b, &x, &y))
        return FORE_OK;
    return fore_race_tell(p->r, p->ideal, x, y, FORE_RACE_PREDICTED, e);
}

static void make_groups(struct predict *p)
{
    for (size_t i = 0; i < p->r->accesses.n; i++)
        fore_vec_push(&p->sorted, &p->r->accesses.at[i]);
    if (p->sorted.n)
        qsort(p->sorted.at, p->sorted.n, sizeof *p->sorted.at, by_group_and_time);
    for (size_t i = 0; i < p->sorted.n; i++) {
        if (i && by_group(p->sorted.at[i - 1], p->sorted.at[i]) == 0)
            fore_vec_last(&p->groups).n++;
        else
            fore_vec_push(&p->groups, (struct group){i, 1});
    }
}

static enum fore_status try_all(struct predict *p, struct fore_err *e)
{
    for (size_t i = 0; i < p->groups.n && !p->exhausted; i++)
        for (size_t k = i + 1; k < p->groups.n && !p->exhausted; k++) {
            struct group a = p->groups.at[i], b = p->groups.at[k];
            if (member(p, a, 0)->place != member(p, b, 0)->place)
                break;
            FORE_TRY(try_pair(p, a, b, e));
        }
    return FORE_OK;
}

enum fore_status fore_race_predict(struct fore_race *r, struct fore_race_ideal *ideal,
                                   struct fore_err *e)
{
    struct predict p = {.r = r, .ideal = ideal};
    p.most_work = (uint64_t)r->t->events.n * WORK_PER_EVENT;
    if (p.most_work < LEAST_WORK)
        p.most_work = LEAST_WORK;
    make_groups(&p);
    enum fore_status s = try_all(&p, e);
    if (p.exhausted)
        fore_findings_incomplete(r->ctx->out, "races: %s",
                                 r->ctx->budget->spent ? r->ctx->budget->spent
                                                       : "pairs of threads");
    fore_vec_release(&p.sorted);
    fore_vec_release(&p.groups);
    return s;
}
