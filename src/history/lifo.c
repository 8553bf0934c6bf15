/* Decides:  linearizability of a stack whose values differ, all pops answered.
 * Sound, complete: yes.  Cost: O(n log n).  Source: after [leemathur25], stacks.
 *
 * A value is certainly present from the response of its push to the invocation of its pop.
 * If there is no such stretch, push and pop overlap and can happen at one point: the value
 * matters to nobody. At a point where no value is certainly present the stack can be empty,
 * and what lies before and after is independent. Where stretches cover f … s without a gap,
 * the stack is never empty, so one value lies at the bottom all the time: pushed before f,
 * popped after s. Any value that can be the bottom may be it: it hinders no other. Remove it
 * and go on with what the rest covers. No such value: not linearizable.
 *
 * Coverage is a segment tree with range addition; candidates for the bottom are found with
 * two more trees. Each segment, each value is handled once. */
#include "history/special.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Minimum over ranges of `cells`, with addition to ranges. */
struct sums {
    int32_t *min, *add;
    size_t size; /* a power of two */
};

/* The cell with the least (or, by negation, greatest) key in a range. */
struct least {
    int64_t *key;
    size_t size;
};

enum { DEAD = 1 << 29 };

struct segment_range {
    size_t from, to; /* segments from … to - 1 */
    int64_t depth;
};

struct lifo {
    struct fore_special *s;
    uint32_t *values; /* lives with a stretch, by put_ret */
    size_t n;
    int64_t *edges; /* ends of stretches, ascending; segment i lies behind edges[i] */
    size_t n_edges;
    struct sums cover; /* by segment */
    struct least push; /* put_inv, of those not known to be pushed before their f */
    struct least pop;  /* - take_ret, of those known to be */
    FORE_VEC(struct segment_range) todo;
};

static void sums_init(struct sums *t, size_t n)
{
    for (t->size = 1; t->size < n;)
        t->size *= 2;
    t->min = fore_calloc(t->size * 2, sizeof *t->min);
    t->add = fore_calloc(t->size * 2, sizeof *t->add);
}

static void sums_add(struct sums *t, size_t node, size_t lo, size_t hi, size_t from,
                     size_t to, int32_t by)
{
    if (from >= hi || to <= lo)
        return;
    if (from <= lo && hi <= to) {
        t->min[node] += by;
        t->add[node] += by;
        return;
    }
    size_t mid = (lo + hi) / 2;
    sums_add(t, node * 2, lo, mid, from, to, by);
    sums_add(t, node * 2 + 1, mid, hi, from, to, by);
    int32_t l = t->min[node * 2], r = t->min[node * 2 + 1];
    t->min[node] = (l < r ? l : r) + t->add[node];
}

/* The first cell in from … to - 1 whose sum is `sum` or less, or `to`. */
static size_t sums_find(const struct sums *t, size_t node, size_t lo, size_t hi,
                        size_t from, size_t to, int32_t sum)
{
    if (from >= hi || to <= lo || t->min[node] > sum)
        return to;
    if (hi - lo == 1)
        return lo;
    size_t mid = (lo + hi) / 2;
    sum -= t->add[node];
    size_t found = sums_find(t, node * 2, lo, mid, from, to, sum);
    return found < to ? found : sums_find(t, node * 2 + 1, mid, hi, from, to, sum);
}

static void least_init(struct least *t, size_t n)
{
    for (t->size = 1; t->size < n;)
        t->size *= 2;
    t->key = fore_calloc(t->size * 2, sizeof *t->key);
    for (size_t i = 0; i < t->size * 2; i++)
        t->key[i] = INT64_MAX;
}

static void least_set(struct least *t, size_t i, int64_t key)
{
    i += t->size;
    t->key[i] = key;
    for (i /= 2; i; i /= 2)
        t->key[i] = t->key[i * 2] < t->key[i * 2 + 1] ? t->key[i * 2] : t->key[i * 2 + 1];
}

