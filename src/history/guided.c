/* Decides:  linearizability of queues, stacks and priority queues whose values differ, also
 *           with operations that look at what is in front or that never returned; only ever
 *           says yes.
 * Sound:    yes; every step is one that the object allows, and the order is replayed.
 * Complete: no; where it gets stuck, the search decides.
 * Cost:     O(n * (operations that are open at once + log n)); bounded.
 *
 * As in the search, operations take effect when a response needs it; but never is anything
 * taken back. What has to happen is read off the values: to see v in front, v must be put
 * if its put is open, and what is before it be taken by the operations that took it. Of
 * puts that are open together, the one goes first whose value must be out first (a queue),
 * or can only be out last (a stack). */
#include "history/special.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define TAKEN (UINT32_MAX - 1) /* in `prev`: the operation has taken effect */

/* Operations looked at per event above which it is not worthwhile. */
enum { PATIENCE = 64 };

struct guided {
    struct fore_special *s;
    const struct fore_part *part;
    enum fore_shape shape;
    uint32_t *events; /* by position: operation * 2, + 1 for answers; NONE: nothing */
    uint32_t *next, *prev; /* by operation: those that are open */
    uint32_t *life;        /* by operation: the life of the value that it puts or saw */
    uint32_t open;
    uint32_t
        *items; /* lives in the container; of a priority queue, their ranks as a heap */
    size_t n, head;
    uint32_t *rank, *ranked; /* life -> rank -> life, of a priority queue */
    int64_t patience;
};

static enum fore_role role_of(const struct guided *g, uint32_t op)
{
    return g->part->model->ops[g->part->ops[op].f].role;
}

static const struct fore_life *life_at(const struct guided *g, uint32_t life)
{
    return &g->s->lives.at[life];
}

static bool is_open(const struct guided *g, uint32_t op)
{
    return g->prev[op] != TAKEN && (g->prev[op] != op);
}

/* The container. */

static uint32_t front_of_queue(const struct guided *g)
{
    if (g->n == g->head)
        return NONE;
    if (g->shape == FORE_SHAPE_PQUEUE)
        return g->ranked[g->items[0]];
    return g->items[g->shape == FORE_SHAPE_QUEUE ? g->head : g->n - 1];
}

static void swap_entries(uint32_t *a, uint32_t *b)
{
    uint32_t x = *a;
    *a = *b;
    *b = x;
}

static void insert_life(struct guided *g, uint32_t life)
{
    bool heap = g->shape == FORE_SHAPE_PQUEUE;
    size_t i = g->n++;
    g->items[i] = heap ? g->rank[life] : life;
    for (; heap && i && g->items[i] < g->items[(i - 1) / 2]; i = (i - 1) / 2)
        swap_entries(&g->items[i], &g->items[(i - 1) / 2]);
}

static void drop_front(struct guided *g)
{
    if (g->shape == FORE_SHAPE_QUEUE) {
        g->head++;
        return;
    }
    if (g->shape == FORE_SHAPE_PQUEUE)
        g->items[0] = g->items[g->n - 1];
    g->n--;
    for (size_t i = 0, k; g->shape == FORE_SHAPE_PQUEUE; i = k) {
        k = 2 * i + 1;
        if (k + 1 < g->n && g->items[k + 1] < g->items[k])
            k++;
        if (k >= g->n || g->items[i] <= g->items[k])
            break;
        swap_entries(&g->items[i], &g->items[k]);
    }
}

/* Effects. */

static void mark_operation(struct guided *g, uint32_t op)
{
    if (g->prev[op] == NONE)
        g->open = g->next[op];
    else
        g->next[g->prev[op]] = g->next[op];
    if (g->next[op] != NONE)
        g->prev[g->next[op]] = g->prev[op];
    g->prev[op] = TAKEN;
    fore_special_at(g->s, (int64_t)g->s->timed.n, 0, op);
}

/* An operation that changes nothing: it saw what is in front now, or nothing. */
static void look_at_operation(struct guided *g, uint32_t op)
{
    const struct fore_op *o = &g->part->ops[op];
    bool looks = role_of(g, op) == FORE_ROLE_LOOK;
    bool empty = fore_val_is(o->result, FORE_NIL);
    if (role_of(g, op) == FORE_ROLE_PUT || !(looks || empty))
        return;
    bool any = looks && fore_val_is(o->result, FORE_ANY);
    if (any || front_of_queue(g) == (empty ? NONE : g->life[op]))
        mark_operation(g, op);
}

