#include "history/lin.h"

#include "base/sort.h"
#include "history/repeated.h"
#include "history/sequential.h"
#include "history/special.h"
#include "history/texts.h"
#include "history/turns.h"

#include <stdlib.h>
#include <string.h>

void fore_lin_result_release(struct fore_lin_result *r)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        fore_free(r->parts.at[i].order);
        fore_free(r->parts.at[i].core);
    }
    fore_vec_release(&r->parts);
    fore_free(r->ops_by_part);
}

/* The initial state as a value of the history; NULL: as model and dialect have it. */
static enum fore_status read_initial_state(struct fore_history *h, const char *text,
                                           fore_val *init, struct fore_err *e)
{
    bool starts_at_zero = h->dialect == FORE_DIALECT_KNOSSOS &&
                          h->model->shape == FORE_SHAPE_REGISTER && !h->model->keyed;
    if (!text && h->has_init &&
        fore_model_start_from(h->model, &h->values, h->init, init))
        return FORE_OK;
    if (!text && starts_at_zero)
        text = "0";
    if (!fore_model_start(h->model, &h->values, text, init))
        return fore_fail(e, FORE_USAGE,
                         "\"%s\" cannot be the initial value of a %s; %s could",
                         text ? text : "", h->model->name, h->model->init);
    return FORE_OK;
}

/* Worlds. Positions become dense, so that algorithms can index by them. */

static void make_dense(struct fore_world *w)
{
    struct fore_op *ops = w->ops.at;
    size_t r = 0, n = w->ops.n;
    uint32_t now = 0;
    fore_vec_clear(&w->rets);
    fore_vec_reserve(&w->rets, n);
    for (size_t i = 0; i < n; i++)
        if (!fore_op_pending(&ops[i]))
            w->rets.at[w->rets.n++] = (uint64_t)ops[i].ret << 32 | i;
    fore_sort_u64(w->rets.at, w->rets.n);
    for (size_t i = 0; i < n; i++) {
        while (r < w->rets.n && w->rets.at[r] >> 32 < ops[i].invoke)
            ops[(uint32_t)w->rets.at[r++]].ret = now++;
        ops[i].invoke = now++;
    }
    while (r < w->rets.n)
        ops[(uint32_t)w->rets.at[r++]].ret = now++;
}

static fore_val copy_value(struct fore_world *w, const struct fore_history *h, fore_val v)
{
    return w->shared ? v : fore_val_import(&w->own, &h->values, v);
}

void fore_world_set(struct fore_world *w, const struct fore_history *h,
                    const uint32_t *ops, size_t n, fore_val init, uint32_t cut)
{
    if (!w->shared)
        fore_vals_release(&w->own);
    fore_vec_clear(&w->ops);
    fore_vec_reserve(&w->ops, n + 1);
    w->ops.n = n;
    for (size_t i = 0; i < n; i++) {
        struct fore_op *op = &w->ops.at[i];
        *op = h->ops.at[ops[i]];
        if (op->ret >= cut) {
            op->ret = FORE_NEVER;
            op->result = FORE_ANY;
        }
        op->arg[0] = copy_value(w, h, op->arg[0]);
        op->arg[1] = copy_value(w, h, op->arg[1]);
        op->result = copy_value(w, h, op->result);
    }
    make_dense(w);
    w->part = (struct fore_part){.model = h->model, .ops = w->ops.at, .n = n};
    w->part.values = w->shared ? w->shared : &w->own;
    w->part.init = w->shared ? init : fore_val_import_state(&w->own, &h->values, init);
}

void fore_world_release(struct fore_world *w)
{
    fore_vals_release(&w->own);
    fore_vec_release(&w->ops);
    fore_vec_release(&w->rets);
    if (w->searcher)
        fore_searcher_free(w->searcher);
}

void fore_world_decide(struct fore_world *w, struct fore_limits *l, bool general_only,
                       struct fore_search_outcome *out)
{
    if (!general_only && fore_special_decide(&w->part, l, out)) {
        out->special = true;
        return;
    }
    if (!general_only && fore_repeated_decide(&w->part, l, out))
        return;
    if (!w->searcher)
        w->searcher = fore_searcher_new();
    fore_searcher_run(w->searcher, &w->part, l, out);
}

/* Splitting. */

/* Every operation concerns one element: then each element is an object of its own. */
static bool splits_by_element(const struct fore_history *h)
{
    if (!h->model->by_element)
        return false;
    for (size_t i = 0; i < h->ops.n; i++)
        if (h->model->ops[h->ops.at[i].f].nargs != 1)
            return false;
    return true;
}

static uint32_t element_of(struct fore_history *h, const struct fore_op *op,
                           struct fore_map *elements, size_t *n_parts)
{
    fore_val key[2] = {fore_val_int(&h->values, op->object), op->arg[0]};
    bool fresh;
    uint64_t *id = fore_map_put(elements, fore_val_list(&h->values, key, 2).w, &fresh);
    if (fresh)
        *id = (*n_parts)++;
    return (uint32_t)*id;
}