/* The cell in from … to - 1 with the least key, or SIZE_MAX. */
static size_t least_in(const struct least *t, size_t from, size_t to)
{
    size_t best = 0;
    int64_t key = INT64_MAX;
    for (size_t l = from + t->size, r = to + t->size; l < r; l /= 2, r /= 2) {
        if (l & 1) {
            best = t->key[l] < key ? l : best;
            key = t->key[l] < key ? t->key[l] : key;
            l++;
        }
        if (r & 1) {
            r--;
            best = t->key[r] < key ? r : best;
            key = t->key[r] < key ? t->key[r] : key;
        }
    }
    if (!best)
        return SIZE_MAX;
    while (best < t->size)
        best = best * 2 + (t->key[best * 2] != key);
    return best - t->size;
}

static int by_put_ret(const void *a, const void *b, void *lives)
{
    const struct fore_life *v = lives;
    int64_t x = v[*(const uint32_t *)a].put_ret, y = v[*(const uint32_t *)b].put_ret;
    return (x > y) - (x < y);
}

static int by_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const struct fore_life *value_at(const struct lifo *q, size_t i)
{
    return &q->s->lives.at[q->values[i]];
}

/* Values whose push and pop overlap happen at one point, the later of the invocations. */
static void place_overlapping(struct lifo *q, size_t life)
{
    const struct fore_life *v = &q->s->lives.at[life];
    int64_t point = v->put_inv > v->take_inv ? v->put_inv : v->take_inv;
    fore_special_at(q->s, point, 1 + 2 * (int64_t)life, v->put);
    fore_special_at(q->s, point, 2 + 2 * (int64_t)life, v->take);
}

static void gather_spans(struct lifo *q)
{
    struct fore_special *s = q->s;
    q->values = fore_calloc(s->lives.n + 1, sizeof *q->values);
    for (size_t i = 0; i < s->lives.n; i++) {
        if (s->lives.at[i].put_ret < s->lives.at[i].take_inv)
            q->values[q->n++] = (uint32_t)i;
        else
            place_overlapping(q, i);
    }
    qsort_r(q->values, q->n, sizeof *q->values, by_put_ret, s->lives.at);
    q->edges = fore_calloc(q->n * 2 + 1, sizeof *q->edges);
    for (size_t i = 0; i < q->n; i++) {
        q->edges[2 * i] = value_at(q, i)->put_ret;
        q->edges[2 * i + 1] = value_at(q, i)->take_inv;
    }
    qsort(q->edges, q->n * 2, sizeof *q->edges, by_i64);
    for (size_t i = 0; i < q->n * 2; i++)
        if (!q->n_edges || q->edges[q->n_edges - 1] != q->edges[i])
            q->edges[q->n_edges++] = q->edges[i];
}

static size_t index_of_edge(const struct lifo *q, int64_t position)
{
    const int64_t *e = bsearch(&position, q->edges, q->n_edges, sizeof *q->edges, by_i64);
    FORE_BUG_IF(!e);
    return (size_t)(e - q->edges);
}

static void build_cells(struct lifo *q)
{
    gather_spans(q);
    sums_init(&q->cover, q->n_edges + 1);
    least_init(&q->push, q->n);
    least_init(&q->pop, q->n);
    for (size_t i = 0; i < q->n; i++) {
        const struct fore_life *v = value_at(q, i);
        sums_add(&q->cover, 1, 0, q->cover.size, index_of_edge(q, v->put_ret),
                 index_of_edge(q, v->take_inv), 1);
        least_set(&q->push, i, v->put_inv);
    }
}

