#include "history/txn/bank.h"

static bool is_read(const struct fore_txns *h, uint32_t t)
{
    return h->list.at[t].fate == FORE_TXN_COMMITTED && h->list.at[t].n;
}

static enum fore_status balance_of(const struct fore_txns *h, uint32_t t,
                                   const struct fore_txn_op *op, int64_t *out,
                                   struct fore_err *e)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (fore_val_to_int(&h->values, op->value, out) && *out > -INT32_MAX &&
        *out < INT32_MAX)
        return FORE_OK;
    fore_txn_op_text(h, op, &b);
    fore_fail_at(e, FORE_MEANING, h->name, h->list.at[t].line, 1,
                 "%s: a balance is a whole number", b.at);
    fore_strbuf_release(&b);
    return FORE_MEANING;
}

static enum fore_status total_of(const struct fore_txns *h, uint32_t t, int64_t *total,
                                 uint32_t *overdrawn, struct fore_err *e)
{
    *total = 0;
    *overdrawn = UINT32_MAX;
    for (uint32_t i = 0; i < h->list.at[t].n; i++) {
        int64_t balance;
        uint32_t op = h->list.at[t].first + i;
        FORE_TRY(balance_of(h, t, &h->ops.at[op], &balance, e));
        *total += balance;
        if (balance < 0)
            *overdrawn = op;
    }
    return FORE_OK;
}

/* The total that most reads have, the first of them if several do. */
static enum fore_status usual_total(const struct fore_txns *h, struct fore_bank *b,
                                    struct fore_err *e)
{
    struct fore_map counts = {0};
    uint64_t most = 0;
    enum fore_status st = FORE_OK;
    for (uint32_t t = 0; st == FORE_OK && t < h->list.n; t++) {
        int64_t total;
        uint32_t overdrawn;
        if (!is_read(h, t))
            continue;
        st = total_of(h, t, &total, &overdrawn, e);
        uint64_t *n = fore_map_put(&counts, (uint64_t)total, NULL);
        if (++*n > most) {
            most = *n;
            b->total = total;
        }
    }
    fore_map_release(&counts);
    return st;
}

enum fore_status fore_bank_check(struct fore_txn_index *x, const int64_t *total,
                                 bool may_be_negative, struct fore_bank *b,
                                 struct fore_err *e)
{
    const struct fore_txns *h = x->h;
    uint32_t usual = FORE_NO_TXN;
    *b = (struct fore_bank){0};
    if (total)
        b->total = *total;
    else
        FORE_TRY(usual_total(h, b, e));
    struct fore_txn_oddity *wrong = &x->odd[FORE_ANOMALY_WRONG_TOTAL];
    struct fore_txn_oddity *negative = &x->odd[FORE_ANOMALY_OVERDRAWN];
    for (uint32_t t = 0; t < h->list.n; t++) {
        int64_t sum;
        uint32_t overdrawn;
        if (!is_read(h, t))
            continue;
        b->reads++;
        FORE_TRY(total_of(h, t, &sum, &overdrawn, e));
        if (sum == b->total)
            usual = usual == FORE_NO_TXN ? t : usual;
        else if (!wrong->count++)
            *wrong = (struct fore_txn_oddity){1, t, UINT32_MAX, FORE_NO_TXN, UINT32_MAX};
        if (overdrawn != UINT32_MAX && !may_be_negative && !negative->count++)
            *negative =
                (struct fore_txn_oddity){1, t, overdrawn, FORE_NO_TXN, UINT32_MAX};
    }
    wrong->other = usual;
    return FORE_OK;
}
