/* Shrinking is sound: what is left is inconsistent only if the whole is.
 * - Leaving out an object: each is judged by its own operations.
 * - Leaving out operations that changed nothing: they only constrain.
 * - Leaving out all operations on a value of an object, where it is closed under that. */
#include "history/explain.h"

#include "base/bitset.h"
#include "history/sequential.h"

#include <string.h>

struct shrink {
    struct fore_history *h;
    fore_val init;
    uint64_t budget;
    struct fore_budget time;
    FORE_VEC(uint32_t) ops;
    uint32_t *unit[3]; /* by place in ops: its object, itself, its value; 0: none */
    uint32_t n_units;
    uint64_t *gone; /* units that are left out */
};

static bool is_kept(const struct shrink *s, size_t i, uint32_t from, uint32_t to)
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t u = s->unit[k][i];
        if (u && (fore_bit_has(s->gone, u) || (u >= from && u < to)))
            return false;
    }
    return true;
}

static uint32_t unit_of(struct shrink *s, struct fore_map *ids, uint64_t key)
{
    bool fresh;
    uint64_t *id = fore_map_put(ids, key, &fresh);
    if (fresh)
        *id = ++s->n_units;
    return (uint32_t)*id;
}

/* The value that an operation brings or saw; nil: none. */
static fore_val value_of(const struct fore_model *m, const struct fore_op *op)
{
    if (m->ops[op->f].role == FORE_ROLE_PUT)
        return op->arg[0];
    return fore_op_pending(op) || fore_val_is(op->result, FORE_ANY) ? FORE_NIL
                                                                    : op->result;
}

/* Objects are numbered first, since leaving one out is worth most, then values. */
static void find_units(struct shrink *s)
{
    const struct fore_history *h = s->h;
    struct fore_map objects = {0}, values = {0};
    for (size_t k = 0; k < 3; k++)
        s->unit[k] = fore_calloc(s->ops.n + 1, sizeof *s->unit[k]);
    for (size_t i = 0; i < s->ops.n; i++)
        s->unit[0][i] = unit_of(s, &objects, h->ops.at[s->ops.at[i]].object);
    for (size_t i = 0; h->model->value_closed && i < s->ops.n; i++) {
        const struct fore_op *op = &h->ops.at[s->ops.at[i]];
        fore_val v = value_of(h->model, op);
        fore_val key[2] = {fore_val_int(&s->h->values, op->object), v};
        if (!fore_val_is(v, FORE_NIL))
            s->unit[2][i] = unit_of(s, &values, fore_val_list(&s->h->values, key, 2).w);
    }
    for (size_t i = 0; i < s->ops.n; i++) {
        const struct fore_op *op = &h->ops.at[s->ops.at[i]];
        bool looks = h->model->ops[op->f].role == FORE_ROLE_LOOK;
        if (looks || (!fore_op_pending(op) && fore_op_idle(h->model, op, true)))
            s->unit[1][i] = ++s->n_units;
    }
    fore_map_release(&objects);
    fore_map_release(&values);
}

/* Leaves out the units from … to - 1 if it stays inconsistent. */
static void try_without(struct shrink *s, uint32_t from, uint32_t to, uint32_t *kept)
{
    struct fore_limits limits = {.max_configs = s->budget, .budget = s->time};
    struct fore_seq_outcome out;
    size_t n = 0;
    for (size_t i = 0; i < s->ops.n; i++)
        if (is_kept(s, i, from, to))
            kept[n++] = s->ops.at[i];
    fore_sequential(s->h, kept, n, s->init, &limits, &out);
    uint64_t spent = out.configs + n;
    s->budget -= spent < s->budget ? spent : s->budget;
    s->time = limits.budget;
    if (s->time.spent)
        s->budget = 0;
    for (uint32_t k = from; out.verdict == FORE_LIN_NO && k < to; k++)
        fore_bit_add(s->gone, k);
    fore_seq_outcome_release(&out);
}

static void shrink_history(struct shrink *s)
{
    find_units(s);
    uint32_t *kept = fore_calloc(s->ops.n + 1, sizeof *kept);
    s->gone = fore_calloc(FORE_BITSET_WORDS(s->n_units + 1) + 1, sizeof *s->gone);
    for (uint32_t step = s->n_units; step && s->budget; step /= 2)
        for (uint32_t k = 1; k <= s->n_units && s->budget; k += step)
            if (!fore_bit_has(s->gone, k))
                try_without(s, k, k + step <= s->n_units ? k + step : s->n_units + 1,
                            kept);
    size_t n = 0;
    for (size_t i = 0; i < s->ops.n; i++)
        if (is_kept(s, i, 0, 0))
            kept[n++] = s->ops.at[i];
    memcpy(s->ops.at, kept, n * sizeof *kept);
    s->ops.n = n;
    fore_free(kept);
    fore_free(s->gone);
    for (size_t k = 0; k < 3; k++)
        fore_free(s->unit[k]);
}

