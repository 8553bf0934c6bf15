#include "history/repeated.h"

#include "history/order.h"

/* The memory that such a search may take by default. */
enum { MAX_BYTES = 512 << 20 };

void fore_deeds_init(struct fore_deeds *d, const struct fore_part *p)
{
    struct fore_map ids = {0};
    *d = (struct fore_deeds){0};
    d->deed = fore_calloc(p->n + 1, sizeof *d->deed);
    d->value = fore_calloc(p->n + 1, sizeof *d->value);
    for (size_t i = 0; i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        enum fore_role role = p->model->ops[op->f].role;
        bool put = role == FORE_ROLE_PUT, take = role == FORE_ROLE_TAKE;
        fore_val v = put ? op->arg[0] : op->result;
        if (!put && !take && fore_op_pending(op))
            continue;
        d->deed[i] = put ? FORE_DEED_PUT : take ? FORE_DEED_TAKE : FORE_DEED_LOOK;
        if ((fore_op_pending(op) && !put) || fore_val_is(v, FORE_NIL))
            continue;
        bool fresh;
        uint64_t *id = fore_map_put(&ids, v.w, &fresh);
        if (fresh)
            *id = ++d->n_values;
        d->value[i] = (uint32_t)*id;
    }
    fore_map_release(&ids);
}

void fore_deeds_release(struct fore_deeds *d)
{
    fore_free(d->deed);
    fore_free(d->value);
}

const char *fore_repeated_limit(struct fore_limits *l, uint64_t configs, size_t bytes)
{
    if (l->max_configs && configs > l->max_configs)
        return "configurations";
    if (l->failing && atomic_load_explicit(l->failing, memory_order_relaxed) < l->index)
        return "another part";
    if (bytes > (l->max_bytes ? l->max_bytes : MAX_BYTES))
        return "memory";
    return fore_spent_text(fore_budget_spent(&l->budget));
}

static bool is_container_history(const struct fore_part *p)
{
    size_t n;
    fore_val_items(p->values, p->init, &n);
    if (n || fore_val_kind(p->init) != FORE_VAL_LIST || p->n >= UINT32_MAX / 4)
        return false;
    for (size_t i = 0; i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        enum fore_role role = p->model->ops[op->f].role;
        if (role != FORE_ROLE_PUT && role != FORE_ROLE_TAKE && role != FORE_ROLE_LOOK)
            return false;
        if (role == FORE_ROLE_PUT && fore_val_is(op->arg[0], FORE_NIL))
            return false;
        if (role != FORE_ROLE_PUT && !fore_op_pending(op) &&
            fore_val_is(op->result, FORE_ANY))
            return false;
    }
    return true;
}

static bool decide_as(const struct fore_part *p, struct fore_limits *l, unsigned style,
                      struct fore_search_outcome *out)
{
    *out = (struct fore_search_outcome){.stuck = (uint32_t)p->n};
    bool told = p->model->shape == FORE_SHAPE_QUEUE
                    ? fore_repeated_queue(p, l, out)
                    : fore_repeated_stack(p, l, style, out);
    FORE_BUG_IF(told && out->verdict == FORE_LIN_YES &&
                !fore_order_fits(p, out->order.at, out->order.n));
    return told;
}

/* One value by itself, or two. Leaving out all operations on the others leaves a right history
 * right; so if the history of a few values is wrong, the whole is. One value alone has no order,
 * only a number: that is soon decided, and shows what an empty answer contradicts. */

/* What one attempt at a stack may visit before pairs are tried, and what a pair may. */
enum { PER_OPERATION = 40, MAX_PAIRS = 66 };

struct few_values {
    const struct fore_part *whole;
    struct fore_deeds deeds;
    struct fore_op *ops;
    uint32_t *from; /* their indices in the whole */
    size_t n;
};

static void few_values_init(struct few_values *q, const struct fore_part *p)
{
    *q = (struct few_values){.whole = p};
    fore_deeds_init(&q->deeds, p);
    q->ops = fore_calloc(p->n + 1, sizeof *q->ops);
    q->from = fore_calloc(p->n + 1, sizeof *q->from);
}

static void few_values_release(struct few_values *q)
{
    fore_free(q->ops);
    fore_free(q->from);
    fore_deeds_release(&q->deeds);
}

static void pick_values(struct few_values *q, uint32_t a, uint32_t b)
{
    const struct fore_deeds *d = &q->deeds;
    q->n = 0;
    for (uint32_t i = 0; i < q->whole->n; i++)
        if (d->deed[i] != FORE_DEED_NONE &&
            (!d->value[i] || d->value[i] == a || d->value[i] == b)) {
            q->from[q->n] = i;
            q->ops[q->n++] = q->whole->ops[i];
        }
}

