#include "history/explain_words.h"

#include "base/bitset.h"

#include <string.h>

enum { MAX_ORDERS = 2, MAX_NODES = 200000 };

/* Looks at every order of the operations that are shown, and keeps the longest. */
struct orders {
    const struct fore_history *h;
    struct fore_lin_explanation *x;
    struct fore_arena *a;
    struct fore_world w;
    struct fore_part part;
    struct fore_intern seen;
    struct fore_strbuf key;
    uint64_t *used;
    size_t words, nodes, best; /* best: answered operations placed */
    FORE_VEC(uint32_t) now;
    FORE_VEC(fore_val) states; /* of the orders that are kept */
    size_t *longest;           /* by operation: of the partial order that has it */
};

static uint32_t first_return(const struct orders *o)
{
    uint32_t first = FORE_NEVER;
    for (size_t i = 0; i < o->part.n; i++)
        if (!fore_bit_has(o->used, i) && o->part.ops[i].ret < first)
            first = o->part.ops[i].ret;
    return first;
}

static bool is_new(struct orders *o, fore_val state)
{
    size_t known = fore_intern_count(&o->seen);
    fore_strbuf_clear(&o->key);
    fore_strbuf_add(&o->key, (const char *)o->used, o->words * sizeof *o->used);
    fore_strbuf_add(&o->key, (const char *)&state, sizeof state);
    fore_intern(&o->seen, o->key.at, o->key.n);
    return fore_intern_count(&o->seen) > known;
}

static const char *state_text(const struct orders *o, fore_val state)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_model_state_text(o->part.model, o->part.values, state, &b);
    const char *text = fore_arena_strndup(o->a, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}

static void keep_order(struct orders *o, size_t placed, fore_val state)
{
    if (placed > o->best) {
        fore_vec_clear(&o->x->orders);
        fore_vec_clear(&o->states);
        o->best = placed;
    }
    if (placed < o->best || o->x->orders.n == MAX_ORDERS)
        return;
    for (size_t i = 0; i < o->states.n; i++)
        if (fore_val_is(o->states.at[i], state))
            return; /* it would say the same */
    uint32_t *ops = FORE_NEW_ARRAY(o->a, uint32_t, o->now.n + 1);
    if (o->now.n)
        memcpy(ops, o->now.at, o->now.n * sizeof *ops);
    fore_vec_push(&o->x->orders,
                  (struct fore_stuck_order){ops, o->now.n, state_text(o, state), NULL});
    fore_vec_push(&o->states, state);
}

/* The order as it is now may be the longest of those that have one of its operations. */
static void keep_partial(struct orders *o)
{
    uint32_t *copy = NULL;
    for (size_t i = 0; i < o->now.n; i++) {
        uint32_t op = o->now.at[i];
        if (o->now.n <= o->longest[op])
            continue;
        if (!copy) {
            copy = FORE_NEW_ARRAY(o->a, uint32_t, o->now.n);
            memcpy(copy, o->now.at, o->now.n * sizeof *copy);
        }
        o->longest[op] = o->now.n;
        o->x->partial.at[op] = (struct fore_stuck_order){.ops = copy, .n = o->now.n};
    }
}

/* What the object is after each operation of the order. */
static void tell_states(const struct orders *o, struct fore_stuck_order *order)
{
    const char **texts = FORE_NEW_ARRAY(o->a, const char *, order->n + 1);
    fore_val state = o->part.init;
    for (size_t i = 0; i < order->n; i++) {
        fore_val next;
        bool steps = fore_model_step(o->part.model, o->part.values, state,
                                     &o->part.ops[order->ops[i]], &next);
        FORE_BUG_IF(!steps); /* it was found by these steps */
        texts[i] = state_text(o, state = next);
    }
    order->states = texts;
}