/* Words. */

struct words {
    struct fore_history *h;
    struct fore_lin_explanation *x;
    struct fore_arena *a;
    const uint32_t *order; /* operations of the history */
    size_t n_order;
    fore_val *state; /* by object, after the order */
    fore_val init;
    struct fore_strbuf b;
};

static const char *kept_text(struct words *w)
{
    const char *s = fore_arena_strndup(w->a, w->b.at, w->b.n);
    fore_strbuf_clear(&w->b);
    return s;
}

static const struct fore_op *op_of(const struct words *w, size_t i)
{
    return &w->h->ops.at[w->x->ops.at[i].op];
}

static void put_object(struct words *w, uint32_t object)
{
    fore_val label = w->h->objects.at[object];
    struct fore_bytes b = fore_val_bytes(&w->h->values, label);
    if (fore_val_kind(label) == FORE_VAL_STRING)
        fore_strbuf_add(&w->b, b.at, b.n);
    else
        fore_val_text(&w->h->values, label, &w->b);
}

/* With the object, if there are several. */
static const char *text_of(struct words *w, const struct fore_op *op, bool several)
{
    if (several) {
        put_object(w, op->object);
        fore_strbuf_putc(&w->b, '.');
    }
    fore_op_text(w->h->model, &w->h->values, op, &w->b);
    return kept_text(w);
}

static void list_ops(struct words *w, const struct shrink *s)
{
    bool several = false;
    for (size_t i = 0; i < s->ops.n; i++)
        several = several ||
                  w->h->ops.at[s->ops.at[i]].object != w->h->ops.at[s->ops.at[0]].object;
    for (size_t i = 0; i < s->ops.n; i++) {
        const struct fore_op *op = &w->h->ops.at[s->ops.at[i]];
        struct fore_explained_op o = {s->ops.at[i], text_of(w, op, several), 0,
                                      fore_op_pending(op)};
        fore_vec_push(&w->x->ops, o);
    }
    fore_model_state_text(w->h->model, &w->h->values, s->init, &w->b);
    fore_vec_push(&w->x->inits, kept_text(w));
}

static bool is_placed(const struct words *w, size_t i)
{
    for (size_t k = 0; k < w->n_order; k++)
        if (w->order[k] == w->x->ops.at[i].op)
            return true;
    return false;
}

static bool is_shown(const struct words *w, uint32_t object)
{
    for (size_t i = 0; i < w->x->ops.n; i++)
        if (op_of(w, i)->object == object)
            return true;
    return false;
}

/* "1", or "x=1, y=0" if there are several objects. */
static const char *state_text(struct words *w)
{
    size_t shown = 0;
    for (uint32_t k = 0; k < w->h->objects.n; k++)
        shown += is_shown(w, k);
    for (uint32_t k = 0; k < w->h->objects.n; k++) {
        if (!is_shown(w, k))
            continue;
        if (w->b.n)
            fore_strbuf_puts(&w->b, ", ");
        if (shown > 1) {
            put_object(w, k);
            fore_strbuf_putc(&w->b, '=');
        }
        fore_model_state_text(w->h->model, &w->h->values, w->state[k], &w->b);
    }
    return kept_text(w);
}

/* The order, and the states after it. */
static void replay_order(struct words *w)
{
    uint32_t *order = FORE_NEW_ARRAY(w->a, uint32_t, w->n_order + 1);
    for (size_t k = 0; k < w->h->objects.n; k++)
        w->state[k] = w->init;
    for (size_t k = 0; k < w->n_order; k++) {
        const struct fore_op *op = &w->h->ops.at[w->order[k]];
        fore_val *state = &w->state[op->object];
        bool legal = fore_model_step(w->h->model, &w->h->values, *state, op, state);
        FORE_BUG_IF(!legal);
        for (size_t i = 0; i < w->x->ops.n; i++)
            if (w->x->ops.at[i].op == w->order[k])
                order[k] = (uint32_t)i;
    }
    struct fore_stuck_order o = {order, w->n_order, state_text(w), NULL};
    fore_vec_push(&w->x->orders, o);
}

/* The operation for which the process of operation i waits: its first that is not placed. */
static size_t waits_for(const struct words *w, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (op_of(w, k)->process == op_of(w, i)->process && !is_placed(w, k) &&
            !w->x->ops.at[k].pending)
            return k;
    return i;
}

/* The only operation that brings what operation i saw, or the number of operations. */
static size_t source_of(const struct words *w, size_t i, size_t *sources)
{
    size_t found = w->x->ops.n;
    *sources = 0;
    for (size_t k = 0; k < w->x->ops.n; k++) {
        const struct fore_op *op = op_of(w, k);
        bool brings = false;
        for (size_t j = 0; j < w->h->model->ops[op->f].nargs; j++)
            brings = brings || fore_val_is(op->arg[j], op_of(w, i)->result);
        if (!brings || op->object != op_of(w, i)->object ||
            w->h->model->ops[op->f].role == FORE_ROLE_LOOK)
            continue;
        found = k;
        ++*sources;
    }
    return found;
}