static void look_around(struct guided *g)
{
    for (uint32_t i = g->open, next; i != NONE; i = next, g->patience--) {
        next = g->next[i];
        look_at_operation(g, i);
    }
}

/* Must the value w be put before x? */
static bool must_be_first(const struct guided *g, const struct fore_life *w,
                          const struct fore_life *x)
{
    if (g->shape == FORE_SHAPE_QUEUE)
        return w->due < x->stays;
    return g->shape == FORE_SHAPE_STACK && w->put_ret < x->stays &&
           x->take_ret < w->stays;
}

/* If nothing else decides, what can leave a queue first was put first. */
static bool goes_first(const struct guided *g, const struct fore_life *w,
                       const struct fore_life *x)
{
    if (must_be_first(g, w, x))
        return !must_be_first(g, x, w) || w->due < x->due;
    return g->shape == FORE_SHAPE_QUEUE && w->stays < x->stays && !must_be_first(g, x, w);
}

/* Would x, once it is there, keep this operation from what it saw until it answers? */
static bool is_in_the_way(const struct guided *g, uint32_t x, uint32_t op)
{
    const struct fore_op *o = &g->part->ops[op];
    if (role_of(g, op) == FORE_ROLE_PUT || fore_val_is(o->result, FORE_ANY) ||
        life_at(g, x)->stays < o->ret)
        return false;
    if (fore_val_is(o->result, FORE_NIL))
        return true;
    if (g->life[op] == x || g->prev[life_at(g, g->life[op])->put] != TAKEN)
        return false;
    return g->shape == FORE_SHAPE_STACK ||
           (g->shape == FORE_SHAPE_PQUEUE && g->rank[x] < g->rank[g->life[op]]);
}

static bool let_take_effect(struct guided *g, uint32_t op);

/* Before x is put, whatever it would keep from taking effect takes effect. */
static bool make_way(struct guided *g, uint32_t x)
{
    for (uint32_t i = g->open; i != NONE; g->patience--) {
        if (!is_in_the_way(g, x, i)) {
            i = g->next[i];
            continue;
        }
        if (g->patience < 0 || !let_take_effect(g, i))
            return false;
        i = g->open;
    }
    return true;
}

static bool put_life(struct guided *g, uint32_t life)
{
    uint32_t op = life_at(g, life)->put;
    while (g->prev[op] != TAKEN) {
        uint32_t first = op;
        for (uint32_t i = g->open; i != NONE; i = g->next[i], g->patience--)
            if (i != first && role_of(g, i) == FORE_ROLE_PUT && g->life[i] != NONE &&
                goes_first(g, life_at(g, g->life[i]), life_at(g, g->life[first])))
                first = i;
        if (g->patience < 0 || !make_way(g, g->life[first]))
            return false;
        if (g->prev[first] == TAKEN)
            continue;
        mark_operation(g, first);
        insert_life(g, g->life[first]);
        look_around(g);
    }
    return true;
}

static bool take_front(struct guided *g)
{
    uint32_t take = life_at(g, front_of_queue(g))->take;
    for (uint32_t i = g->open; take == NONE && i != NONE; i = g->next[i], g->patience--)
        if (role_of(g, i) == FORE_ROLE_TAKE &&
            fore_val_is(g->part->ops[i].result, FORE_ANY))
            take = i;
    if (take == NONE || !is_open(g, take))
        return false;
    mark_operation(g, take);
    drop_front(g);
    look_around(g);
    return true;
}

/* Brings a value to the front, or empties the container (NONE). */
static bool bring_to_front(struct guided *g, uint32_t life)
{
    while (front_of_queue(g) != life) {
        uint32_t op = life == NONE ? NONE : life_at(g, life)->put;
        if (op != NONE && g->prev[op] != TAKEN) {
            if (!is_open(g, op) || !put_life(g, life))
                return false;
        } else if (front_of_queue(g) == NONE || !take_front(g)) {
            return false;
        }
    }
    return true;
}

/* A take of an unknown value takes something that no other take is known to have. */
static bool take_any(struct guided *g, uint32_t op)
{
    while (front_of_queue(g) != NONE && life_at(g, front_of_queue(g))->take != NONE)
        if (!take_front(g))
            return false;
    if (g->prev[op] == TAKEN)
        return true;
    mark_operation(g, op);
    if (front_of_queue(g) != NONE)
        drop_front(g);
    look_around(g);
    return true;
}

