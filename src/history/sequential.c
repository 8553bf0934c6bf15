/* Decides:  sequential consistency of a history.
 * Sound, complete: yes, within the budget.
 * Cost:     exponential in the number of processes in the worst case; the problem is
 *           NP-complete. Source: [lamport79]; [winggong93] without real-time edges.
 *
 * A configuration is how far each process has come and the state of each object. An
 * operation whose answer shows that it changed nothing is taken at once where it is legal,
 * as in the search for linearizations. An operation that never returned may take effect or
 * be passed over. */
#include "history/sequential.h"

#include <stdlib.h>
#include <string.h>

struct choice {
    uint32_t process, op;
    fore_val before; /* state of the operation's object */
    uint32_t next;   /* 2 * process (+ 1: pass over) to try next; FORCED: nothing else */
    bool took;
};

#define FORCED UINT32_MAX

struct seq {
    struct fore_history *h;
    struct fore_limits *limits;
    struct fore_seq_outcome *out;
    FORE_VEC(uint32_t) * of; /* by process: its operations */
    uint32_t *at;            /* by process: how many are done */
    fore_val *state;         /* by object */
    struct fore_intern seen;
    struct fore_strbuf key;
    FORE_VEC(struct choice) stack;
    size_t placed;           /* answered operations that have taken effect */
    fore_val *longest_state; /* by object, after out->order */
};

static const struct fore_op *next_op(const struct seq *s, size_t process, uint32_t *index)
{
    if (s->at[process] == s->of[process].n)
        return NULL;
    *index = s->of[process].at[s->at[process]];
    return &s->h->ops.at[*index];
}

static bool done(const struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++)
        for (size_t i = s->at[p]; i < s->of[p].n; i++)
            if (!fore_op_pending(&s->h->ops.at[s->of[p].at[i]]))
                return false;
    return true;
}

static bool is_legal(struct seq *s, const struct fore_op *op, fore_val *next)
{
    return fore_model_step(s->h->model, &s->h->values, s->state[op->object], op, next);
}

static void take_operation(struct seq *s, size_t process, uint32_t op, bool took,
                           fore_val next, uint32_t tried)
{
    uint32_t object = s->h->ops.at[op].object;
    fore_vec_push(&s->stack,
                  (struct choice){(uint32_t)process, op, s->state[object], tried, took});
    if (took)
        s->state[object] = next;
    s->placed += !fore_op_pending(&s->h->ops.at[op]);
    s->at[process]++;
}

static void undo_choice(struct seq *s, struct choice *c)
{
    *c = fore_vec_pop(&s->stack);
    s->state[s->h->ops.at[c->op].object] = c->before;
    s->placed -= !fore_op_pending(&s->h->ops.at[c->op]);
    s->at[c->process]--;
}

static void take_idle(struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++) {
        uint32_t i;
        const struct fore_op *op;
        fore_val next;
        while ((op = next_op(s, p, &i)) && !fore_op_pending(op) &&
               fore_op_idle(s->h->model, op, true) && is_legal(s, op, &next))
            take_operation(s, p, i, true, next, FORCED);
    }
}

static bool is_new(struct seq *s)
{
    size_t known = fore_intern_count(&s->seen);
    fore_strbuf_clear(&s->key);
    fore_strbuf_add(&s->key, (const char *)s->at, s->h->processes.n * sizeof *s->at);
    fore_strbuf_add(&s->key, (const char *)s->state, s->h->objects.n * sizeof *s->state);
    fore_intern(&s->seen, s->key.at, s->key.n);
    return fore_intern_count(&s->seen) > known;
}

/* Takes the first possible choice from `from` on; false if there is none. */
static bool choose_process(struct seq *s, uint32_t from)
{
    for (uint32_t c = from; c < 2 * s->h->processes.n; c++) {
        uint32_t i;
        const struct fore_op *op = next_op(s, c / 2, &i);
        fore_val next = FORE_NIL;
        if (!op || (c % 2 ? !fore_op_pending(op) : !is_legal(s, op, &next)))
            continue;
        take_operation(s, c / 2, i, c % 2 == 0, next, c + 1);
        return true;
    }
    return false;
}