static void extend_orders(struct orders *o, fore_val state, size_t placed)
{
    if (o->nodes++ > MAX_NODES || !is_new(o, state))
        return;
    uint32_t first = first_return(o);
    keep_order(o, placed, state);
    keep_partial(o);
    for (size_t i = 0; i < o->part.n; i++) {
        const struct fore_op *op = &o->part.ops[i];
        fore_val next;
        if (fore_bit_has(o->used, i) || op->invoke > first ||
            !fore_model_step(o->part.model, o->part.values, state, op, &next))
            continue;
        fore_bit_add(o->used, i);
        fore_vec_push(&o->now, (uint32_t)i);
        extend_orders(o, next, placed + !fore_op_pending(op));
        o->now.n--;
        fore_bit_del(o->used, i);
    }
}

static bool writes_value(const struct fore_model *m, const struct fore_op *op, fore_val v)
{
    for (size_t i = 0; i < m->ops[op->f].nargs; i++)
        if (m->ops[op->f].role != FORE_ROLE_LOOK && fore_val_is(op->arg[i], v))
            return true;
    return false;
}

/* None of the operations that are shown brings the value that operation i saw: does any
 * other? Only the first that does matters, by invocation. */
static void about_missing(const struct orders *o, uint32_t i, struct fore_strbuf *b)
{
    const struct fore_op *op = &o->h->ops.at[o->x->ops.at[i].op];
    for (size_t k = 0; k < o->h->ops.n; k++) {
        const struct fore_op *other = &o->h->ops.at[k];
        if (other->object != op->object || !writes_value(o->h->model, other, op->result))
            continue;
        if (other->invoke > op->ret) {
            fore_strbuf_puts(b, "; ");
            fore_op_text(o->h->model, &o->h->values, other, b);
            fore_strbuf_puts(b, " of ");
            fore_history_process_text(o->h, other->process, b);
            fore_strbuf_puts(b, " begins only after it ended");
        }
        return;
    }
    fore_strbuf_puts(b, "; no operation writes ");
    fore_val_text(&o->h->values, op->result, b);
}

/* Where could the value come from that this operation saw? */
static void about_value(const struct orders *o, const struct fore_stuck_order *order,
                        uint32_t i, struct fore_strbuf *b)
{
    const struct fore_model *m = o->part.model;
    const struct fore_op *op = &o->part.ops[i];
    uint32_t put = 0, puts = 0;
    if (m->ops[op->f].answer != FORE_ANSWER_VALUE || fore_val_is(op->result, FORE_ANY) ||
        fore_val_kind(op->result) == FORE_VAL_LIST)
        return;
    for (uint32_t k = 0; k < o->part.n; k++)
        if (m->ops[o->part.ops[k].f].role == FORE_ROLE_PUT &&
            fore_val_is(o->part.ops[k].arg[0], op->result)) {
            put = k;
            puts++;
        }
    for (uint32_t k = 0; !puts && k < o->part.n; k++)
        if (writes_value(m, &o->part.ops[k], op->result))
            return;
    if (!puts && !fore_val_is(op->result, FORE_NIL))
        about_missing(o, i, b);
    if (puts != 1)
        return;
    bool placed = false;
    for (size_t k = 0; k < order->n; k++)
        placed = placed || order->ops[k] == put;
    fore_strbuf_puts(b, "; the only ");
    fore_strbuf_puts(b, o->x->ops.at[put].text);
    fore_strbuf_puts(b, " of ");
    fore_history_process_text(o->h, o->part.ops[put].process, b);
    fore_strbuf_puts(b, placed                              ? " had to come earlier"
                        : o->part.ops[put].invoke > op->ret ? " begins after it ended"
                                                            : " cannot come before it");
}

static void object_to(struct orders *o, uint32_t order, uint32_t i)
{
    const struct fore_stuck_order *at = &o->x->orders.at[order];
    const struct fore_op *op = &o->part.ops[i];
    struct fore_op ask = *op;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val next, result;
    ask.result = FORE_ANY;
    if (!o->part.model->step(o->part.model, o->part.values, o->states.at[order], &ask,
                             &next, &result)) {
        fore_strbuf_printf(&b, "has to wait while the state is %s", at->state);
        if (at->n)
            fore_strbuf_printf(&b, ", as %s left it",
                               o->x->ops.at[at->ops[at->n - 1]].text);
    } else {
        fore_strbuf_puts(&b, "would answer ");
        fore_val_text(o->part.values, result, &b);
        fore_strbuf_puts(&b, " here");
        about_value(o, at, i, &b);
    }
    fore_vec_push(&o->x->objections,
                  (struct fore_objection){i, order, fore_arena_strndup(o->a, b.at, b.n)});
    fore_strbuf_release(&b);
}