/* The operation answers now: it must have taken effect by now. */
static bool let_take_effect(struct guided *g, uint32_t op)
{
    const struct fore_op *o = &g->part->ops[op];
    if (role_of(g, op) == FORE_ROLE_PUT)
        return put_life(g, g->life[op]);
    if (fore_val_is(o->result, FORE_ANY))
        return take_any(g, op);
    bool empty = fore_val_is(o->result, FORE_NIL);
    if (!bring_to_front(g, empty ? NONE : g->life[op]))
        return false;
    return g->prev[op] == TAKEN || (!empty && take_front(g));
}

static void invoke_operation(struct guided *g, uint32_t op)
{
    g->prev[op] = NONE;
    g->next[op] = g->open;
    if (g->open != NONE)
        g->prev[g->open] = op;
    g->open = op;
    look_at_operation(g, op);
}

/* Of operations that never returned, only takes matter, and puts of a value that was seen. */
static bool matters(const struct guided *g, uint32_t op)
{
    enum fore_role role = role_of(g, op);
    return !fore_op_pending(&g->part->ops[op]) || role == FORE_ROLE_TAKE ||
           (role == FORE_ROLE_PUT && g->life[op] != NONE);
}

static bool walk_events(struct guided *g)
{
    size_t n_events = 0;
    for (uint32_t i = 0; i < g->part->n; i++) {
        const struct fore_op *op = &g->part->ops[i];
        g->prev[i] = i; /* not invoked yet */
        if (matters(g, i))
            g->events[op->invoke] = i << 1;
        if (!fore_op_pending(op))
            g->events[op->ret] = i << 1 | 1;
        size_t end = (fore_op_pending(op) ? op->invoke : op->ret) + (size_t)1;
        n_events = end > n_events ? end : n_events;
    }
    g->patience = PATIENCE * ((int64_t)n_events + 1);
    for (size_t at = 0; at < n_events; at++) {
        uint32_t e = g->events[at];
        if (e == NONE)
            continue;
        if (!(e & 1))
            invoke_operation(g, e >> 1);
        else if (g->prev[e >> 1] != TAKEN && !let_take_effect(g, e >> 1))
            return false;
        if (g->patience < 0)
            return false;
    }
    return true;
}

struct valued {
    const struct fore_vals *values;
    const struct fore_life *lives;
};

static int by_value(const void *a, const void *b, void *arg)
{
    const struct valued *v = arg;
    return fore_val_compare(v->values, v->lives[*(const uint32_t *)a].value,
                            v->lives[*(const uint32_t *)b].value);
}

static void rank_lives(struct guided *g)
{
    struct valued v = {g->part->values, g->s->lives.at};
    for (uint32_t i = 0; i < g->s->lives.n; i++)
        g->ranked[i] = i;
    qsort_r(g->ranked, g->s->lives.n, sizeof *g->ranked, by_value, &v);
    for (uint32_t i = 0; i < g->s->lives.n; i++)
        g->rank[g->ranked[i]] = i;
}

/* Which life each operation belongs to. */
static void assign_lives(struct guided *g)
{
    struct fore_special *s = g->s;
    for (uint32_t i = 0; i < s->lives.n; i++) {
        if (s->lives.at[i].put != NONE)
            g->life[s->lives.at[i].put] = i;
        if (s->lives.at[i].take != NONE)
            g->life[s->lives.at[i].take] = i;
    }
    for (size_t i = 0; i < s->looks.n; i++)
        g->life[s->looks.at[i].op] = s->looks.at[i].life;
}

bool fore_guided(struct fore_special *s)
{
    size_t n = s->part->n, lives = s->lives.n;
    struct guided g = {.s = s, .part = s->part, .shape = s->part->model->shape};
    uint32_t *room = fore_calloc(5 * n + 3 * lives + 1, sizeof *room);
    g.open = NONE;
    g.events = room;
    g.next = g.events + 2 * n;
    g.prev = g.next + n;
    g.life = g.prev + n;
    g.items = g.life + n;
    g.rank = g.items + lives;
    g.ranked = g.rank + lives;
    memset(g.events, 0xff, 2 * n * sizeof *room);
    memset(g.life, 0xff, n * sizeof *room);
    assign_lives(&g);
    if (g.shape == FORE_SHAPE_PQUEUE && lives)
        rank_lives(&g);
    fore_vec_clear(&s->timed);
    bool found = walk_events(&g);
    fore_free(room);
    return found;
}
