#include "oracle/history/random_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client {
    size_t op;
    bool open, in_effect;
    fore_val result;
};

static fore_val any_value(struct random_history *h, const struct random_shape *shape,
                          struct fore_rng *rng)
{
    return fore_val_int(&h->values, (int64_t)fore_rng_below(rng, shape->values));
}

static void invoke(struct random_history *h, const struct random_shape *shape,
                   struct client *c, uint32_t process, uint32_t *now,
                   struct fore_rng *rng)
{
    const struct fore_model *m = h->part.model;
    size_t kinds = shape->only ? shape->only : m->n_ops;
    struct fore_op op = {.process = process, .invoke = (*now)++, .ret = FORE_NEVER};
    op.result = FORE_ANY;
    op.f = (uint16_t)fore_rng_below(rng, kinds);
    for (size_t i = 0; i < m->ops[op.f].nargs; i++)
        op.arg[i] = any_value(h, shape, rng);
    if (shape->distinct && m->ops[op.f].role == FORE_ROLE_PUT)
        op.arg[0] =
            fore_val_int(&h->values, (int64_t)(h->ops.n * 7 % 11 + h->ops.n * 11));
    *c = (struct client){.op = h->ops.n, .open = true};
    fore_vec_push(&h->ops, op);
}

static fore_val wrong_answer(struct random_history *h, const struct random_shape *shape,
                             struct fore_rng *rng, fore_val right)
{
    if (right.w == FORE_TRUE.w || right.w == FORE_FALSE.w)
        return fore_val_bool(fore_rng_below(rng, 2));
    size_t other = fore_rng_below(rng, h->ops.n);
    fore_val v = h->ops.at[other].arg[0];
    unsigned pick = (unsigned)fore_rng_below(rng, 4);
    return pick == 0 ? FORE_NIL : pick == 1 ? any_value(h, shape, rng) : v;
}

static void progress(struct random_history *h, const struct random_shape *shape,
                     struct client *c, fore_val *state, uint32_t *now,
                     struct fore_rng *rng)
{
    struct fore_op *op = &h->ops.at[c->op];
    const struct fore_model *m = h->part.model;
    if (!c->in_effect) {
        fore_val next;
        /* An object that chooses its answer is asked whether it may choose this one. */
        struct fore_op chosen = *op;
        if (!strcmp(m->name, "ids"))
            chosen.result = fore_val_int(&h->values, (int64_t)fore_rng_below(rng, 8));
        c->in_effect = m->step(m, &h->values, *state, &chosen, &next, &c->result);
        if (c->in_effect)
            *state = next;
    } else if (fore_rng_below(rng, 100) < shape->pending) {
        c->open = false; /* it never returns; the client goes on under the same name */
    } else {
        op->ret = (*now)++;
        op->result = c->result;
        if (fore_rng_below(rng, 100) < shape->wrong &&
            m->ops[op->f].answer != FORE_ANSWER_NONE)
            op->result = wrong_answer(h, shape, rng, c->result);
        c->open = false;
    }
}

void random_history(struct random_history *h, const struct fore_model *m,
                    const struct random_shape *shape, struct fore_rng *rng)
{
    struct client clients[16] = {0};
    uint32_t now = 0;
    *h = (struct random_history){.part = {.model = m}};
    FORE_BUG_IF(!fore_model_start(m, &h->values, NULL, &h->part.init));
    fore_val state = h->part.init;
    size_t turns = shape->ops * 4;
    for (size_t i = 0; i < turns; i++) {
        uint32_t who = (uint32_t)fore_rng_below(rng, shape->processes);
        struct client *c = &clients[who];
        if (c->open)
            progress(h, shape, c, &state, &now, rng);
        else if (h->ops.n < shape->ops)
            invoke(h, shape, c, who, &now, rng);
    }
    h->part.values = &h->values;
    h->part.ops = h->ops.at;
    h->part.n = h->ops.n;
}

void random_history_release(struct random_history *h)
{
    fore_vec_release(&h->ops);
    fore_vals_release(&h->values);
}

void random_history_print(const struct random_history *h)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (size_t i = 0; i < h->ops.n; i++) {
        fore_op_text(h->part.model, &h->values, &h->ops.at[i], &b);
        fore_strbuf_printf(&b, "  [%u, %d]\n", h->ops.at[i].invoke,
                           (int)h->ops.at[i].ret);
    }
    fputs(b.at, stderr);
    fore_strbuf_release(&b);
}

static bool extend(const struct fore_part *p, fore_val state, uint64_t used)
{
    uint32_t first_return = FORE_NEVER;
    for (size_t i = 0; i < p->n; i++)
        if (!(used >> i & 1) && p->ops[i].ret < first_return)
            first_return = p->ops[i].ret;
    if (first_return == FORE_NEVER)
        return true;
    for (size_t i = 0; i < p->n; i++) {
        fore_val next;
        if (used >> i & 1 || p->ops[i].invoke > first_return)
            continue;
        if (fore_model_step(p->model, p->values, state, &p->ops[i], &next) &&
            extend(p, next, used | (uint64_t)1 << i))
            return true;
    }
    return false;
}

bool brute_force(const struct fore_part *p)
{
    return extend(p, p->init, 0);
}
