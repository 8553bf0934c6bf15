#include "history/order.h"

#include "base/bitset.h"

static bool keeps_real_time(const struct fore_part *p, const uint32_t *order, size_t n)
{
    uint32_t earliest_return = FORE_NEVER;
    for (size_t i = n; i-- > 0;) {
        const struct fore_op *op = &p->ops[order[i]];
        if (op->invoke > earliest_return)
            return false;
        if (op->ret < earliest_return)
            earliest_return = op->ret;
    }
    return true;
}

bool fore_order_fits(const struct fore_part *p, const uint32_t *order, size_t n)
{
    uint64_t *used = fore_calloc(FORE_BITSET_WORDS(p->n) + 1, sizeof *used);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = order[i] < p->n && !fore_bit_has(used, order[i]);
        if (ok)
            fore_bit_add(used, order[i]);
    }
    for (size_t i = 0; ok && i < p->n; i++)
        ok = fore_op_pending(&p->ops[i]) || fore_bit_has(used, i);
    fore_free(used);
    return ok && keeps_real_time(p, order, n);
}

bool fore_order_holds(const struct fore_part *p, const uint32_t *order, size_t n)
{
    fore_val state = p->init;
    if (!fore_order_fits(p, order, n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!fore_model_step(p->model, p->values, state, &p->ops[order[i]], &state))
            return false;
    return true;
}