/* Splits from … to - 1 at the segments that no value covers any more. */
static void split_range(struct lifo *q, size_t from, size_t to, int64_t depth,
                        struct fore_gaps *gaps)
{
    while (from < to) {
        size_t dead = sums_find(&q->cover, 1, 0, q->cover.size, from, to, 0);
        if (dead > from)
            fore_vec_push(&q->todo, (struct segment_range){from, dead, depth});
        if (dead < to) {
            sums_add(&q->cover, 1, 0, q->cover.size, dead, dead + 1, DEAD);
            if (gaps)
                fore_vec_push(&gaps->v, (struct fore_gap){q->edges[dead],
                                                          q->edges[dead + 1] - 1, 0});
        }
        from = dead + 1;
    }
}

/* The first value (by put_ret) whose stretch begins at this edge or later. */
static size_t first_value(const struct lifo *q, int64_t position)
{
    size_t lo = 0, hi = q->n;
    FORE_BISECT(lo, hi, mid, value_at(q, mid)->put_ret < position);
    return lo;
}

/* The value at the bottom of this range, or SIZE_MAX. */
static size_t find_bottom(struct lifo *q, const struct segment_range *r)
{
    int64_t f = q->edges[r->from], s = q->edges[r->to];
    size_t from = first_value(q, f), to = first_value(q, s);
    for (;;) {
        size_t i = least_in(&q->push, from, to);
        if (i == SIZE_MAX || value_at(q, i)->put_inv >= f)
            break;
        least_set(&q->push, i, INT64_MAX);
        least_set(&q->pop, i, -value_at(q, i)->take_ret);
    }
    size_t i = least_in(&q->pop, from, to);
    return i != SIZE_MAX && value_at(q, i)->take_ret > s ? i : SIZE_MAX;
}

/* Pops come first at a point, the upper before the lower; then pushes, the lower first. */
static void place_bottom(struct lifo *q, const struct segment_range *r, size_t i)
{
    struct fore_life *v = &q->s->lives.at[q->values[i]];
    int64_t after = 2 * (int64_t)q->s->lives.n + 2;
    fore_special_at(q->s, q->edges[r->from] - 1, after + r->depth, v->put);
    if (v->take != FORE_NEVER)
        fore_special_at(q->s, q->edges[r->to], -1 - r->depth, v->take);
    v->gone = true;
    least_set(&q->pop, i, INT64_MAX);
    sums_add(&q->cover, 1, 0, q->cover.size, index_of_edge(q, v->put_ret),
             index_of_edge(q, v->take_inv), -1);
}

static void take_apart(struct lifo *q)
{
    while (q->todo.n) {
        struct segment_range r = fore_vec_pop(&q->todo);
        size_t i = find_bottom(q, &r);
        if (i == SIZE_MAX) {
            fore_special_core_cover(q->s, q->edges[r.from], q->edges[r.to] - 1, true);
            return;
        }
        place_bottom(q, &r, i);
        split_range(q, r.from, r.to, r.depth + 1, NULL);
    }
}

bool fore_lifo(struct fore_special *s)
{
    struct lifo q = {.s = s};
    struct fore_gaps gaps = {0};
    build_cells(&q);
    int64_t first = q.n ? q.edges[0] - 1 : FORE_POINT_END;
    fore_vec_push(&gaps.v, (struct fore_gap){-1, first, 0});
    if (q.n) {
        int64_t last = q.edges[q.n_edges - 1];
        split_range(&q, 0, q.n_edges - 1, 0, &gaps);
        fore_vec_push(&gaps.v, (struct fore_gap){last, FORE_POINT_END, 0});
    }
    if (fore_special_place_empties(s, &gaps)) {
        take_apart(&q);
    } else {
        const struct fore_op *e = &s->part->ops[s->core.at[0]];
        fore_special_core_cover(s, e->invoke, (int64_t)e->ret - 1, false);
    }
    fore_free(q.values);
    fore_free(q.edges);
    fore_free(q.cover.min);
    fore_free(q.cover.add);
    fore_free(q.push.key);
    fore_free(q.pop.key);
    fore_vec_release(&q.todo);
    fore_vec_release(&gaps.v);
    return true;
}
