#include "history/shrink.h"

#include "base/bitset.h"
#include "base/sort.h"
#include "history/repeated.h"

#include <stdlib.h>
#include <string.h>

/* A few operations before the wrong answer are worth seeing, so short histories are not
 * started later, and long ones not at the very end. */
enum { MAX_INITS = 4, MAX_STARTS = 16, SHORT = 10, CONTEXT = 4 };

static const struct fore_op *op_at(const struct fore_shrunk *s, size_t i)
{
    return &s->h->ops.at[s->ops.at[i]];
}

static void spend_configs(struct fore_shrunk *s, uint64_t configs)
{
    s->budget -= configs < s->budget ? configs : s->budget;
    if (s->time.spent)
        s->budget = 0;
}

static bool fails_from(struct fore_shrunk *s, const uint32_t *ops, size_t n, uint32_t cut,
                       fore_val init)
{
    struct fore_world w = {.shared = &s->h->values};
    struct fore_search_outcome out;
    struct fore_limits limits = {.max_configs = s->budget, .budget = s->time};
    if (!s->budget)
        return false;
    fore_world_set(&w, s->h, ops, n, init, cut);
    if (!fore_repeated_decide(&w.part, &limits, &out))
        fore_search(&w.part, &limits, &out);
    s->time = limits.budget;
    spend_configs(s, out.configs + n);
    bool no = out.verdict == FORE_LIN_NO;
    fore_outcome_release(&out);
    fore_world_release(&w);
    return no;
}

/* Is it wrong whatever the initial state? Unknown counts as no. */
static bool still_fails(struct fore_shrunk *s, const uint32_t *ops, size_t n,
                        uint32_t cut)
{
    for (size_t i = 0; i < s->inits.n; i++)
        if (!fails_from(s, ops, n, cut, s->inits.at[i]))
            return false;
    return true;
}

static size_t invoked_before(const struct fore_shrunk *s, uint32_t cut)
{
    size_t n = 0;
    while (n < s->ops.n && op_at(s, n)->invoke < cut)
        n++;
    return n;
}

/* The shortest prefix of the events that fails, by bisection over the answers. */
static void cut_prefix(struct fore_shrunk *s)
{
    FORE_VEC(uint32_t) rets = {0};
    for (size_t i = 0; i < s->ops.n; i++)
        if (!fore_op_pending(op_at(s, i)))
            fore_vec_push(&rets, op_at(s, i)->ret);
    FORE_BUG_IF(!rets.n);
    qsort(rets.at, rets.n, sizeof *rets.at, fore_compare_u32);
    size_t lo = 0, hi = rets.n; /* the prefix through rets[hi - 1] fails */
    while (lo + 1 < hi) {
        size_t mid = (lo + hi) / 2;
        uint32_t cut = rets.at[mid - 1] + 1;
        if (still_fails(s, s->ops.at, invoked_before(s, cut), cut))
            hi = mid;
        else
            lo = mid;
    }
    s->cut = rets.at[hi - 1] + 1;
    s->ops.n = invoked_before(s, s->cut);
    fore_vec_release(&rets);
}

/* Starting later. */

/* The operations invoked before `start` whose answers come before `s->cut`. */
static void split_at(const struct fore_shrunk *s, uint32_t start, uint32_t *early,
                     size_t *n_early, uint32_t *late, size_t *n_late)
{
    *n_early = *n_late = 0;
    for (size_t i = 0; i < s->ops.n; i++) {
        const struct fore_op *op = op_at(s, i);
        if (op->invoke < start)
            early[(*n_early)++] = s->ops.at[i];
        if (op->invoke >= start || op->ret >= s->cut)
            late[(*n_late)++] = s->ops.at[i];
    }
}

/* The states that are possible after `ops`, in the history's values. */
static bool states_after(struct fore_shrunk *s, const uint32_t *ops, size_t n,
                         struct fore_states *out)
{
    bool all = true;
    for (size_t i = 0; all && i < s->inits.n; i++) {
        struct fore_world w = {.shared = &s->h->values};
        struct fore_states found = {0};
        struct fore_limits limits = {.max_configs = s->budget / 8 + 1, .budget = s->time};
        fore_world_set(&w, s->h, ops, n, s->inits.at[i], s->cut);
        all = fore_search_states(&w.part, &limits, &found) &&
              found.v.n + out->v.n <= MAX_INITS;
        for (size_t k = 0; all && k < found.v.n; k++)
            fore_vec_push(&out->v, found.v.at[k]);
        fore_vec_release(&found.v);
        fore_world_release(&w);
        s->time = limits.budget;
        spend_configs(s, n + 1);
    }
    return all && out->v.n;
}

/* Tries to start at `start`. */
static bool try_start(struct fore_shrunk *s, uint32_t start, uint32_t *early,
                      uint32_t *late)
{
    size_t n_early, n_late;
    struct fore_states states = {0};
    split_at(s, start, early, &n_early, late, &n_late);
    bool ok = states_after(s, early, n_early, &states);
    for (size_t i = 0; ok && i < states.v.n; i++)
        ok = fails_from(s, late, n_late, s->cut, states.v.at[i]);
    if (ok) {
        s->earlier = s->ops.n - n_late;
        memcpy(s->ops.at, late, n_late * sizeof *late);
        s->ops.n = n_late;
        fore_vec_clear(&s->inits);
        for (size_t i = 0; i < states.v.n; i++)
            fore_vec_push(&s->inits, states.v.at[i]);
    }
    fore_vec_release(&states.v);
    return ok;
}

