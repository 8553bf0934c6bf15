/* Decides:  linearizability of a queue whose values differ, all dequeues answered.
 * Sound:    yes; orders and cores are checked by the caller.
 * Complete: yes for verdicts.   Cost: O(n log n).
 * Source:   [henzinger13], [bouajjani15]: the only violations are two values that leave in
 *           the order opposite to the one in which they came, and an empty answer while
 *           some value is certainly present at every moment.
 *
 * Values are put into one order, first come and first gone, by repeatedly removing one whose
 * enqueue no remaining operation precedes, nor its dequeue a remaining dequeue. Then enqueues happen as late
 * and dequeues as early as that order allows, which leaves the widest gaps for the answers
 * `empty`. */
#include "history/special.h"

#include <stdlib.h>
#include <string.h>

enum key { PUT_INV, PUT_RET, TAKE_INV, TAKE_RET, KEYS };

struct fifo {
    struct fore_special *s;
    size_t n;
    uint32_t *by[KEYS]; /* lives sorted by each of their four positions */
    size_t at[KEYS];
    uint8_t *state;           /* 1: no put precedes it, 2: no take precedes it, 4: gone */
    FORE_VEC(uint32_t) ready; /* a heap by `due` */
    FORE_VEC(uint32_t) order;
    int64_t *put, *take; /* points, by place in the order */
};

struct by_key {
    const struct fore_life *lives;
    enum key key;
};

static int64_t position(const struct fore_life *v, enum key k)
{
    return k == PUT_INV    ? v->put_inv
           : k == PUT_RET  ? v->put_ret
           : k == TAKE_INV ? v->take_inv
                           : v->take_ret;
}

