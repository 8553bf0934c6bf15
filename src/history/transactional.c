#include "history/transactional.h"

#include <string.h>

static const char *const acts[] = {"r", "w", "read", "write", "append", NULL};
static const char *const names[] = {"txn", "transfer", NULL};

static bool is_one_of(struct fore_bytes b, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == b.n && !memcmp(*words, b.at, b.n))
            return true;
    return false;
}

/* [:r x], [:w x 1], [:append y 2] */
static bool is_step(const struct fore_vals *t, fore_val v)
{
    size_t n = 0;
    const fore_val *items = fore_val_items(t, v, &n);
    if (!items || n < 2 || n > 3 || fore_val_kind(items[0]) != FORE_VAL_STRING)
        return false;
    struct fore_bytes act = fore_val_bytes(t, items[0]);
    if (act.n && act.at[0] == ':')
        act = (struct fore_bytes){act.at + 1, act.n - 1};
    return is_one_of(act, acts);
}

static bool are_steps(const struct fore_vals *t, fore_val v)
{
    size_t n = 0;
    const fore_val *items = fore_val_items(t, v, &n);
    for (size_t i = 0; i < n; i++)
        if (!is_step(t, items[i]))
            return false;
    return n > 0;
}

/* Also under an independent key: [k [[:w x 1]]]. What is put into a queue may look so, too. */
static bool is_transaction(const struct fore_vals *t, const struct fore_record *r)
{
    size_t n = 0;
    if (!r->has_value || r->args || r->exact || fore_val_kind(r->value) != FORE_VAL_LIST)
        return false;
    if (!is_one_of(r->f, names) && !is_one_of(r->f, acts))
        return false;
    const fore_val *items = fore_val_items(t, r->value, &n);
    return are_steps(t, r->value) || (n == 2 && are_steps(t, items[1]));
}

enum fore_status fore_refuse_transaction(const char *file, const struct fore_vals *t,
                                         const struct fore_model *model,
                                         const struct fore_record *r, struct fore_err *e)
{
    bool own = model && model->user;
    if (!own && is_transaction(t, r))
        return fore_fail_at(e, FORE_USAGE, file, r->line, 1,
                            "this is a transaction: reads and writes of several keys; "
                            "foresee txn judges those, foresee lin operations of one "
                            "object");
    if (!is_one_of(r->f, names) ||
        (model && fore_model_op_find(model, r->f.at, r->f.n) >= 0))
        return FORE_OK;
    return fore_fail_at(e, FORE_USAGE, file, r->line, 1,
                        "transactions are called \"%.*s\"; foresee txn judges those, "
                        "foresee lin operations of one object (if yours has one of that "
                        "name: --object ./object.so)",
                        (int)r->f.n, r->f.at);
}