/* Moments at which no operation is open that is answered within the prefix; the latest that
 * works is taken. */
static void start_later(struct fore_shrunk *s)
{
    FORE_VEC(uint32_t) starts = {0};
    uint32_t busy_until = 0;
    size_t answered = 0, done = 0;
    for (size_t i = 0; i < s->ops.n; i++)
        answered += op_at(s, i)->ret < s->cut;
    for (size_t i = 0; answered > SHORT && i < s->ops.n; i++) {
        const struct fore_op *op = op_at(s, i);
        if (i && op->invoke > busy_until && answered - done >= CONTEXT)
            fore_vec_push(&starts, op->invoke);
        done += op->ret < s->cut;
        if (op->ret < s->cut && op->ret > busy_until)
            busy_until = op->ret;
    }
    uint32_t *early = fore_calloc(s->ops.n + 1, sizeof *early);
    uint32_t *late = fore_calloc(s->ops.n + 1, sizeof *late);
    for (size_t tries = 0; starts.n && tries < MAX_STARTS && s->budget; tries++) {
        uint32_t start = fore_vec_pop(&starts);
        if (try_start(s, start, early, late))
            break;
        /* Far from the end there are many: take bigger and bigger steps. */
        for (size_t skip = tries < 6 ? 0 : starts.n / 4; skip && starts.n; skip--)
            starts.n--;
    }
    fore_free(early);
    fore_free(late);
    fore_vec_release(&starts);
}

/* Leaving operations out. */

/* By place in ops: the unit by which an operation may be left out, and the value whose unit
 * takes it along; 0 for none. */
struct units {
    uint32_t *own, *value;
    uint32_t n;
};

static uint32_t value_unit(struct units *u, struct fore_map *by_value, fore_val v)
{
    bool fresh;
    uint64_t *id = fore_map_put(by_value, v.w, &fresh);
    if (fresh)
        *id = ++u->n;
    return (uint32_t)*id;
}

static void find_units(const struct fore_shrunk *s, struct units *u)
{
    const struct fore_model *m = s->h->model;
    struct fore_map by_value = {0};
    u->own = fore_calloc(s->ops.n + 1, sizeof *u->own);
    u->value = fore_calloc(s->ops.n + 1, sizeof *u->value);
    for (size_t i = 0; i < s->ops.n; i++) {
        struct fore_op op = *op_at(s, i);
        enum fore_role role = m->ops[op.f].role;
        bool pending = op.ret >= s->cut;
        if (op.ret + 1 == s->cut)
            continue; /* the answer that ends the prefix stays */
        if (!pending && fore_op_idle(m, &op, true))
            u->own[i] = ++u->n;
        if (m->value_closed && role == FORE_ROLE_PUT)
            u->value[i] = value_unit(u, &by_value, op.arg[0]);
        else if (m->value_closed && !pending && !fore_val_is(op.result, FORE_ANY))
            u->value[i] = value_unit(u, &by_value, op.result);
    }
    /* Nor may the value go that it saw. */
    for (size_t i = 0; i < s->ops.n; i++) {
        uint64_t *id = fore_map_get(&by_value, op_at(s, i)->result.w);
        if (op_at(s, i)->ret + 1 != s->cut || !id)
            continue;
        for (size_t k = 0; k < s->ops.n; k++)
            if (u->value[k] == *id)
                u->value[k] = 0;
    }
    fore_map_release(&by_value);
}

/* Leaves out the units from … to - 1 if it stays wrong. */
static void try_without(struct fore_shrunk *s, const struct units *u, uint64_t *gone,
                        uint32_t from, uint32_t to, uint32_t *kept)
{
    size_t n = 0;
    for (size_t i = 0; i < s->ops.n; i++) {
        uint32_t own = u->own[i], value = u->value[i];
        bool out = (own >= from && own < to) || (value >= from && value < to) ||
                   fore_bit_has(gone, own) || fore_bit_has(gone, value);
        if (!out)
            kept[n++] = s->ops.at[i];
    }
    if (still_fails(s, kept, n, s->cut))
        for (uint32_t k = from; k < to; k++)
            fore_bit_add(gone, k);
}

static void leave_out(struct fore_shrunk *s)
{
    struct units u = {0};
    find_units(s, &u);
    uint64_t *gone = fore_calloc(FORE_BITSET_WORDS(u.n + 1) + 1, sizeof *gone);
    uint32_t *kept = fore_calloc(s->ops.n + 1, sizeof *kept);
    for (uint32_t step = u.n; step && s->budget; step /= 2)
        for (uint32_t k = 1; k <= u.n && s->budget; k += step)
            if (!fore_bit_has(gone, k))
                try_without(s, &u, gone, k, k + step <= u.n ? k + step : u.n + 1, kept);
    size_t n = 0;
    for (size_t i = 0; i < s->ops.n; i++)
        if (!fore_bit_has(gone, u.own[i]) && !fore_bit_has(gone, u.value[i]))
            s->ops.at[n++] = s->ops.at[i];
    s->ops.n = n;
    fore_free(gone);
    fore_free(kept);
    fore_free(u.own);
    fore_free(u.value);
}

void fore_shrink(struct fore_shrunk *s)
{
    cut_prefix(s);
    start_later(s);
    leave_out(s);
}