static int by_position_of_key(const void *a, const void *b, void *ctx)
{
    const struct by_key *k = ctx;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int64_t x = position(&k->lives[i], k->key), y = position(&k->lives[j], k->key);
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

static void sort_lives(struct fifo *q)
{
    for (unsigned k = 0; k < KEYS; k++) {
        q->by[k] = fore_calloc(q->n + 1, sizeof *q->by[k]);
        for (size_t i = 0; i < q->n; i++)
            q->by[k][i] = (uint32_t)i;
        struct by_key key = {q->s->lives.at, (enum key)k};
        qsort_r(q->by[k], q->n, sizeof *q->by[k], by_position_of_key, &key);
    }
}

/* Two values a, b with a put wholly before b but b taken wholly before a. */
static bool is_swapped(struct fifo *q)
{
    const struct fore_life *lives = q->s->lives.at, *last = NULL;
    size_t a = 0;
    for (size_t i = 0; i < q->n; i++) {
        const struct fore_life *b = &lives[q->by[PUT_INV][i]];
        for (; a < q->n && lives[q->by[PUT_RET][a]].put_ret < b->put_inv; a++) {
            const struct fore_life *v = &lives[q->by[PUT_RET][a]];
            if (!last || v->take_inv > last->take_inv)
                last = v;
        }
        if (last && last->take_inv > b->take_ret) {
            fore_special_core_life(q->s, last);
            fore_special_core_life(q->s, b);
            return true;
        }
    }
    return false;
}

/* The first position (of `ret`) among the values that are not gone. */
static int64_t first_remaining(struct fifo *q, enum key ret)
{
    while (q->at[ret] < q->n && q->state[q->by[ret][q->at[ret]]] & 4)
        q->at[ret]++;
    return q->at[ret] < q->n ? position(&q->s->lives.at[q->by[ret][q->at[ret]]], ret)
                             : FORE_POINT_END + 2;
}

/* Which of the ready values goes first matters only to the answers `empty`: a value that is
 * certainly present before a gap must go before those that are present after it. */
static int64_t due(const struct fifo *q, size_t i)
{
    const struct fore_life *v = &q->s->lives.at[q->ready.at[i]];
    return v->put_ret < v->take_ret ? v->put_ret : v->take_ret;
}

static void swap_ready(struct fifo *q, size_t i, size_t j)
{
    uint32_t v = q->ready.at[i];
    q->ready.at[i] = q->ready.at[j];
    q->ready.at[j] = v;
}

static void add_ready(struct fifo *q, uint32_t v)
{
    size_t i = q->ready.n;
    fore_vec_push(&q->ready, v);
    for (; i && due(q, i) < due(q, (i - 1) / 2); i = (i - 1) / 2)
        swap_ready(q, i, (i - 1) / 2);
}

static uint32_t take_ready(struct fifo *q)
{
    uint32_t v = q->ready.at[0];
    q->ready.at[0] = fore_vec_last(&q->ready);
    q->ready.n--;
    for (size_t i = 0, child = 1; child < q->ready.n; i = child, child = 2 * i + 1) {
        if (child + 1 < q->ready.n && due(q, child + 1) < due(q, child))
            child++;
        if (due(q, i) <= due(q, child))
            break;
        swap_ready(q, i, child);
    }
    return v;
}

/* Marks the values whose operation begins before `limit`; those that have both marks are
 * ready. */
static void mark_begun(struct fifo *q, enum key inv, int64_t limit, uint8_t bit)
{
    while (q->at[inv] < q->n) {
        uint32_t v = q->by[inv][q->at[inv]];
        if (position(&q->s->lives.at[v], inv) > limit)
            break;
        q->state[v] |= bit;
        q->at[inv]++;
        if ((q->state[v] & 3) == 3)
            add_ready(q, v);
    }
}

/* True if all get their place. */
static bool order_values(struct fifo *q)
{
    q->state = fore_calloc(q->n + 1, sizeof *q->state);
    for (size_t i = 0; i < q->n; i++) {
        int64_t put = first_remaining(q, PUT_RET), take = first_remaining(q, TAKE_RET);
        mark_begun(q, PUT_INV, put < take ? put : take, 1);
        mark_begun(q, TAKE_INV, take, 2);
        if (!q->ready.n)
            return false;
        uint32_t v = take_ready(q);
        q->state[v] |= 4;
        fore_vec_push(&q->order, v);
    }
    return true;
}

static int64_t min3(int64_t a, int64_t b, int64_t c)
{
    int64_t m = a < b ? a : b;
    return m < c ? m : c;
}

static int64_t max3(int64_t a, int64_t b, int64_t c)
{
    int64_t m = a > b ? a : b;
    return m > c ? m : c;
}

static void time_values(struct fifo *q)
{
    const int64_t end = FORE_POINT_END + 2;
    int64_t last_put = end, last_take = end, taken = -1;
    q->put = fore_calloc(q->n + 1, sizeof *q->put);
    q->take = fore_calloc(q->n + 1, sizeof *q->take);
    for (size_t i = q->n; i-- > 0;) {
        const struct fore_life *v = &q->s->lives.at[q->order.at[i]];
        last_take = min3(v->take_ret - 1, last_take, end);
        last_put = min3(v->put_ret - 1, last_put, last_take);
        q->put[i] = last_put;
    }
    for (size_t i = 0; i < q->n; i++) {
        const struct fore_life *v = &q->s->lives.at[q->order.at[i]];
        q->take[i] = taken = max3(v->take_inv, taken, q->put[i]);
        fore_special_at(q->s, q->put[i], 4 * (int64_t)i, v->put);
        if (v->take != FORE_NEVER)
            fore_special_at(q->s, q->take[i], 4 * (int64_t)i + 1, v->take);
    }
}

/* The queue is empty between the take of one value and the put of the next. */
static void time_empties(struct fifo *q)
{
    struct fore_gaps gaps = {0};
    for (size_t i = 0; i <= q->n; i++) {
        int64_t from = i ? q->take[i - 1] : -1;
        int64_t to = i < q->n ? q->put[i] : FORE_POINT_END;
        if (from <= to)
            fore_vec_push(&gaps.v, (struct fore_gap){from, to, 4 * (int64_t)i - 2});
    }
    if (!fore_special_place_empties(q->s, &gaps)) {
        const struct fore_op *e = &q->s->part->ops[q->s->core.at[0]];
        fore_special_core_cover(q->s, e->invoke, (int64_t)e->ret - 1, false);
    }
    fore_vec_release(&gaps.v);
}

bool fore_fifo(struct fore_special *s)
{
    struct fifo q = {.s = s, .n = s->lives.n};
    sort_lives(&q);
    bool fits = true;
    if (!is_swapped(&q)) {
        fits = order_values(&q);
        if (fits) {
            time_values(&q);
            time_empties(&q);
        }
    }
    for (unsigned k = 0; k < KEYS; k++)
        fore_free(q.by[k]);
    fore_free(q.state);
    fore_free(q.put);
    fore_free(q.take);
    fore_vec_release(&q.ready);
    fore_vec_release(&q.order);
    return fits;
}
