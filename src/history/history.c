#include "history/history.h"

#include <string.h>

/* Operations that did not happen carry this until the history is finished. */
#define DROPPED UINT16_MAX
/* In `where`: the rest is a string's number, not a line. */
#define PLACE (UINT32_C(1) << 31)

void fore_history_init(struct fore_history *h, const char *name,
                       const struct fore_model *model)
{
    *h = (struct fore_history){.name = fore_strdup(name), .model = model};
}

void fore_history_release(struct fore_history *h)
{
    fore_free(h->name);
    fore_vals_release(&h->values);
    fore_vec_release(&h->ops);
    fore_vec_release(&h->processes);
    fore_vec_release(&h->objects);
    fore_map_release(&h->process_ids);
    fore_map_release(&h->object_ids);
    fore_map_release(&h->open);
    *h = (struct fore_history){0};
}

static uint32_t process_id(struct fore_history *h, fore_val name)
{
    bool fresh;
    uint64_t *id = fore_map_put(&h->process_ids, name.w, &fresh);
    if (fresh) {
        *id = h->processes.n;
        fore_vec_push(&h->processes, name);
    }
    return (uint32_t)*id;
}

static uint32_t object_id(struct fore_history *h, const struct fore_record *r)
{
    fore_val label = r->object;
    if (h->model->keyed) {
        fore_val pair[2] = {r->object, r->key};
        bool unnamed = fore_val_is(r->object, FORE_NIL);
        label = unnamed ? r->key : fore_val_list(&h->values, pair, 2);
    }
    bool fresh;
    uint64_t *id = fore_map_put(&h->object_ids, label.w, &fresh);
    if (fresh) {
        *id = h->objects.n;
        fore_vec_push(&h->objects, label);
    }
    return (uint32_t)*id;
}

static enum fore_status refuse_value(const struct fore_history *h,
                                     const struct fore_record *r, struct fore_err *e,
                                     const char *what, fore_val v, const char *right)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val_text(&h->values, v, &b);
    enum fore_status s = fore_fail_at(e, FORE_MEANING, h->name, r->line, 1, "%s %s; %s",
                                      what, b.at, right);
    fore_strbuf_release(&b);
    return s;
}

static enum fore_status unknown_op(const struct fore_history *h,
                                   const struct fore_record *r, struct fore_err *e)
{
    return fore_fail_at(e, FORE_MEANING, h->name, r->line, 1,
                        "the object %s has no operation \"%.*s\"; it has %s",
                        h->model->name, (int)(r->f.n < 64 ? r->f.n : 64), r->f.at,
                        h->model->summary);
}

