/* Shrinking is sound: what is left is wrong only if the whole is.
 * - A prefix of the events: linearizability is closed under prefixes.
 * - Leaving out operations that changed nothing: they only constrain.
 * - Leaving out all operations on a value, where the object is closed under that.
 * - Starting later, at a moment when no answered operation is open, from every state that
 *   is possible then. Operations that never returned stay available. */
#include "history/explain.h"

#include "history/explain_words.h"
#include "history/shrink.h"

#include <string.h>

/* Orders of more operations than this are too many, and not worth reading. */
enum { MAX_WORDED = 64 };

void fore_lin_explanation_release(struct fore_lin_explanation *x)
{
    fore_vec_release(&x->ops);
    fore_vec_release(&x->inits);
    fore_vec_release(&x->orders);
    fore_vec_release(&x->partial);
    fore_vec_release(&x->objections);
    fore_vec_release(&x->forced);
    fore_vec_release(&x->witness);
}

/* Was this value seen, alone or among several? */
static bool is_seen(const struct fore_history *h, fore_val v, fore_val answer)
{
    size_t n;
    const fore_val *items = fore_val_items(&h->values, answer, &n);
    for (size_t i = 0; i < n; i++)
        if (fore_val_is(items[i], v))
            return true;
    return fore_val_is(v, answer);
}

/* Operations that never returned are available to the check, but only those that bring a value
 * which was seen are worth showing. */
static bool worth_showing(const struct fore_history *h, const struct fore_shrunk *s,
                          const struct fore_op *op)
{
    if (op->ret < s->cut)
        return true;
    for (size_t k = 0; k < s->ops.n; k++) {
        const struct fore_op *other = &h->ops.at[s->ops.at[k]];
        for (size_t i = 0; other->ret < s->cut && i < h->model->ops[op->f].nargs; i++)
            if (is_seen(h, op->arg[i], other->result))
                return true;
    }
    return false;
}

static bool is_said_twice(const struct fore_lin_explanation *x, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < x->ops.n; i++)
        n += strcmp(x->ops.at[i].text, text) == 0;
    return n > 1;
}

/* Adds the process to operations that read alike: "c3 acquire". */
static void name_processes(const struct fore_history *h, struct fore_arena *a,
                           struct fore_lin_explanation *x)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    bool twice = false;
    for (size_t i = 0; !twice && i < x->ops.n; i++)
        twice = h->model->ops[h->ops.at[x->ops.at[i].op].f].nargs == 0 &&
                h->model->ops[h->ops.at[x->ops.at[i].op].f].answer != FORE_ANSWER_VALUE &&
                is_said_twice(x, x->ops.at[i].text);
    for (size_t i = 0; twice && i < x->ops.n; i++) {
        fore_strbuf_clear(&b);
        fore_history_process_text(h, h->ops.at[x->ops.at[i].op].process, &b);
        x->ops.at[i].who = b.n + 1;
        fore_strbuf_printf(&b, " %s", x->ops.at[i].text);
        x->ops.at[i].text = fore_arena_strndup(a, b.at, b.n);
    }
    fore_strbuf_release(&b);
}

static void list_ops(const struct fore_history *h, const struct fore_shrunk *s,
                     struct fore_arena *a, struct fore_lin_explanation *x)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (size_t i = 0; i < s->ops.n; i++) {
        struct fore_op op = h->ops.at[s->ops.at[i]];
        if (!worth_showing(h, s, &op)) {
            x->idle++;
            continue;
        }
        if (op.ret + 1 == s->cut)
            x->stuck = (uint32_t)x->ops.n;
        bool pending = op.ret >= s->cut;
        if (pending)
            op.ret = FORE_NEVER;
        fore_strbuf_clear(&b);
        fore_op_text(h->model, &h->values, &op, &b);
        fore_vec_push(&x->ops,
                      (struct fore_explained_op){
                          s->ops.at[i], fore_arena_strndup(a, b.at, b.n), 0, pending});
    }
    for (size_t i = 0; i < s->inits.n; i++) {
        fore_strbuf_clear(&b);
        fore_model_state_text(h->model, &h->values, s->inits.at[i], &b);
        fore_vec_push(&x->inits, fore_arena_strndup(a, b.at, b.n));
    }
    fore_strbuf_release(&b);
}

/* Keeps the remaining operations if their initial state can be written down; otherwise
 * everything from the beginning to the wrong answer. */
static void keep_witness(const struct fore_history *h, const struct fore_shrunk *s,
                         const struct fore_lin_part *part, struct fore_lin_explanation *x)
{
    bool opaque = h->model->state_text != NULL;
    bool whole = opaque || s->inits.n != 1;
    const uint32_t *ops = !whole ? s->ops.at : part->n_core ? part->core : part->ops;
    size_t n = !whole ? s->ops.n : part->n_core ? part->n_core : part->n;
    for (size_t i = 0; i < n; i++)
        if (h->ops.at[ops[i]].invoke < s->cut)
            fore_vec_push(&x->witness, ops[i]);
    x->cut = s->cut;
    x->init = whole ? part->init : s->inits.at[0];
    x->has_init = !opaque;
}

void fore_lin_explain(struct fore_history *h, const struct fore_lin_part *part,
                      const struct fore_limits *effort, struct fore_arena *a,
                      struct fore_lin_explanation *x)
{
    struct fore_shrunk s = {
        .h = h, .budget = effort->max_configs, .time = effort->budget};
    *x = (struct fore_lin_explanation){.total = part->n};
    const uint32_t *from = part->n_core ? part->core : part->ops;
    for (size_t i = 0; i < (part->n_core ? part->n_core : part->n); i++)
        fore_vec_push(&s.ops, from[i]);
    fore_vec_push(&s.inits, part->init);
    fore_shrink(&s);
    x->earlier = s.earlier;
    list_ops(h, &s, a, x);
    if (x->ops.n <= MAX_WORDED)
        name_processes(h, a, x);
    if (x->ops.n <= MAX_WORDED)
        fore_lin_words(h, &s, a, x);
    keep_witness(h, &s, part, x);
    fore_vec_release(&s.ops);
    fore_vec_release(&s.inits);
}