static void split_history(struct fore_history *h, struct fore_lin_result *r)
{
    struct fore_map ids = {0};
    bool by_element = splits_by_element(h);
    size_t n_parts = by_element ? 0 : h->objects.n;
    uint32_t *part = fore_calloc(h->ops.n + 1, sizeof *part);
    for (size_t i = 0; i < h->ops.n; i++)
        part[i] = by_element ? element_of(h, &h->ops.at[i], &ids, &n_parts)
                             : h->ops.at[i].object;
    size_t *start = fore_calloc(n_parts + 2, sizeof *start);
    for (size_t i = 0; i < h->ops.n; i++)
        start[part[i] + 1]++;
    for (size_t k = 0; k < n_parts; k++)
        start[k + 1] += start[k];
    r->ops_by_part = fore_calloc(h->ops.n + 1, sizeof *r->ops_by_part);
    fore_vec_ensure(&r->parts, n_parts);
    for (size_t k = 0; k < n_parts; k++) {
        r->parts.at[k].ops = r->ops_by_part + start[k];
        r->parts.at[k].n = start[k + 1] - start[k];
        r->parts.at[k].verdict = FORE_LIN_UNKNOWN;
    }
    for (size_t i = 0; i < h->ops.n; i++)
        r->ops_by_part[start[part[i]]++] = (uint32_t)i;
    size_t kept = 0; /* an object may have none, if what was asked of it did not happen */
    for (size_t k = 0; k < n_parts; k++)
        if (r->parts.at[k].n) {
            r->parts.at[k].object = h->ops.at[r->parts.at[k].ops[0]].object;
            r->parts.at[kept++] = r->parts.at[k];
        }
    r->parts.n = kept;
    fore_free(start);
    fore_free(part);
    fore_map_release(&ids);
}

/* An element starts with itself, as often as it is there, or with nothing. */
static fore_val init_of_element(struct fore_history *h, const struct fore_lin_part *p,
                                fore_val init)
{
    size_t n;
    const fore_val *items = fore_val_items(&h->values, init, &n);
    fore_val element = h->ops.at[p->ops[0]].arg[0];
    size_t from = 0, to;
    while (from < n && !fore_val_is(items[from], element))
        from++;
    for (to = from; to < n && fore_val_is(items[to], element);)
        to++;
    return fore_val_list(&h->values, items + from, to - from);
}

/* What one walk along growing texts has found. */

static void keep_texts(const struct fore_lin_options *o, const struct fore_texts *t,
                       struct fore_lin_result *r)
{
    for (size_t k = 0; k < r->parts.n; k++) {
        struct fore_lin_part *p = &r->parts.at[k];
        if (!fore_texts_found(t, p->object))
            continue;
        p->verdict = FORE_LIN_YES;
        p->special = !o->share; /* of several shares, the first counts it */
        if (!o->keep_orders)
            continue;
        p->order = fore_calloc(p->n + 1, sizeof *p->order);
        p->n_order = fore_texts_order(t, p->object, p->order);
    }
}

/* If all objects are linearizable and orders are not wanted, there is nothing to split. */
static bool is_all(const struct fore_history *h, const struct fore_lin_options *o,
                   const struct fore_texts *t, struct fore_lin_result *r)
{
    for (uint32_t k = 0; k < h->objects.n; k++)
        if (!fore_texts_found(t, k))
            return false;
    fore_vec_reserve(&r->parts, h->objects.n);
    for (uint32_t k = 0; k < h->objects.n; k++)
        if (fore_texts_count(t, k))
            fore_vec_push(&r->parts, (struct fore_lin_part){.object = k,
                                                            .n = fore_texts_count(t, k),
                                                            .verdict = FORE_LIN_YES,
                                                            .special = !o->share});
    return true;
}

static void summarise_parts(struct fore_lin_result *r)
{
    r->verdict = FORE_LIN_YES;
    for (size_t k = 0; k < r->parts.n; k++) {
        const struct fore_lin_part *p = &r->parts.at[k];
        r->configs += p->configs;
        if (p->verdict == FORE_LIN_NO) {
            r->verdict = FORE_LIN_NO;
        } else if (p->verdict == FORE_LIN_UNKNOWN && r->verdict == FORE_LIN_YES) {
            r->verdict = FORE_LIN_UNKNOWN;
            r->bound = p->bound;
        }
    }
    if (r->verdict == FORE_LIN_NO)
        r->bound = NULL;
}

static void decide_parts(struct fore_history *h, const struct fore_lin_options *o,
                         fore_val init, const struct fore_texts *t,
                         struct fore_lin_result *r)
{
    bool by_element = splits_by_element(h);
    split_history(h, r);
    for (size_t k = 0; k < r->parts.n; k++)
        r->parts.at[k].init =
            by_element ? init_of_element(h, &r->parts.at[k], init) : init;
    if (t)
        keep_texts(o, t, r);
    if (r->parts.n)
        fore_lin_take_turns(h, o, r);
}

enum fore_status fore_lin_check(struct fore_history *h, const struct fore_lin_options *o,
                                struct fore_lin_result *r, struct fore_err *e)
{
    fore_val init;
    *r = (struct fore_lin_result){0};
    FORE_TRY(read_initial_state(h, o->init, &init, e));
    if (o->criterion == FORE_SEQUENTIAL) {
        fore_lin_sequential(h, o, init, r);
        return FORE_OK;
    }
    struct fore_texts *t = o->general_only ? NULL : fore_texts_walk(h, init);
    if (!t || o->keep_orders || !is_all(h, o, t, r))
        decide_parts(h, o, init, t, r);
    fore_texts_free(t);
    summarise_parts(r);
    return FORE_OK;
}