/* Where the open operation of this process (and number) is noted. */
static uint64_t open_key(uint32_t process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

/* The arguments come as a list, or all in one value: [1 2] for two, 1 for one. */
static enum fore_status take_args(struct fore_history *h, const struct fore_record *r,
                                  struct fore_op *op, struct fore_err *e)
{
    size_t want = h->model->ops[op->f].nargs, n = r->n_args;
    const fore_val *args = r->args;
    if (!args && want == 1 && r->has_value) {
        args = &r->value;
        n = 1;
    } else if (!args && want > 1) {
        args = fore_val_items(&h->values, r->value, &n);
    } else if (!args) {
        return FORE_OK; /* the value of a read's invocation is what it will answer */
    }
    if (n != want)
        return fore_fail_at(e, FORE_MEANING, h->name, r->line, 1,
                            "%.*s takes %zu argument%s, not %zu", (int)r->f.n, r->f.at,
                            want, want == 1 ? "" : "s", n);
    for (size_t i = 0; i < n; i++)
        op->arg[i] = args[i];
    return FORE_OK;
}

static enum fore_status add_invocation(struct fore_history *h,
                                       const struct fore_record *r, struct fore_err *e)
{
    int f = fore_model_op_find(h->model, r->f.at, r->f.n);
    if (f < 0)
        return unknown_op(h, r, e);
    struct fore_record with_key = *r;
    if (h->model->keyed && !r->has_key) {
        if (!r->n_args)
            return fore_fail_at(e, FORE_MEANING, h->name, r->line, 1,
                                "an operation of %s needs a key", h->model->name);
        with_key.key = r->args[0];
        with_key.args++;
        with_key.n_args--;
    }
    if (r->has_init && h->has_init && !fore_val_is(r->init, h->init))
        return refuse_value(h, r, e, "this object starts with", r->init,
                            "all objects of a history start alike");
    h->has_init = h->has_init || r->has_init;
    h->init = r->has_init ? r->init : h->init;
    struct fore_op op = {.f = (uint16_t)f, .result = FORE_ANY, .ret = FORE_NEVER};
    FORE_TRY(take_args(h, &with_key, &op, e));
    op.invoke = h->events;
    op.process = process_id(h, r->process);
    op.object = object_id(h, &with_key);
    op.where = r->line < PLACE ? r->line : 0;
    if (fore_val_kind(r->place) == FORE_VAL_STRING && r->place.w >> 3 < PLACE)
        op.where = PLACE | (uint32_t)(r->place.w >> 3);
    bool fresh;
    uint64_t *open = fore_map_put(&h->open, open_key(op.process, r->number), &fresh);
    if (!fresh)
        return refuse_value(h, r, e, "a second operation while one is open: process",
                            r->process, "an answer (ok, fail or info) must come first");
    *open = h->ops.n + 1;
    fore_vec_push(&h->ops, op);
    return FORE_OK;
}

/* Logs that repeat the arguments in the answer do not say what the answer was. */
static bool is_echo(const struct fore_history *h, const struct fore_op *op, fore_val v)
{
    if (h->dialect == FORE_DIALECT_PLAIN || !h->model->ops[op->f].nargs)
        return false;
    return fore_val_is(v, op->arg[0]) || fore_val_kind(v) == FORE_VAL_LIST;
}

static fore_val answer_of(struct fore_history *h, const struct fore_record *r,
                          const struct fore_op *op)
{
    const struct fore_model_op *what = &h->model->ops[op->f];
    fore_val v = r->has_value ? r->value : FORE_ANY;
    if (what->answer == FORE_ANSWER_NONE)
        return FORE_ANY;
    if (what->answer == FORE_ANSWER_BOOL) {
        if (fore_val_is(v, FORE_TRUE) || fore_val_is(v, FORE_FALSE))
            return v;
        return what->role == FORE_ROLE_OTHER || r->exact ? FORE_TRUE : FORE_ANY;
    }
    if (r->exact)
        return v;
    if (h->dialect == FORE_DIALECT_KNOSSOS && what->role == FORE_ROLE_LOOK &&
        fore_val_is(v, FORE_NIL))
        return FORE_ANY;
    return is_echo(h, op, v) ? FORE_ANY : v;
}

static void close_op(struct fore_history *h, const struct fore_record *r,
                     struct fore_op *op)
{
    bool failed = r->type == FORE_REC_FAIL;
    if (r->type == FORE_REC_INFO)
        return;
    bool means_no = h->dialect == FORE_DIALECT_JEPSEN || r->exact;
    if (failed && !(means_no && h->model->ops[op->f].answer == FORE_ANSWER_BOOL)) {
        op->f = DROPPED;
        h->dropped++;
        return;
    }
    op->ret = h->events;
    op->result = failed ? FORE_FALSE : answer_of(h, r, op);
    if (h->model->normalize)
        h->model->normalize(h->model, &h->values, op);
}

enum fore_status fore_history_add(struct fore_history *h, const struct fore_record *r,
                                  struct fore_err *e)
{
    if (h->events == FORE_NEVER - 1)
        return fore_fail_at(e, FORE_LIMIT, h->name, r->line, 1,
                            "more events than a history can have (%u)", FORE_NEVER - 1);
    if (r->type == FORE_REC_INVOKE) {
        FORE_TRY(add_invocation(h, r, e));
    } else {
        uint64_t key = open_key(process_id(h, r->process), r->number);
        uint64_t *open = fore_map_get(&h->open, key);
        if (!open)
            return refuse_value(h, r, e, "an answer without an invocation: process",
                                r->process, "an invoke must come first");
        struct fore_op *op = &h->ops.at[*open - 1];
        if (r->f.n && fore_model_op_find(h->model, r->f.at, r->f.n) != op->f)
            return refuse_value(h, r, e,
                                "the answer names another operation than the invocation "
                                "of process",
                                r->process, "they must agree");
        close_op(h, r, op);
        fore_map_remove(&h->open, key);
    }
    h->events++;
    return FORE_OK;
}

void fore_history_finish(struct fore_history *h)
{
    size_t kept = 0;
    for (size_t i = 0; h->dropped && i < h->ops.n; i++)
        if (h->ops.at[i].f != DROPPED)
            h->ops.at[kept++] = h->ops.at[i];
    if (h->dropped)
        h->ops.n = kept;
    h->dropped = 0;
    fore_map_release(&h->open);
}

void fore_history_place_text(const struct fore_history *h, const struct fore_op *op,
                             struct fore_strbuf *out)
{
    if (op->where & PLACE)
        fore_strbuf_puts(out, fore_intern_text(&h->values.strings, op->where & ~PLACE));
    else if (op->where)
        fore_strbuf_printf(out, "%s:%u", h->name, op->where);
    else
        fore_strbuf_puts(out, h->name);
}

void fore_history_process_text(const struct fore_history *h, uint32_t process,
                               struct fore_strbuf *out)
{
    fore_val name = h->processes.at[process];
    struct fore_bytes b = fore_val_bytes(&h->values, name);
    if (fore_val_kind(name) == FORE_VAL_INT)
        fore_strbuf_putc(out, 'c');
    bool plain = fore_val_kind(name) == FORE_VAL_STRING;
    for (size_t i = 0; plain && i < b.n; i++)
        plain = (unsigned char)b.at[i] > ' ' && b.at[i] != 0x7f;
    if (plain)
        fore_strbuf_add(out, b.at, b.n);
    else
        fore_val_text(&h->values, name, out);
}