/* Undoes choices until one has an alternative; false if none has. */
static bool backtrack_choice(struct seq *s)
{
    while (s->stack.n) {
        struct choice c;
        undo_choice(s, &c);
        if (c.next != FORCED && choose_process(s, c.next))
            return true;
    }
    return false;
}

/* Every configuration is reached with all idle operations taken that can be, so the longest
 * orders are among those that the search comes by. */
static void keep_longest(struct seq *s)
{
    struct fore_seq_outcome *out = s->out;
    size_t bytes = s->h->objects.n * sizeof *s->state;
    bool longer = s->placed > out->longest;
    if (longer) {
        fore_vec_clear(&out->order);
        fore_vec_clear(&out->other);
        out->longest = s->placed;
    }
    bool more = s->placed == out->longest && out->order.n && !out->other.n &&
                memcmp(s->longest_state, s->state, bytes) != 0;
    if (longer)
        memcpy(s->longest_state, s->state, bytes);
    for (size_t i = 0; (longer || more) && i < s->stack.n; i++) {
        if (!s->stack.at[i].took)
            continue;
        if (longer)
            fore_vec_push(&out->order, s->stack.at[i].op);
        else
            fore_vec_push(&out->other, s->stack.at[i].op);
    }
}

static const char *over_limits(const struct seq *s)
{
    if (s->limits->max_configs && s->out->configs > s->limits->max_configs)
        return "configurations";
    return fore_spent_text(fore_budget_spent(&s->limits->budget));
}

static enum fore_lin search_sequential(struct seq *s)
{
    for (bool going = true; going;) {
        take_idle(s);
        keep_longest(s);
        if (done(s))
            return FORE_LIN_YES;
        s->out->configs++;
        s->out->bound = over_limits(s);
        if (s->out->bound)
            return FORE_LIN_UNKNOWN;
        going = (is_new(s) && choose_process(s, 0)) || backtrack_choice(s);
    }
    return FORE_LIN_NO;
}

static void set_up(struct seq *s, const uint32_t *ops, size_t n, fore_val init)
{
    struct fore_history *h = s->h;
    s->of = fore_calloc(h->processes.n + 1, sizeof *s->of);
    s->at = fore_calloc(h->processes.n + 1, sizeof *s->at);
    s->state = fore_calloc(h->objects.n + 1, sizeof *s->state);
    s->longest_state = fore_calloc(h->objects.n + 1, sizeof *s->state);
    for (size_t i = 0; i < h->objects.n; i++)
        s->state[i] = init;
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&s->of[h->ops.at[ops[i]].process], ops[i]);
}

static void tear_down(struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++)
        fore_vec_release(&s->of[p]);
    fore_free(s->of);
    fore_free(s->at);
    fore_free(s->state);
    fore_free(s->longest_state);
    fore_intern_release(&s->seen);
    fore_strbuf_release(&s->key);
    fore_vec_release(&s->stack);
}

void fore_sequential(struct fore_history *h, const uint32_t *ops, size_t n, fore_val init,
                     struct fore_limits *limits, struct fore_seq_outcome *out)
{
    struct seq s = {.h = h, .limits = limits, .out = out, .key = FORE_STRBUF_INIT};
    *out = (struct fore_seq_outcome){0};
    set_up(&s, ops, n, init);
    out->verdict = search_sequential(&s);
    tear_down(&s);
}

void fore_seq_outcome_release(struct fore_seq_outcome *o)
{
    fore_vec_release(&o->order);
    fore_vec_release(&o->other);
}

/* A linearizable history is sequentially consistent, if no process has several operations
 * open at once, and none goes on after one that never returned. Each object's order gives
 * its operations points in time, as early as they can be; together these are one order. */