static void about_value(struct words *w, size_t i)
{
    size_t sources, k = source_of(w, i, &sources);
    const struct fore_op *op = op_of(w, i);
    if (w->h->model->ops[op->f].answer != FORE_ANSWER_VALUE || sources > 1)
        return;
    if (!sources && !fore_val_is(op->result, FORE_NIL)) {
        if (fore_val_is(op->result, w->init)) {
            fore_strbuf_puts(&w->b, "; it is so only at first");
        } else {
            fore_strbuf_puts(&w->b, "; no operation writes ");
            fore_val_text(&w->h->values, op->result, &w->b);
        }
        return;
    }
    if (!sources)
        return;
    fore_strbuf_printf(&w->b, "; the only %s of ", w->x->ops.at[k].text);
    fore_history_process_text(w->h, op_of(w, k)->process, &w->b);
    if (is_placed(w, k))
        fore_strbuf_puts(&w->b, " had to come earlier");
    else
        fore_strbuf_printf(&w->b, " comes after its %s",
                           w->x->ops.at[waits_for(w, k)].text);
}

/* Why operation i, the next of its process, cannot come next. */
static void object_to(struct words *w, size_t i)
{
    struct fore_op ask = *op_of(w, i);
    fore_val next, result;
    ask.result = FORE_ANY;
    if (!w->h->model->step(w->h->model, &w->h->values, w->state[ask.object], &ask, &next,
                           &result)) {
        fore_strbuf_puts(&w->b, "has to wait");
    } else {
        fore_strbuf_puts(&w->b, "would answer ");
        fore_val_text(&w->h->values, result, &w->b);
        fore_strbuf_puts(&w->b, " here");
        about_value(w, i);
    }
    w->x->stuck = (uint32_t)i;
    struct fore_objection o = {(uint32_t)i, (uint32_t)w->x->orders.n - 1, kept_text(w)};
    fore_vec_push(&w->x->objections, o);
}

/* What each process' own order and the values demand. */
static void add_forced_orders(struct words *w)
{
    for (size_t i = 0; i < w->x->ops.n; i++)
        for (size_t k = i + 1; k < w->x->ops.n; k++)
            if (op_of(w, i)->process == op_of(w, k)->process) {
                struct fore_forced_order f = {(uint32_t)i, (uint32_t)k, FORE_BY_PROCESS};
                fore_vec_push(&w->x->forced, f);
                break;
            }
    for (size_t i = 0; i < w->x->ops.n; i++) {
        size_t sources, k = source_of(w, i, &sources);
        if (sources != 1 || w->x->ops.at[i].pending ||
            op_of(w, k)->process == op_of(w, i)->process)
            continue;
        struct fore_forced_order f = {(uint32_t)k, (uint32_t)i, FORE_BY_VALUE};
        fore_vec_push(&w->x->forced, f);
    }
}

static void say_order(struct words *w, const uint32_t *order, size_t n)
{
    w->order = order;
    w->n_order = n;
    replay_order(w);
    for (size_t i = 0; i < w->x->ops.n; i++)
        if (!is_placed(w, i) && !w->x->ops.at[i].pending && waits_for(w, i) == i)
            object_to(w, i);
}

static void say_shrunk(struct words *w, const struct shrink *s)
{
    struct fore_limits limits = {.max_configs = s->budget + s->ops.n + 1000};
    struct fore_seq_outcome out;
    list_ops(w, s);
    fore_sequential(w->h, s->ops.at, s->ops.n, s->init, &limits, &out);
    w->state = fore_calloc(w->h->objects.n + 1, sizeof *w->state);
    say_order(w, out.order.at, out.order.n);
    if (out.other.n)
        say_order(w, out.other.at, out.other.n);
    add_forced_orders(w);
    fore_free(w->state);
    fore_seq_outcome_release(&out);
}

void fore_sequential_explain(struct fore_history *h, const struct fore_lin_part *part,
                             const struct fore_limits *effort, struct fore_arena *a,
                             struct fore_lin_explanation *x)
{
    struct shrink s = {.h = h, .init = part->init, .budget = effort->max_configs};
    s.time = effort->budget;
    struct words w = {.h = h, .x = x, .a = a, .b = FORE_STRBUF_INIT, .init = part->init};
    *x = (struct fore_lin_explanation){.total = part->n};
    for (size_t i = 0; i < part->n; i++)
        fore_vec_push(&s.ops, part->ops[i]);
    shrink_history(&s);
    say_shrunk(&w, &s);
    for (size_t i = 0; i < s.ops.n; i++)
        fore_vec_push(&x->witness, s.ops.at[i]);
    x->cut = FORE_NEVER;
    x->init = part->init;
    x->has_init = h->model->state_text == NULL;
    fore_vec_release(&s.ops);
    fore_strbuf_release(&w.b);
}