static void explain_object(struct orders *o, uint32_t order)
{
    const struct fore_stuck_order *at = &o->x->orders.at[order];
    memset(o->used, 0, o->words * sizeof *o->used);
    for (size_t i = 0; i < at->n; i++)
        fore_bit_add(o->used, at->ops[i]);
    uint32_t first = first_return(o);
    for (uint32_t i = 0; i < o->part.n; i++) {
        const struct fore_op *op = &o->part.ops[i];
        fore_val next;
        if (!fore_bit_has(o->used, i) && op->invoke < first && !fore_op_pending(op) &&
            !fore_model_step(o->part.model, o->part.values, o->states.at[order], op,
                             &next))
            object_to(o, order, i);
    }
}

static void add_forced_order(struct fore_lin_explanation *x, size_t before, size_t after,
                             enum fore_forced_by by)
{
    fore_vec_push(&x->forced,
                  (struct fore_forced_order){(uint32_t)before, (uint32_t)after, by});
}

/* Pairs whose order is given, without those that follow from others. */
static void force_time(const struct fore_part *p, struct fore_lin_explanation *x)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->n; k++) {
            bool direct = p->ops[i].ret < p->ops[k].invoke;
            for (size_t j = 0; direct && j < p->n; j++)
                direct = !(p->ops[i].ret < p->ops[j].invoke &&
                           p->ops[j].ret < p->ops[k].invoke);
            if (direct)
                add_forced_order(x, i, k, FORE_BY_REAL_TIME);
        }
}

static void force_values(const struct fore_part *p, struct fore_lin_explanation *x)
{
    for (size_t k = 0; k < p->n; k++) {
        size_t put = 0, puts = 0;
        if (p->model->ops[p->ops[k].f].answer != FORE_ANSWER_VALUE ||
            fore_op_pending(&p->ops[k]) || fore_val_is(p->ops[k].result, FORE_ANY))
            continue;
        for (size_t i = 0; i < p->n; i++)
            if (p->model->ops[p->ops[i].f].role == FORE_ROLE_PUT &&
                fore_val_is(p->ops[i].arg[0], p->ops[k].result)) {
                put = i;
                puts++;
            }
        if (puts == 1 && p->ops[put].ret > p->ops[k].invoke)
            add_forced_order(x, put, k, FORE_BY_VALUE);
    }
}

void fore_lin_words(const struct fore_history *h, const struct fore_shrunk *s,
                    struct fore_arena *a, struct fore_lin_explanation *x)
{
    struct orders o = {.h = h, .x = x, .a = a, .key = FORE_STRBUF_INIT};
    FORE_VEC(uint32_t) ops = {0};
    for (size_t i = 0; i < x->ops.n; i++)
        fore_vec_push(&ops, x->ops.at[i].op);
    o.w.shared = &s->h->values;
    fore_world_set(&o.w, h, ops.at, ops.n, s->inits.at[0], s->cut);
    o.part = o.w.part;
    o.words = FORE_BITSET_WORDS(ops.n);
    o.used = fore_calloc(o.words + 1, sizeof *o.used);
    o.longest = fore_calloc(ops.n + 1, sizeof *o.longest);
    fore_vec_ensure(&x->partial, ops.n);
    extend_orders(&o, o.part.init, 0);
    for (size_t i = 0; i < x->orders.n; i++)
        tell_states(&o, &x->orders.at[i]);
    for (size_t i = 0; i < x->partial.n; i++)
        tell_states(&o, &x->partial.at[i]);
    for (uint32_t i = 0; i < x->orders.n; i++)
        explain_object(&o, i);
    force_time(&o.part, x);
    force_values(&o.part, x);
    fore_free(o.used);
    fore_free(o.longest);
    fore_intern_release(&o.seen);
    fore_strbuf_release(&o.key);
    fore_vec_release(&o.now);
    fore_vec_release(&o.states);
    fore_vec_release(&ops);
    fore_world_release(&o.w);
}
