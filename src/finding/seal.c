/* Findings in the order in which they are shown, one for each bug. */
#include "finding/finding.h"

#include "base/map.h"
#include "finding/stable_id.h"

#include <stdlib.h>
#include <string.h>

static int by_weight(const void *a, const void *b)
{
    const struct fore_finding *x = *(struct fore_finding *const *)a;
    const struct fore_finding *y = *(struct fore_finding *const *)b;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1; /* both in one table */
    return x->id < y->id ? -1 : x->id > y->id;
}

static void add_test(struct fore_finding *x, const char *test)
{
    bool known = !*test || !strcmp(x->test, test);
    for (size_t i = 0; i < x->also_in.n; i++)
        known |= !strcmp(x->also_in.at[i], test);
    if (!known)
        fore_vec_push(&x->also_in, test);
}

static void join_tests(struct fore_finding *into, const struct fore_finding *from)
{
    add_test(into, from->test);
    for (size_t i = 0; i < from->also_in.n; i++)
        add_test(into, from->also_in.at[i]);
}

/* ---- a wait that was seen, too ---- */

static bool is_wait(const struct fore_place *p)
{
    return p->location[0] &&
           (!strcmp(p->role, "waits") || !strcmp(p->role, "waits, too"));
}

static bool has_wait_at(const struct fore_finding *x, const char *location)
{
    for (size_t i = 0; i < x->places.n; i++)
        if (is_wait(&x->places.at[i]) && !strcmp(x->places.at[i].location, location))
            return true;
    return false;
}

/* Are all waits of x, of which it has some, waits of y? */
static bool has_its_waits(const struct fore_finding *y, const struct fore_finding *x)
{
    bool some = false;
    for (size_t i = 0; i < x->places.n; i++) {
        const struct fore_place *p = &x->places.at[i];
        if (is_wait(p) && !has_wait_at(y, p->location))
            return false;
        some |= is_wait(p);
    }
    return some;
}

bool fore_finding_same_waits(const struct fore_finding *x, const struct fore_finding *y)
{
    return has_its_waits(x, y) && has_its_waits(y, x);
}

/* The observed finding about a thread that was left where another run leaves one, too: one bug. */
static struct fore_finding *seen_wait(const struct fore_findings *f,
                                      const struct fore_finding *x)
{
    if (x->verdict == FORE_VERDICT_OBSERVED || x->drags ||
        strcmp(x->rule->name, "blocked-forever") != 0)
        return NULL;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *y = f->list.at[i];
        if (y->rule == x->rule && y->level >= x->level &&
            y->verdict == FORE_VERDICT_OBSERVED && fore_finding_same_waits(x, y))
            return y;
    }
    return NULL;
}

/* How many findings are left. */
static size_t leave_out_seen_waits(struct fore_findings *f)
{
    size_t kept = 0, n = f->list.n;
    FORE_VEC(struct fore_finding *) gone = {0};
    for (size_t i = 0; i < n; i++) {
        struct fore_finding *x = f->list.at[i], *seen = seen_wait(f, x);
        if (!seen)
            continue;
        seen->count += x->count;
        join_tests(seen, x);
        fore_vec_push(&gone, x);
    }
    for (size_t i = 0, k = 0; i < n; i++)
        if (k < gone.n && gone.at[k] == f->list.at[i])
            fore_finding_release(gone.at[k++]);
        else
            f->list.at[kept++] = f->list.at[i];
    fore_vec_release(&gone);
    return f->list.n = kept;
}

void fore_findings_seal(struct fore_findings *f)
{
    struct fore_map first = {0};
    size_t kept = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        bool fresh;
        if (!x->id)
            x->id = fore_finding_stable_id(f, x);
        uint64_t *at = fore_map_put(&first, x->id, &fresh);
        if (fresh) {
            *at = kept;
            f->list.at[kept++] = x;
            continue;
        }
        struct fore_finding *same = f->list.at[*at];
        uint64_t count = same->count + x->count;
        /* the stronger of the two is shown */
        if (x->verdict > same->verdict ||
            (x->verdict == same->verdict && x->level > same->level)) {
            f->list.at[*at] = x;
            f->list.at[i] = same;
        }
        f->list.at[*at]->count = count;
        join_tests(f->list.at[*at], f->list.at[i]);
        fore_finding_release(f->list.at[i]);
    }
    f->list.n = kept;
    fore_map_release(&first);
    kept = leave_out_seen_waits(f);
    if (kept)
        qsort(f->list.at, kept, sizeof *f->list.at, by_weight);
}
