/* Decides:  linearizability of a priority queue whose values differ, all takes answered.
 * Sound, complete: yes.  Cost: O(n log n).  Source: after [leemathur25], priority queues.
 *
 * A value can be taken only while no smaller one is present, and larger ones do not matter
 * to it. So go from the smallest value up: put it as late, take it as early as possible,
 * which is at the first point, inside its take, at which no smaller value is present. That
 * makes its presence as short as it can be, at every point. Points at which something
 * smaller is present are skipped in amortised constant time. */
#include "history/special.h"

#include <stdlib.h>

struct pq {
    struct fore_special *s;
    uint32_t *next; /* point -> itself if free, else a later one: union-find */
    int64_t points;
    int64_t *taken; /* by life */
};

static int by_value(const void *a, const void *b, void *values)
{
    const struct fore_life *x = a, *y = b;
    return fore_val_compare(values, x->value, y->value);
}

static int64_t first_free(struct pq *q, int64_t from)
{
    uint32_t x = (uint32_t)(from < q->points ? from : q->points);
    while (q->next[x] != x) {
        q->next[x] = q->next[q->next[x]];
        x = q->next[x];
    }
    return x;
}

static void take_points(struct pq *q, int64_t from, int64_t until)
{
    if (until > q->points)
        until = q->points;
    for (int64_t x = first_free(q, from); x < until; x = first_free(q, x))
        q->next[x] = (uint32_t)x + 1;
}

static int64_t earliest(const struct fore_life *v)
{
    return v->put_inv > v->take_inv ? v->put_inv : v->take_inv;
}

/* The smaller values that keep the points from … until - 1 busy, and those that kept them
 * from being taken earlier, and so on. */
static void blame_items(struct pq *q, size_t limit, int64_t from, int64_t until)
{
    while (from < until) {
        size_t best = limit;
        for (size_t i = 0; i < limit; i++)
            if (q->s->lives.at[i].put_ret <= from && q->taken[i] > from &&
                (best == limit || q->taken[i] > q->taken[best]))
                best = i;
        if (best == limit)
            return;
        const struct fore_life *v = &q->s->lives.at[best];
        size_t had = q->s->core.n;
        fore_special_core_life(q->s, v);
        if (q->s->core.n > had && v->take != FORE_NEVER)
            blame_items(q, best, earliest(v), q->taken[best]);
        from = q->taken[best];
    }
}

static bool place_item(struct pq *q, size_t i)
{
    const struct fore_life *v = &q->s->lives.at[i];
    int64_t rank = (int64_t)i, late = 4 * (int64_t)q->s->lives.n;
    int64_t t = v->take == FORE_NEVER ? FORE_POINT_END : first_free(q, earliest(v));
    q->taken[i] = t;
    if (v->take != FORE_NEVER && t >= v->take_ret) {
        fore_special_core_life(q->s, v);
        blame_items(q, i, earliest(v), v->take_ret);
        return false;
    }
    take_points(q, v->put_ret, t);
    if (v->put_ret - 1 >= t)
        fore_special_at(q->s, t, 4 * rank, v->put);
    else
        fore_special_at(q->s, v->put_ret - 1, late + rank, v->put);
    if (v->take != FORE_NEVER)
        fore_special_at(q->s, t, 4 * rank + 1, v->take);
    return true;
}

static bool place_empties(struct pq *q)
{
    for (size_t i = 0; i < q->s->empties.n; i++) {
        const struct fore_op *e = &q->s->part->ops[q->s->empties.at[i]];
        int64_t t = first_free(q, e->invoke);
        if (t >= e->ret) {
            fore_special_core(q->s, q->s->empties.at[i]);
            blame_items(q, q->s->lives.n, e->invoke, e->ret);
            return false;
        }
        fore_special_at(q->s, t, 4 * (int64_t)q->s->lives.n - 1, q->s->empties.at[i]);
    }
    return true;
}

bool fore_priority(struct fore_special *s)
{
    struct pq q = {.s = s};
    for (size_t i = 0; i < s->part->n; i++) {
        const struct fore_op *op = &s->part->ops[i];
        int64_t last = fore_op_pending(op) ? op->invoke : op->ret;
        q.points = last + 1 > q.points ? last + 1 : q.points;
    }
    q.next = fore_calloc((size_t)q.points + 2, sizeof *q.next);
    q.taken = fore_calloc(s->lives.n + 1, sizeof *q.taken);
    for (int64_t x = 0; x <= q.points; x++)
        q.next[x] = (uint32_t)x;
    if (s->lives.n)
        qsort_r(s->lives.at, s->lives.n, sizeof *s->lives.at, by_value, s->part->values);
    bool ok = true;
    for (size_t i = 0; ok && i < s->lives.n; i++)
        ok = place_item(&q, i);
    if (ok)
        place_empties(&q);
    fore_free(q.next);
    fore_free(q.taken);
    return true;
}
