/* The special algorithms against the general search, on random histories that meet their
 * preconditions. Usage: special [histories in all] */
#include "history/special.h"
#include "history/order.h"
#include "oracle/history/random_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    size_t histories, decided, yes;
};

/* The operations that the algorithm for this object can deal with: its first ones. */
static unsigned operations(const struct fore_model *m)
{
    return m->shape == FORE_SHAPE_SET ? 3 : 2;
}

/* Must a certificate be found? Not with looks into a container or takes that never returned;
 * and sets are left out: they seldom fit. */
static bool fits(const struct random_history *h)
{
    const struct fore_model *m = h->part.model;
    for (size_t i = 0; i < h->ops.n; i++) {
        enum fore_role role = m->ops[h->ops.at[i].f].role;
        if (fore_op_pending(&h->ops.at[i]) && role == FORE_ROLE_TAKE)
            return false;
        if (role == FORE_ROLE_LOOK && m->shape != FORE_SHAPE_REGISTER)
            return false;
    }
    return m->shape != FORE_SHAPE_SET;
}

/* A search that may hold next to nothing forgets, gives up, and is never wrong. */
static bool small_agrees(const struct random_history *h, enum fore_lin expected)
{
    struct fore_limits limits = {.max_configs = 1000, .max_bytes = 1};
    struct fore_search_outcome small;
    fore_search(&h->part, &limits, &small);
    bool ok = small.verdict == expected || small.verdict == FORE_LIN_UNKNOWN;
    if (!ok)
        fprintf(stderr, "with little memory: %d\n", small.verdict);
    fore_outcome_release(&small);
    return ok;
}

/* `must`: the precondition holds, so a certificate must be found. */
static bool agree(const struct random_history *h, bool must, struct count *c)
{
    struct fore_limits limits = {.max_configs = 100000};
    struct fore_search_outcome special, general;
    c->histories++;
    if (!fore_special_decide(&h->part, &limits, &special)) {
        if (must)
            random_history_print(h);
        return !must;
    }
    fore_search(&h->part, &limits, &general);
    c->decided++;
    c->yes += special.verdict == FORE_LIN_YES;
    /* The search is exponential: now and then it cannot tell. */
    bool told = general.verdict != FORE_LIN_UNKNOWN;
    c->decided -= !told;
    bool ok = !told || special.verdict == general.verdict;
    if (ok && told && c->histories % 16 == 0)
        ok = small_agrees(h, general.verdict);
    if (ok && special.verdict == FORE_LIN_YES)
        ok = fore_order_holds(&h->part, special.order.at, special.order.n);
    if (!ok) {
        fprintf(stderr, "%s: the special algorithm says %d, the search %d\n",
                h->part.model->name, special.verdict, general.verdict);
        random_history_print(h);
    }
    fore_outcome_release(&special);
    fore_outcome_release(&general);
    return ok;
}

static void random_shape(const struct fore_model *m, struct random_shape *s,
                         struct fore_rng *rng)
{
    size_t most = m->shape == FORE_SHAPE_SET ? 6 : 24;
    *s = (struct random_shape){.ops = 2 + fore_rng_below(rng, most),
                               .processes = 2 + (unsigned)fore_rng_below(rng, 5),
                               .values = m->shape == FORE_SHAPE_SET ? 1 : 4,
                               .pending = (unsigned)fore_rng_below(rng, 2) * 5,
                               .wrong = (unsigned)fore_rng_below(rng, 3) * 15,
                               .distinct = m->shape != FORE_SHAPE_SET,
                               .only = operations(m)};
    if (m->shape > FORE_SHAPE_SET && fore_rng_below(rng, 3) == 0)
        s->only = 3; /* and looks */
}

static bool check_model(const char *name, size_t count, size_t least_decided)
{
    const struct fore_model *m = fore_model_find(name);
    struct count c = {0};
    struct fore_rng rng;
    fore_rng_seed(&rng, 25);
    for (bool ok = true; ok && c.histories < count;) {
        struct random_shape shape;
        struct random_history h;
        random_shape(m, &shape, &rng);
        random_history(&h, m, &shape, &rng);
        bool must = fits(&h);
        ok = agree(&h, must, &c);
        random_history_release(&h);
        if (!ok)
            return false;
    }
    printf("%-9s %zu histories, %zu decided by the special algorithm, %zu linearizable\n",
           name, c.histories, c.decided, c.yes);
    return c.decided >= least_decided && c.yes > c.decided / 20 &&
           c.decided - c.yes > c.decided / 50;
}

int main(int argc, char **argv)
{
    size_t each = (argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 100000) / 5;
    static const char *const names[] = {"register", "queue", "stack", "pqueue", "set"};
    for (size_t i = 0; i < 5; i++)
        if (!check_model(names[i], each, each / 4))
            return 1;
    return 0;
}
