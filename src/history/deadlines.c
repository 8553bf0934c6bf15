#include "history/deadlines.h"

#include "base/sort.h"

/* Entries of `open` above which it is not worthwhile. */
enum { MAX_OPEN = 1 << 26 };

static void sort_by_answer(struct fore_deadlines *d, const struct fore_part *p,
                           const bool *in)
{
    FORE_VEC(uint64_t) rets = {0};
    for (uint32_t i = 0; i < p->n; i++)
        if (in[i] && !fore_op_pending(&p->ops[i]))
            fore_vec_push(&rets, (uint64_t)p->ops[i].ret << 32 | i);
        else if (in[i])
            d->pending[d->n_pending++] = i;
    fore_sort_u64(rets.at, rets.n);
    for (size_t i = 0; i < rets.n; i++)
        d->due[d->n++] = (uint32_t)rets.at[i];
    fore_vec_release(&rets);
}

/* Walks along the answers with the set of open operations, in slots. */
static bool list_open(struct fore_deadlines *d, const struct fore_part *p, const bool *in)
{
    FORE_VEC(uint32_t) all = {0};
    FORE_VEC(uint32_t) in_slot = {0};
    FORE_VEC(uint32_t) free_slots = {0};
    uint32_t i = 0;
    bool fits = true;
    for (size_t k = 0; fits && k < d->n; k++) {
        for (; i < p->n && p->ops[i].invoke < p->ops[d->due[k]].ret; i++) {
            if (!in[i] || fore_op_pending(&p->ops[i]))
                continue;
            if (!free_slots.n) {
                fore_vec_push(&free_slots, (uint32_t)in_slot.n);
                fore_vec_push(&in_slot, FORE_NEVER);
            }
            d->slot[i] = fore_vec_pop(&free_slots);
            in_slot.at[d->slot[i]] = i;
        }
        d->from[k] = all.n;
        for (size_t s = 0; s < in_slot.n; s++)
            if (in_slot.at[s] != FORE_NEVER)
                fore_vec_push(&all, in_slot.at[s]);
        in_slot.at[d->slot[d->due[k]]] = FORE_NEVER;
        fore_vec_push(&free_slots, d->slot[d->due[k]]);
        fits = all.n < MAX_OPEN;
    }
    d->from[d->n] = all.n;
    for (size_t k = 0; k < d->n_pending; k++)
        d->slot[d->pending[k]] = (uint32_t)(in_slot.n + k);
    d->words = FORE_BITSET_WORDS(in_slot.n + d->n_pending);
    d->open = all.at;
    fore_vec_release(&in_slot);
    fore_vec_release(&free_slots);
    return fits;
}

bool fore_deadlines_init(struct fore_deadlines *d, const struct fore_part *p,
                         const bool *in)
{
    *d = (struct fore_deadlines){.ops = p->ops};
    d->due = fore_calloc(p->n + 1, sizeof *d->due);
    d->pending = fore_calloc(p->n + 1, sizeof *d->pending);
    d->slot = fore_calloc(p->n + 1, sizeof *d->slot);
    d->from = fore_calloc(p->n + 2, sizeof *d->from);
    sort_by_answer(d, p, in);
    return list_open(d, p, in);
}

void fore_deadlines_release(struct fore_deadlines *d)
{
    fore_free(d->due);
    fore_free(d->pending);
    fore_free(d->slot);
    fore_free(d->open);
    fore_free(d->from);
}

void fore_deadlines_use(const struct fore_deadlines *d, uint64_t *bits, uint32_t *at,
                        uint32_t op)
{
    fore_bit_add(bits, d->slot[op]);
    while (*at < d->n && fore_bit_has(bits, d->slot[d->due[*at]])) {
        fore_bit_del(bits, d->slot[d->due[*at]]);
        ++*at;
    }
}
