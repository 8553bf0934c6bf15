/* What is built on the search, against all permutations: sequential consistency, and what
 * the shrinker leaves. Usage: derived [histories per model] */
#include "history/explain.h"
#include "history/sequential.h"
#include "history/shrink.h"
#include "oracle/history/random_history.h"

#include <stdio.h>
#include <stdlib.h>

/* As a history of one object; `h` keeps its operations and values until `back`. */
static void as_history(struct random_history *h, struct fore_history *out)
{
    fore_history_init(out, "random", h->part.model);
    out->values = h->values;
    for (size_t i = 0; i < h->ops.n; i++)
        fore_vec_push(&out->ops, h->ops.at[i]);
    for (int64_t p = 0; p < 16; p++)
        fore_vec_push(&out->processes, fore_val_int(&out->values, p));
    fore_vec_push(&out->objects, FORE_NIL);
    out->events = (uint32_t)h->ops.n * 2; /* positions are below */
}

static void back(struct random_history *h, struct fore_history *from)
{
    h->values = from->values;
    from->values = (struct fore_vals){0};
    fore_history_release(from);
}

/* Tries every order that keeps each process' own. */
static bool consistent(const struct fore_part *p, fore_val state, uint64_t used)
{
    bool all = true;
    for (size_t i = 0; i < p->n; i++)
        all = all && (used >> i & 1 || fore_op_pending(&p->ops[i]));
    if (all)
        return true;
    for (size_t i = 0; i < p->n; i++) {
        fore_val next;
        bool first = !(used >> i & 1);
        for (size_t k = 0; first && k < i; k++)
            first = used >> k & 1 || p->ops[k].process != p->ops[i].process;
        if (!first)
            continue;
        if (fore_op_pending(&p->ops[i]) && consistent(p, state, used | (uint64_t)1 << i))
            return true; /* it did not happen */
        if (fore_model_step(p->model, p->values, state, &p->ops[i], &next) &&
            consistent(p, next, used | (uint64_t)1 << i))
            return true;
    }
    return false;
}

/* What is shown of an inconsistent history must be inconsistent by itself. */
static bool explained_is_wrong(struct fore_history *as, const struct fore_lin_part *p)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_lin_explanation x;
    FORE_VEC(struct fore_op) ops = {0};
    struct fore_limits effort = {.max_configs = 100000};
    fore_sequential_explain(as, p, &effort, &a, &x);
    for (size_t i = 0; i < x.ops.n; i++)
        fore_vec_push(&ops, as->ops.at[x.ops.at[i].op]);
    struct fore_part part = {as->model, &as->values, p->init, ops.at, ops.n};
    bool wrong = x.orders.n && x.objections.n && !consistent(&part, p->init, 0);
    if (!wrong)
        fprintf(stderr, "%s: %zu operations are shown, and they are consistent\n",
                as->model->name, x.ops.n);
    fore_vec_release(&ops);
    fore_lin_explanation_release(&x);
    fore_arena_release(&a);
    return wrong;
}

static bool sequential_agrees(struct random_history *h)
{
    struct fore_history as;
    struct fore_lin_result r = {0};
    struct fore_lin_options o = {.criterion = FORE_SEQUENTIAL};
    bool expected = consistent(&h->part, h->part.init, 0);
    as_history(h, &as);
    fore_lin_sequential(&as, &o, h->part.init, &r);
    bool ok = (r.verdict == FORE_LIN_YES) == expected;
    if (!ok)
        fprintf(stderr, "%s: sequentially consistent: %d, and %d was found\n",
                h->part.model->name, expected, r.verdict == FORE_LIN_YES);
    if (ok && !expected)
        ok = explained_is_wrong(&as, &r.parts.at[0]);
    fore_lin_result_release(&r);
    back(h, &as);
    return ok;
}

/* What is left, from every initial state, must be wrong by all permutations. */
static bool shrunk_is_wrong(struct random_history *h)
{
    struct fore_history as;
    struct fore_shrunk s = {.budget = 1000000};
    as_history(h, &as);
    s.h = &as;
    for (uint32_t i = 0; i < h->ops.n; i++)
        fore_vec_push(&s.ops, i);
    fore_vec_push(&s.inits, h->part.init);
    fore_shrink(&s);
    bool wrong = s.inits.n > 0;
    for (size_t i = 0; i < s.inits.n; i++) {
        struct fore_world w = {.shared = &as.values};
        fore_world_set(&w, &as, s.ops.at, s.ops.n, s.inits.at[i], s.cut);
        wrong = wrong && !brute_force(&w.part);
        fore_world_release(&w);
    }
    if (!wrong)
        fprintf(stderr, "%s: %zu operations were left, and they are linearizable\n",
                h->part.model->name, s.ops.n);
    fore_vec_release(&s.ops);
    fore_vec_release(&s.inits);
    back(h, &as);
    return wrong;
}

static bool check_model(const struct fore_model *m, size_t count)
{
    struct fore_rng rng;
    size_t wrong = 0;
    fore_rng_seed(&rng, 12);
    for (size_t i = 0; i < count; i++) {
        struct random_shape shape = {.ops = 1 + fore_rng_below(&rng, 6),
                                     .processes = 2 + (unsigned)fore_rng_below(&rng, 2),
                                     .values = 1 + (unsigned)fore_rng_below(&rng, 3),
                                     .pending = (unsigned)fore_rng_below(&rng, 3) * 10,
                                     .wrong = (unsigned)fore_rng_below(&rng, 3) * 35,
                                     .distinct = fore_rng_below(&rng, 2)};
        struct random_history h;
        if (i % 4 == 0) /* long enough to be started later */
            shape.ops = 14;
        random_history(&h, m, &shape, &rng);
        h.part.values = &h.values;
        bool bad = !brute_force(&h.part);
        bool ok = (i % 4 == 0 || sequential_agrees(&h)) && (!bad || shrunk_is_wrong(&h));
        if (!ok)
            random_history_print(&h);
        random_history_release(&h);
        if (!ok)
            return false;
        wrong += bad;
    }
    printf("%-13s %zu histories, %zu shrunk\n", m->name, count, wrong);
    return true;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 4000;
    bool ok = true;
    for (size_t i = 0; ok && fore_models[i]; i++)
        ok = check_model(fore_models[i], count);
    return ok ? 0 : 1;
}