/* True if these two (or this one) are wrong; then `out` says so of the whole. */
static bool refute_values(struct few_values *q, uint32_t a, uint32_t b,
                          struct fore_limits *l, uint64_t most,
                          struct fore_search_outcome *out)
{
    struct fore_part few = *q->whole;
    struct fore_limits mine = *l;
    struct fore_search_outcome found;
    pick_values(q, a, b);
    few.ops = q->ops;
    few.n = q->n;
    mine.max_configs = most;
    bool told = decide_as(&few, &mine, FORE_DIG_FIRST, &found),
         no = told && found.verdict == FORE_LIN_NO;
    l->budget = mine.budget;
    out->configs += told ? found.configs : 0;
    for (size_t i = 0; no && i < q->n; i++)
        fore_vec_push(&out->core, q->from[i]);
    if (no)
        out->verdict = FORE_LIN_NO;
    fore_outcome_release(&found);
    return no;
}

static bool refute_by_values(const struct fore_part *p, struct fore_limits *l,
                             uint64_t most, struct fore_search_outcome *out)
{
    struct few_values q;
    bool no = false;
    few_values_init(&q, p);
    for (uint32_t a = 1; !no && q.deeds.n_values > 1 && a <= q.deeds.n_values; a++)
        no = refute_values(&q, a, a, l, most, out);
    few_values_release(&q);
    return no;
}

static bool refute_by_pairs(const struct fore_part *p, struct fore_limits *l,
                            uint64_t most, struct fore_search_outcome *out)
{
    struct few_values q;
    bool no = false;
    few_values_init(&q, p);
    const uint32_t n = q.deeds.n_values;
    bool worth = n > 2 && (size_t)n * (n - 1) / 2 <= MAX_PAIRS;
    for (uint32_t a = 1; !no && worth && a < n; a++)
        for (uint32_t b = a + 1; !no && b <= n; b++)
            no = refute_values(&q, a, b, l, most, out);
    few_values_release(&q);
    return no;
}

/* Several searches of a stack, each of which may visit so much: an order that one misses for
 * long, another finds at once. True if the last of them tells, or none may go on. */
static bool try_styles(const struct fore_part *p, struct fore_limits *l, uint64_t most,
                       struct fore_search_outcome *out)
{
    enum { FIXED = 5, BY_CHANCE = 12, OF_CHANCE = 4, MORE = 8 };
    static const unsigned styles[FIXED] = {
        FORE_DIG_FIRST | FORE_POP_URGENT, FORE_DIG_FIRST,
        FORE_DIG_FIRST | FORE_BELOW_FIRST, 0, FORE_BY_LEVELS};
    uint64_t configs = 0;
    bool told = true;
    for (unsigned i = 0; i < FIXED + BY_CHANCE; i++) {
        if (i)
            fore_outcome_release(out);
        unsigned chance = i < FIXED ? 0 : i - FIXED + 1;
        unsigned style = styles[chance ? chance % OF_CHANCE : i];
        l->max_configs = style & FORE_BY_LEVELS ? MORE * most : most;
        told = decide_as(p, l, style + chance * FORE_BY_CHANCE, out);
        configs += out->configs;
        if (!told || out->verdict != FORE_LIN_UNKNOWN || l->budget.spent)
            break;
    }
    out->configs = configs;
    return told;
}

/* A stack's search visits far more for many values than for two. */
static bool decide_stack(const struct fore_part *p, struct fore_limits *l,
                         struct fore_search_outcome *out)
{
    const uint64_t most = l->max_configs;
    struct fore_search_outcome all = {.stuck = (uint32_t)p->n};
    uint64_t some = PER_OPERATION * (uint64_t)p->n + 1000;
    bool told = true, few = most && most <= some * 8;
    if (!few && refute_by_values(p, l, some, &all)) {
        *out = all;
        return true;
    }
    for (unsigned round = 0; !few && round < 2; round++, some *= 4) {
        told = try_styles(p, l, some, out);
        l->max_configs = most;
        if (!told || out->verdict != FORE_LIN_UNKNOWN || l->budget.spent)
            return told;
        all.configs += out->configs;
        fore_outcome_release(out);
        if (!round && refute_by_pairs(p, l, some, &all)) {
            *out = all;
            return true;
        }
    }
    told = decide_as(p, l, FORE_BY_LEVELS, out);
    out->configs += all.configs;
    return told;
}

bool fore_repeated_decide(const struct fore_part *p, struct fore_limits *l,
                          struct fore_search_outcome *out)
{
    enum fore_shape shape = p->model->shape;
    struct fore_search_outcome found;
    if ((shape != FORE_SHAPE_QUEUE && shape != FORE_SHAPE_STACK) ||
        !is_container_history(p))
        return false;
    bool told = shape == FORE_SHAPE_STACK ? decide_stack(p, l, &found)
                                          : decide_as(p, l, 0, &found);
    if (told)
        *out = found;
    return told;
}
