#include "history/independent.h"

enum { LOOK_AT = 1000 };

static bool is_pair(const struct fore_vals *t, const struct fore_record *r,
                    const fore_val **items)
{
    size_t n = 0;
    *items = r->has_value && !r->args ? fore_val_items(t, r->value, &n) : NULL;
    return *items && n == 2;
}

struct detector {
    struct fore_record_sink sink;
    struct fore_vals values;
    const struct fore_model *model;
    size_t n;
    bool yes;
};

/* FORE_LIMIT ends the reading: enough seen. */
static enum fore_status look_at_record(struct fore_record_sink *s,
                                       const struct fore_record *r, struct fore_err *e)
{
    struct detector *d = (struct detector *)s;
    const fore_val *pair;
    (void)e;
    if (r->type != FORE_REC_INVOKE)
        return FORE_OK;
    int f = fore_model_op_find(d->model, r->f.at, r->f.n);
    bool named = r->exact || r->has_key || !fore_val_is(r->object, FORE_NIL);
    if (f < 0 || named || !is_pair(&d->values, r, &pair) || d->n++ == LOOK_AT)
        return FORE_LIMIT;
    size_t nargs = d->model->ops[f].nargs, inner = 0;
    fore_val_items(&d->values, pair[1], &inner);
    d->yes = (nargs == 0 && fore_val_is(pair[1], FORE_NIL)) || (nargs == 2 && inner == 2);
    return nargs == 1 ? FORE_OK : FORE_LIMIT;
}

bool fore_is_independent(const struct fore_record_source *from,
                         const struct fore_model *model)
{
    struct detector d = {.sink = {look_at_record, NULL}, .model = model};
    struct fore_err e = {0};
    d.sink.values = &d.values;
    enum fore_status st = from->read(from, &d.sink, &e);
    fore_vals_release(&d.values);
    return d.yes && (st == FORE_OK || st == FORE_LIMIT);
}

bool fore_looks_independent(const struct fore_history *h, const struct fore_op *op)
{
    size_t n = 0;
    fore_val_items(&h->values, op->arg[1], &n);
    return h->model->ops[op->f].nargs == 2 && n == 2;
}

enum fore_status fore_independent_split(const struct fore_history *h,
                                        struct fore_record *r, struct fore_err *e)
{
    const fore_val *pair;
    if (!is_pair(&h->values, r, &pair)) {
        if (r->type != FORE_REC_INVOKE)
            return FORE_OK; /* a time-out, say */
        return fore_fail_at(e, FORE_MEANING, h->name, r->line, 1,
                            "the other operations have values [key value], and this has "
                            "not; each belongs to a key");
    }
    if (h->model->keyed) {
        r->key = pair[0];
        r->has_key = true;
    } else {
        r->object = pair[0];
    }
    r->value = pair[1];
    return FORE_OK;
}
