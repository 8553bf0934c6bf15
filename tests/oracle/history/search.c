/* The general search and the incremental monitor against all permutations.
 * Usage: search [histories per model] */
#include "history/monitor.h"
#include "history/order.h"
#include "oracle/history/random_history.h"

#include <stdio.h>
#include <stdlib.h>

static bool monitor_accepts(const struct fore_part *p)
{
    struct fore_history_monitor m;
    bool ok = true;
    uint32_t last = 0;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t end = fore_op_pending(&p->ops[i]) ? p->ops[i].invoke : p->ops[i].ret;
        last = end > last ? end : last;
    }
    fore_monitor_init(&m, p->model, p->values, p->init);
    for (uint32_t now = 0; ok && now <= last; now++)
        for (size_t i = 0; ok && i < p->n; i++) {
            if (p->ops[i].invoke == now)
                fore_monitor_invoke(&m, i, &p->ops[i]);
            if (p->ops[i].ret == now)
                ok = fore_monitor_respond(&m, i, p->ops[i].result);
        }
    fore_monitor_release(&m);
    return ok;
}

static bool agree(const struct random_history *h, bool *linearizable)
{
    struct fore_limits limits = {0};
    struct fore_search_outcome out;
    fore_search(&h->part, &limits, &out);
    bool expected = brute_force(&h->part);
    bool ok = (out.verdict == FORE_LIN_YES) == expected &&
              monitor_accepts(&h->part) == expected;
    if (ok && expected)
        ok = fore_order_holds(&h->part, out.order.at, out.order.n);
    if (!ok) {
        fprintf(stderr, "%s: search says %d, monitor %d, all permutations %d\n",
                h->part.model->name, out.verdict == FORE_LIN_YES,
                monitor_accepts(&h->part), expected);
        random_history_print(h);
    }
    fore_outcome_release(&out);
    *linearizable = expected;
    return ok;
}

static bool check_model(const struct fore_model *m, size_t count)
{
    struct fore_rng rng;
    size_t yes = 0;
    fore_rng_seed(&rng, 9);
    for (size_t i = 0; i < count; i++) {
        struct random_shape shape = {.ops = 1 + fore_rng_below(&rng, 7),
                                     .processes = 2 + (unsigned)fore_rng_below(&rng, 3),
                                     .values = 1 + (unsigned)fore_rng_below(&rng, 3),
                                     .pending = (unsigned)fore_rng_below(&rng, 3) * 15,
                                     .wrong = (unsigned)fore_rng_below(&rng, 3) * 35,
                                     .distinct = fore_rng_below(&rng, 2)};
        struct random_history h;
        bool linearizable;
        random_history(&h, m, &shape, &rng);
        bool ok = agree(&h, &linearizable);
        random_history_release(&h);
        if (!ok)
            return false;
        yes += linearizable;
    }
    printf("%-13s %zu histories, %zu linearizable\n", m->name, count, yes);
    return yes > count / 10 && count - yes > count / 50;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 20000;
    bool ok = true;
    for (size_t i = 0; ok && fore_models[i]; i++)
        ok = check_model(fore_models[i], count);
    return ok ? 0 : 1;
}
