#include "history/special.h"

#include "base/bitset.h"
#include "base/search.h"
#include "base/sort.h"
#include "history/order.h"

#include <stdlib.h>
#include <string.h>

void fore_special_at(struct fore_special *s, int64_t point, int64_t tie, uint32_t op)
{
    fore_vec_push(&s->timed, (struct fore_timed){point, tie, op});
}

void fore_special_core(struct fore_special *s, uint32_t op)
{
    for (size_t i = 0; i < s->core.n; i++)
        if (s->core.at[i] == op)
            return;
    if (op != FORE_NEVER)
        fore_vec_push(&s->core, op);
}

void fore_special_core_life(struct fore_special *s, const struct fore_life *v)
{
    fore_special_core(s, v->put);
    fore_special_core(s, v->take);
}

void fore_special_core_cover(struct fore_special *s, int64_t from, int64_t to,
                             bool within)
{
    const int64_t start = from;
    while (from <= to) {
        const struct fore_life *best = NULL;
        for (size_t i = 0; i < s->lives.n; i++) {
            const struct fore_life *v = &s->lives.at[i];
            if (v->gone || (within && (v->put_ret < start || v->take_inv > to + 1)))
                continue;
            if (v->put_ret <= from && v->take_inv > from &&
                (!best || v->take_inv > best->take_inv))
                best = v;
        }
        if (!best)
            return;
        fore_special_core_life(s, best);
        from = best->take_inv;
    }
}

