/* Predicts: data races in runs that keep the observed order of sections of each lock, though
 *           not their adjacency, and that may leave out what they do not need.
 * Sound:    yes; the ideal, played in the observed order, is the witness.
 * Complete: for such runs, one race for each two places in the source; until the bound.
 * Cost:     accesses of a place, times its threads squared, times the sections that lie before.
 * Source:   [syncp], with shared locks, and with all other synchronisation as observed. */
#include "analysis/race/state.h"

#include <stdlib.h>

enum { WORK_PER_EVENT = 100, LEAST_WORK = 20000000 };

/* Accesses of one place at one line under the same locks: a class. Those of one thread in it,
 * in order: a group. */
struct group {
    size_t first, n; /* in `sorted` */
};

struct class
{
    size_t first, n; /* in `groups` */
};

struct predict {
    struct fore_race *r;
    struct fore_race_ideal *ideal;
    FORE_VEC(const struct fore_race_access *) sorted;
    FORE_VEC(struct group) groups;
    FORE_VEC(struct class) classes;
    uint64_t most_work, tried;
    bool exhausted;
};

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_class(const struct fore_race_access *x, const struct fore_race_access *y)
{
    int c = compare(x->place, y->place);
    c = c ? c : compare(x->where, y->where);
    c = c ? c : compare(x->held, y->held);
    c = c ? c : compare(x->writes, y->writes);
    return c ? c : compare(x->atomic, y->atomic);
}

static int by_class_and_time(const void *a, const void *b)
{
    const struct fore_race_access *x = *(const struct fore_race_access *const *)a;
    const struct fore_race_access *y = *(const struct fore_race_access *const *)b;
    int c = by_class(x, y);
    c = c ? c : compare(x->thread, y->thread);
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

static const struct fore_race_access *typical(const struct predict *p, struct class c)
{
    return member(p, p->groups.at[c.first], 0);
}

/* May accesses of the two classes race, and is that not known yet? */
static bool worth_it(struct predict *p, struct class a, struct class b)
{
    const struct fore_race_access *x = typical(p, a), *y = typical(p, b);
    return fore_race_conflict(x->writes, x->atomic, y->writes, y->atomic) &&
           !fore_lockset_excludes(&p->r->locksets, x->held, y->held) &&
           !fore_race_known(p->r, x, y);
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

/* All threads of one class with all of the other, until one race is found. */
static enum fore_status try_classes(struct predict *p, struct class a, struct class b,
                                    struct fore_err *e)
{
    const struct fore_race_access *x, *y;
    for (size_t i = 0; i < a.n; i++)
        for (size_t k = a.first == b.first ? i + 1 : 0; k < b.n; k++) {
            struct group g = p->groups.at[a.first + i], h = p->groups.at[b.first + k];
            if (fore_race_ideal_work(p->ideal) + p->tried++ > p->most_work ||
                fore_budget_spent(p->r->ctx->budget)) {
                p->exhausted = true;
                return FORE_OK;
            }
            if (member(p, g, 0)->thread == member(p, h, 0)->thread ||
                all_before(p, g, h) || all_before(p, h, g) || !find(p, g, h, &x, &y))
                continue;
            FORE_TRY(fore_race_tell(p->r, p->ideal, x, y, FORE_RACE_PREDICTED, e));
            if (fore_race_known(p->r, x, y))
                return FORE_OK;
        }
    return FORE_OK;
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
            fore_vec_push(&p->classes, (struct class){p->groups.n, 0});
        fore_vec_last(&p->classes).n++;
        fore_vec_push(&p->groups, (struct group){i, 1});
    }
}

static enum fore_status try_all(struct predict *p, struct fore_err *e)
{
    for (size_t i = 0; i < p->classes.n && !p->exhausted; i++)
        for (size_t k = i; k < p->classes.n && !p->exhausted; k++) {
            struct class a = p->classes.at[i], b = p->classes.at[k];
            if (typical(p, a)->place != typical(p, b)->place)
                break;
            p->tried++;
            if (worth_it(p, a, b))
                FORE_TRY(try_classes(p, a, b, e));
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
    make_classes(&p);
    enum fore_status s = try_all(&p, e);
    if (p.exhausted || r->ctx->budget->spent)
        fore_findings_incomplete(r->ctx->out, "races: %s",
                                 r->ctx->budget->spent ? r->ctx->budget->spent
                                                       : "pairs of threads");
    fore_vec_release(&p.sorted);
    fore_vec_release(&p.groups);
    fore_vec_release(&p.classes);
    return s;
}