static bool has_one_at_a_time(const struct fore_history *h)
{
    uint32_t *busy_until = fore_calloc(h->processes.n + 1, sizeof *busy_until);
    bool one = true;
    for (size_t i = 0; i < h->ops.n && one; i++) {
        const struct fore_op *op = &h->ops.at[i];
        one = busy_until[op->process] <= op->invoke;
        busy_until[op->process] = op->ret;
    }
    fore_free(busy_until);
    return one;
}

/* An operation of an object, at the invocation of one of that object; no two invocations are at one point. */
struct moment {
    uint32_t point, place, op;
};

static int by_moment(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void merge_orders(const struct fore_history *h, const struct fore_lin_result *r,
                         struct fore_lin_part *all)
{
    struct moment *m = fore_calloc(h->ops.n + 1, sizeof *m);
    size_t n = 0;
    for (size_t k = 0; k < r->parts.n; k++) {
        const struct fore_lin_part *p = &r->parts.at[k];
        uint32_t now = 0;
        for (size_t i = 0; i < p->n_order; i++) {
            uint32_t op = p->order[i];
            now = h->ops.at[op].invoke > now ? h->ops.at[op].invoke : now;
            m[n++] = (struct moment){now, (uint32_t)i, op};
        }
    }
    if (n)
        qsort(m, n, sizeof *m, by_moment);
    all->order = fore_calloc(n + 1, sizeof *all->order);
    for (size_t i = 0; i < n; i++)
        all->order[all->n_order++] = m[i].op;
    fore_free(m);
}

/* What a try may cost: a history that is linearizable is mostly so at once. */
enum { TRY_CONFIGS = 20000 };

static bool is_linearizable(struct fore_history *h, const struct fore_lin_options *o,
                            struct fore_lin_part *p)
{
    struct fore_lin_options as = *o;
    struct fore_lin_result r;
    struct fore_err e = {0};
    if (!has_one_at_a_time(h))
        return false;
    as.criterion = FORE_LINEARIZABLE;
    as.limits.max_configs = TRY_CONFIGS + 4 * h->ops.n;
    bool yes = fore_lin_check(h, &as, &r, &e) == FORE_OK && r.verdict == FORE_LIN_YES;
    p->configs += r.configs;
    if (yes && o->keep_orders)
        merge_orders(h, &r, p);
    fore_lin_result_release(&r);
    return yes;
}

static void decide_sequential(struct fore_history *h, const struct fore_lin_options *o,
                              struct fore_lin_part *p)
{
    struct fore_limits limits = o->limits;
    struct fore_seq_outcome out;
    fore_sequential(h, p->ops, p->n, p->init, &limits, &out);
    p->verdict = out.verdict;
    p->bound = out.bound;
    p->configs += out.configs;
    if (o->keep_orders && out.verdict == FORE_LIN_YES) {
        p->order = fore_calloc(out.order.n + 1, sizeof *p->order);
        for (size_t i = 0; i < out.order.n; i++)
            p->order[p->n_order++] = out.order.at[i];
    }
    fore_seq_outcome_release(&out);
}

void fore_lin_sequential(struct fore_history *h, const struct fore_lin_options *o,
                         fore_val init, struct fore_lin_result *r)
{
    r->ops_by_part = fore_calloc(h->ops.n + 1, sizeof *r->ops_by_part);
    for (size_t i = 0; i < h->ops.n; i++)
        r->ops_by_part[i] = (uint32_t)i;
    struct fore_lin_part p = {.ops = r->ops_by_part, .n = h->ops.n, .init = init};
    if (o->general_only || !is_linearizable(h, o, &p))
        decide_sequential(h, o, &p);
    r->verdict = p.verdict;
    r->bound = p.bound;
    r->configs = p.configs;
    fore_vec_push(&r->parts, p);
}
