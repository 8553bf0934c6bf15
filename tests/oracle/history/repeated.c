/* Containers whose values repeat: the algorithms made for them against the general search,
 * and on small histories against all permutations. Usage: repeated [histories in all] */
#include "history/repeated.h"
#include "history/lin.h"
#include "history/order.h"
#include "oracle/history/random_history.h"

#include <stdio.h>
#include <stdlib.h>

/* All permutations are tried up to this many operations. */
enum { SMALL = 8 };

struct count {
    size_t histories, decided, yes;
};

static bool is_right(const struct random_history *h,
                     const struct fore_search_outcome *mine, struct count *c)
{
    struct fore_limits limits = {.max_configs = 200000};
    struct fore_search_outcome general;
    fore_search(&h->part, &limits, &general);
    enum fore_lin expected = general.verdict;
    fore_outcome_release(&general);
    if (h->ops.n <= SMALL && (expected == FORE_LIN_YES) != brute_force(&h->part)) {
        fprintf(stderr, "the search itself is wrong: %d\n", expected);
        return false;
    }
    if (expected == FORE_LIN_UNKNOWN) /* it is exponential: now and then it cannot tell */
        return true;
    c->decided++;
    c->yes += expected == FORE_LIN_YES;
    if (mine->verdict != expected)
        fprintf(stderr, "it says %d, the search %d\n", mine->verdict, expected);
    return mine->verdict == expected;
}

/* With hardly any turns allowed, it may give up but not be wrong. */
static bool bounded_agrees(const struct random_history *h, enum fore_lin verdict)
{
    struct fore_limits limits = {.max_configs = 3};
    struct fore_search_outcome few;
    if (!fore_repeated_decide(&h->part, &limits, &few))
        return true;
    bool ok =
        few.verdict == FORE_LIN_UNKNOWN ? few.bound != NULL : few.verdict == verdict;
    if (!ok)
        fprintf(stderr, "with few configurations it says %d\n", few.verdict);
    fore_outcome_release(&few);
    return ok;
}

static bool agree(const struct random_history *h, struct count *c)
{
    struct fore_limits limits = {0};
    struct fore_search_outcome mine;
    c->histories++;
    if (!fore_repeated_decide(&h->part, &limits, &mine)) {
        fprintf(stderr, "%s: not decided\n", h->part.model->name);
        return false;
    }
    bool ok = is_right(h, &mine, c) && bounded_agrees(h, mine.verdict);
    if (ok && mine.verdict == FORE_LIN_YES)
        ok = fore_order_holds(&h->part, mine.order.at, mine.order.n);
    if (!ok) {
        fprintf(stderr, "%s, history %zu:\n", h->part.model->name, c->histories);
        random_history_print(h);
    }
    fore_outcome_release(&mine);
    return ok;
}

static bool check_model(const char *name, size_t count)
{
    const struct fore_model *m = fore_model_find(name);
    struct count c = {0};
    struct fore_rng rng;
    bool ok = true;
    fore_rng_seed(&rng, 41);
    while (ok && c.histories < count) {
        struct random_shape shape = {.ops = 2 + fore_rng_below(&rng, 26),
                                     .processes = 2 + (unsigned)fore_rng_below(&rng, 7),
                                     .values = 1 + (unsigned)fore_rng_below(&rng, 4),
                                     .pending = (unsigned)fore_rng_below(&rng, 3) * 5,
                                     .wrong = (unsigned)fore_rng_below(&rng, 3) * 10,
                                     .only = 2 + (unsigned)fore_rng_below(&rng, 2)};
        struct random_history h;
        random_history(&h, m, &shape, &rng);
        ok = agree(&h, &c);
        random_history_release(&h);
    }
    printf("%-9s %zu histories, %zu decided by the search, %zu linearizable\n", name,
           c.histories, c.decided, c.yes);
    return ok && c.decided > count / 2 && c.yes > c.decided / 5 &&
           c.decided - c.yes > c.decided / 10;
}

int main(int argc, char **argv)
{
    size_t each = (argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 20000) / 2;
    return check_model("queue", each) && check_model("stack", each) ? 0 : 1;
}