bool fore_special_place_empties(struct fore_special *s, const struct fore_gaps *g)
{
    for (size_t i = 0; i < s->empties.n; i++) {
        const struct fore_op *e = &s->part->ops[s->empties.at[i]];
        size_t lo = 0, hi = g->v.n;
        FORE_BISECT(lo, hi, mid, g->v.at[mid].to < e->invoke);
        if (lo == g->v.n || g->v.at[lo].from >= e->ret) {
            fore_special_core(s, s->empties.at[i]);
            return false;
        }
        const struct fore_gap *gap = &g->v.at[lo];
        int64_t point = gap->from > e->invoke ? gap->from : e->invoke;
        fore_special_at(s, point, gap->tie, s->empties.at[i]);
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct fore_timed *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Reads the operations of a container into lives. False: the precondition fails. */

static struct fore_life *life_of(struct fore_special *s, struct fore_map *by_value,
                                 fore_val v)
{
    bool fresh;
    uint64_t *at = fore_map_put(by_value, v.w, &fresh);
    if (fresh) {
        *at = s->lives.n;
        fore_vec_push(&s->lives, (struct fore_life){.put = FORE_NEVER,
                                                    .take = FORE_NEVER,
                                                    .take_inv = FORE_POINT_END,
                                                    .take_ret = FORE_POINT_END + 1,
                                                    .due = FORE_POINT_END,
                                                    .first_look = FORE_NEVER,
                                                    .last_look = FORE_NEVER,
                                                    .value = v});
    }
    return &s->lives.at[*at];
}

static bool add_put(struct fore_special *s, struct fore_map *by_value, uint32_t i)
{
    const struct fore_op *op = &s->part->ops[i];
    struct fore_life *v = life_of(s, by_value, op->arg[0]);
    if (v->put != FORE_NEVER || fore_val_is(op->arg[0], FORE_NIL))
        return false;
    v->put = i;
    v->put_inv = op->invoke;
    v->put_ret = fore_op_pending(op) ? FORE_POINT_END : op->ret;
    return true;
}

static bool add_take(struct fore_special *s, struct fore_map *by_value, uint32_t i)
{
    const struct fore_op *op = &s->part->ops[i];
    if (fore_op_pending(op) || fore_val_is(op->result, FORE_ANY)) {
        fore_vec_push(&s->unknown, i);
        return true;
    }
    if (fore_val_is(op->result, FORE_NIL)) {
        fore_vec_push(&s->empties, i);
        return true;
    }
    struct fore_life *v = life_of(s, by_value, op->result);
    if (v->take != FORE_NEVER) {
        v->taken_again = i;
        return true;
    }
    v->take = i;
    v->take_inv = op->invoke;
    v->take_ret = op->ret;
    v->due = op->ret < v->due ? op->ret : v->due;
    return true;
}

static void add_look(struct fore_special *s, struct fore_map *by_value, uint32_t i)
{
    const struct fore_op *op = &s->part->ops[i], *ops = s->part->ops;
    s->anyway = s->anyway || fore_val_is(op->result, FORE_ANY);
    if (fore_op_pending(op) || fore_val_is(op->result, FORE_ANY))
        return;
    if (fore_val_is(op->result, FORE_NIL)) {
        fore_vec_push(&s->empties, i);
        return;
    }
    struct fore_life *v = life_of(s, by_value, op->result);
    fore_vec_push(&s->looks, (struct fore_look){i, (uint32_t)(v - s->lives.at)});
    v->due = op->ret < v->due ? op->ret : v->due;
    if (v->first_look == FORE_NEVER || op->ret < ops[v->first_look].ret)
        v->first_look = i;
    v->last_look = i; /* operations come by invocation */
}

static bool add_op(struct fore_special *s, struct fore_map *by_value, uint32_t i)
{
    const struct fore_op *op = &s->part->ops[i];
    switch (s->part->model->ops[op->f].role) {
    case FORE_ROLE_PUT:
        return add_put(s, by_value, i);
    case FORE_ROLE_TAKE:
        return add_take(s, by_value, i);
    case FORE_ROLE_LOOK:
        add_look(s, by_value, i);
        return true;
    default:
        return false;
    }
}

/* Is the value wrong by itself: taken twice, never put, seen before it was put or after it
 * was taken? */
static bool life_is_wrong(struct fore_special *s, const struct fore_life *v)
{
    bool late =
        v->last_look != FORE_NEVER && s->part->ops[v->last_look].invoke > v->take_ret;
    bool wrong = v->taken_again || v->put == FORE_NEVER || v->due < v->put_inv || late;
    if (wrong) {
        fore_special_core_life(s, v);
        fore_special_core(s, v->first_look);
        fore_special_core(s, v->last_look);
    }
    if (v->taken_again)
        fore_special_core(s, v->taken_again);
    return wrong;
}

static bool read_lives(struct fore_special *s)
{
    struct fore_map by_value = {0};
    size_t n;
    fore_val_items(s->part->values, s->part->init, &n);
    bool fits = n == 0 && fore_val_kind(s->part->init) == FORE_VAL_LIST;
    for (uint32_t i = 0; fits && i < s->part->n; i++)
        fits = add_op(s, &by_value, i);
    fore_map_release(&by_value);
    return fits;
}

/* No value is taken before the last one who saw it there has looked. What nobody is known to
 * have taken may have been by those of whom we do not know: the first put by the first. */
static void find_stays(struct fore_special *s)
{
    size_t k = 0;
    for (size_t i = 0; i < s->lives.n; i++) {
        struct fore_life *v = &s->lives.at[i];
        v->stays = v->take_inv;
        if (v->take == FORE_NEVER && k < s->unknown.n)
            v->stays = s->part->ops[s->unknown.at[k++]].invoke;
        if (v->last_look != FORE_NEVER && s->part->ops[v->last_look].invoke > v->stays)
            v->stays = s->part->ops[v->last_look].invoke;
    }
}

/* A put that never returned and whose value nobody saw need not have happened. `looks`: what
 * was only looked at counts as seen. */
static void forget_unneeded(struct fore_special *s, bool looks)
{
    uint32_t *now = fore_calloc(s->lives.n + 1, sizeof *now);
    size_t kept = 0;
    for (size_t i = 0; i < s->lives.n; i++) {
        const struct fore_life *v = &s->lives.at[i];
        bool seen = v->take != FORE_NEVER || (looks && v->due != FORE_POINT_END);
        now[i] = (uint32_t)kept;
        if (v->put_ret != FORE_POINT_END || seen)
            s->lives.at[kept++] = *v;
    }
    s->lives.n = kept;
    for (size_t i = 0; i < s->looks.n; i++)
        s->looks.at[i].life = now[s->looks.at[i].life];
    fore_free(now);
    find_stays(s);
}

/* Is a history wrong without its looks? Then `core` says why. */
static void blame_without_looks(struct fore_special *s,
                                bool (*algorithm)(struct fore_special *s))
{
    struct fore_special few = {.part = s->part};
    for (size_t i = 0; i < s->lives.n; i++)
        fore_vec_push(&few.lives, s->lives.at[i]);
    for (size_t i = 0; i < s->empties.n; i++)
        fore_vec_push(&few.empties, s->empties.at[i]);
    forget_unneeded(&few, false);
    if (algorithm(&few))
        for (size_t i = 0; i < few.core.n; i++)
            fore_special_core(s, few.core.at[i]);
    fore_vec_release(&few.lives);
    fore_vec_release(&few.empties);
    fore_vec_release(&few.timed);
    fore_vec_release(&few.core);
}

/* In a queue, a value was seen in front while one that came before it was certainly there. */
static void blame_order(struct fore_special *s)
{
    size_t n = 2 * s->part->n;
    uint32_t *last = fore_calloc(n + 1, sizeof *last); /* life + 1 that stays longest */
    for (uint32_t i = 0; i < s->lives.n; i++)
        if (s->lives.at[i].put_ret != FORE_POINT_END &&
            (s->lives.at[i].take != FORE_NEVER || !s->unknown.n))
            last[s->lives.at[i].put_ret] = i + 1;
    for (size_t i = 1; i < n; i++)
        if (!last[i] || (last[i - 1] && s->lives.at[last[i - 1] - 1].stays >
                                            s->lives.at[last[i] - 1].stays))
            last[i] = last[i - 1];
    for (size_t i = 0; i < s->lives.n && !s->core.n; i++) {
        const struct fore_life *v = &s->lives.at[i];
        uint32_t w = last[v->put_inv];
        if (!w || s->lives.at[w - 1].stays <= v->due)
            continue;
        fore_special_core_life(s, v);
        fore_special_core(s, v->first_look);
        fore_special_core_life(s, &s->lives.at[w - 1]);
        fore_special_core(s, s->lives.at[w - 1].last_look);
    }
    fore_free(last);
}

static bool try_container(struct fore_special *s,
                          bool (*algorithm)(struct fore_special *s))
{
    if (!read_lives(s))
        return false;
    for (size_t i = 0; i < s->lives.n; i++)
        if (life_is_wrong(s, &s->lives.at[i]))
            return true;
    forget_unneeded(s, true);
    if (!s->unknown.n && !s->anyway && !s->looks.n)
        return algorithm(s);
    if (!s->unknown.n)
        blame_without_looks(s, algorithm);
    if (!s->core.n && s->part->model->shape == FORE_SHAPE_QUEUE)
        blame_order(s);
    return s->core.n || fore_guided(s);
}

static bool run_special(struct fore_special *s)
{
    switch (s->part->model->shape) {
    case FORE_SHAPE_REGISTER:
        return fore_zones(s) || fore_overlooked(s);
    case FORE_SHAPE_SET:
        return fore_membership(s);
    case FORE_SHAPE_QUEUE:
        return try_container(s, fore_fifo);
    case FORE_SHAPE_STACK:
        return try_container(s, fore_lifo);
    case FORE_SHAPE_PQUEUE:
        return try_container(s, fore_priority);
    case FORE_SHAPE_OTHER:
        break;
    }
    return false;
}

/* Certificates. */

static int by_value(const void *a, const void *b, void *values)
{
    const fore_val *x = a, *y = b;
    return fore_val_compare(values, *x, *y);
}

/* Replays a container's order with an array instead of interned states. `ranked` maps the
 * values of a priority queue to their rank, so that a heap is not needed: the smallest
 * present rank is looked up in a bitset. */
struct replay {
    FORE_VEC(fore_val) items;
    size_t head;
    fore_val *sorted;
    size_t n_sorted, lowest;
    uint64_t *present;
};

static size_t rank_of(const struct fore_vals *t, const struct replay *r, fore_val v)
{
    size_t lo = 0, hi = r->n_sorted;
    FORE_BISECT(lo, hi, mid, fore_val_compare(t, r->sorted[mid], v) < 0);
    return lo;
}

static void replay_put(const struct fore_part *p, struct replay *r, fore_val v)
{
    if (p->model->shape != FORE_SHAPE_PQUEUE) {
        fore_vec_push(&r->items, v);
        return;
    }
    size_t rank = rank_of(p->values, r, v);
    fore_bit_add(r->present, rank);
    r->lowest = rank < r->lowest ? rank : r->lowest;
}

/* What is in front; `take`: and is so no longer. */
static fore_val replay_front(const struct fore_part *p, struct replay *r, bool take)
{
    if (p->model->shape == FORE_SHAPE_PQUEUE) {
        size_t words = FORE_BITSET_WORDS(r->n_sorted);
        r->lowest = fore_bits_next(r->present, words, r->lowest);
        if (r->lowest >= r->n_sorted)
            return FORE_NIL;
        if (take)
            fore_bit_del(r->present, r->lowest);
        return r->sorted[r->lowest];
    }
    if (r->items.n == r->head)
        return FORE_NIL;
    bool queue = p->model->shape == FORE_SHAPE_QUEUE;
    fore_val v = queue ? r->items.at[r->head] : fore_vec_last(&r->items);
    r->head += take && queue;
    r->items.n -= take && !queue;
    return v;
}

static bool replay_holds(const struct fore_part *p, const uint32_t *order, size_t n)
{
    struct replay r = {0};
    bool ok = true;
    for (size_t i = 0; i < p->n; i++)
        if (p->model->ops[p->ops[i].f].role == FORE_ROLE_PUT)
            fore_vec_push(&r.items, p->ops[i].arg[0]);
    r.sorted = r.items.at;
    r.n_sorted = r.lowest = r.items.n;
    memset(&r.items, 0, sizeof r.items);
    if (p->model->shape == FORE_SHAPE_PQUEUE && r.n_sorted)
        qsort_r(r.sorted, r.n_sorted, sizeof *r.sorted, by_value, p->values);
    r.present = fore_calloc(FORE_BITSET_WORDS(r.n_sorted) + 1, sizeof *r.present);
    for (size_t i = 0; ok && i < n; i++) {
        const struct fore_op *op = &p->ops[order[i]];
        enum fore_role role = p->model->ops[op->f].role;
        if (role == FORE_ROLE_PUT)
            replay_put(p, &r, op->arg[0]);
        else
            ok = fore_val_agrees(op->result, replay_front(p, &r, role == FORE_ROLE_TAKE));
    }
    fore_free(r.sorted);
    fore_free(r.present);
    fore_vec_release(&r.items);
    return ok;
}

static bool order_holds(const struct fore_part *p, const uint32_t *order, size_t n)
{
    bool is_container = p->model->shape >= FORE_SHAPE_QUEUE;
    if (!is_container)
        return fore_order_holds(p, order, n);
    return fore_order_fits(p, order, n) && replay_holds(p, order, n);
}

static bool certify_yes(struct fore_special *s, struct fore_search_outcome *out)
{
    if (s->timed.n)
        qsort(s->timed.at, s->timed.n, sizeof *s->timed.at, by_time);
    for (size_t i = 0; i < s->timed.n; i++)
        fore_vec_push(&out->order, s->timed.at[i].op);
    out->verdict = FORE_LIN_YES;
    if (order_holds(s->part, out->order.at, out->order.n))
        return true;
    fore_vec_clear(&out->order);
    return false;
}

static int by_invocation(const void *a, const void *b)
{
    const struct fore_op *x = a, *y = b;
    return (x->invoke > y->invoke) - (x->invoke < y->invoke);
}

/* Takes of which nobody knows what they took may help, and need not. */
static void add_unknown(const struct fore_special *s, struct fore_op *ops, size_t n)
{
    for (size_t i = 0; i < s->unknown.n; i++) {
        ops[n + i] = s->part->ops[s->unknown.at[i]];
        ops[n + i].ret = FORE_NEVER;
        ops[n + i].result = FORE_ANY;
    }
    qsort(ops, n + s->unknown.n, sizeof *ops, by_invocation);
}

static bool take_proof(const struct fore_special *s, struct fore_search_outcome *out)
{
    for (size_t i = 0; i < s->core.n; i++)
        fore_vec_push(&out->core, s->core.at[i]);
    out->verdict = FORE_LIN_NO;
    out->stuck = s->proof - 1;
    return true;
}

static bool certify_no(struct fore_special *s, struct fore_limits *l,
                       struct fore_search_outcome *out)
{
    if (s->proof)
        return take_proof(s, out);
    struct fore_part few = *s->part;
    struct fore_op *ops = fore_calloc(s->core.n + s->unknown.n, sizeof *ops);
    struct fore_search_outcome found;
    qsort(s->core.at, s->core.n, sizeof *s->core.at, fore_compare_u32);
    for (size_t i = 0; i < s->core.n; i++)
        ops[i] = s->part->ops[s->core.at[i]];
    if (s->unknown.n)
        add_unknown(s, ops, s->core.n);
    few.ops = ops;
    few.n = s->core.n + s->unknown.n;
    fore_search(&few, l, &found);
    out->verdict = found.verdict;
    out->configs += found.configs;
    if (found.verdict == FORE_LIN_NO) {
        for (size_t i = 0; i < s->core.n; i++)
            if (s->part->ops[s->core.at[i]].invoke == ops[found.stuck].invoke)
                out->stuck = s->core.at[i];
        for (size_t i = 0; i < s->core.n; i++)
            fore_vec_push(&out->core, s->core.at[i]);
    }
    fore_outcome_release(&found);
    fore_free(ops);
    return out->verdict == FORE_LIN_NO;
}

bool fore_special_decide(const struct fore_part *p, struct fore_limits *l,
                         struct fore_search_outcome *out)
{
    struct fore_special s = {.part = p};
    *out = (struct fore_search_outcome){.stuck = (uint32_t)p->n};
    bool decided =
        run_special(&s) && (s.core.n ? certify_no(&s, l, out) : certify_yes(&s, out));
    fore_vec_release(&s.lives);
    fore_vec_release(&s.empties);
    fore_vec_release(&s.looks);
    fore_vec_release(&s.unknown);
    fore_vec_release(&s.timed);
    fore_vec_release(&s.core);
    if (!decided)
        fore_outcome_release(out);
    return decided;
}
