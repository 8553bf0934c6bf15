#include "explore/judge.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <string.h>

static fore_val value_of(struct fore_judge *j, int64_t v)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    fore_val out = FORE_NIL;
    fore_harness_value_text(j->harness, v, &s);
    if ((s.at[0] >= '0' && s.at[0] <= '9') || s.at[0] == '-')
        out = fore_val_int(&j->values, v);
    else if (v != FORESEE_NIL)
        out = fore_val_string(&j->values, s.at, s.n);
    fore_strbuf_release(&s);
    return out;
}

static enum fore_status add_op(struct fore_judge *j, const struct fore_call *c,
                               struct fore_map *keys, struct fore_err *e)
{
    struct fore_op op = {.result = FORE_ANY, .ret = FORE_NEVER};
    int f = fore_model_op_find(j->model, c->name, strlen(c->name));
    if (f < 0)
        return fore_fail_at(e, FORE_MEANING, j->harness->file, c->line, 1,
                            "object `%s` has no operation `%s`; it has: %s",
                            j->model->name, c->name, j->model->summary);
    uint32_t skip = j->model->keyed, want = j->model->ops[f].nargs + skip;
    if (c->nargs != want)
        return fore_fail_at(e, FORE_MEANING, j->harness->file, c->line, 1,
                            "`%s` of object `%s` takes %u arguments, not %u", c->name,
                            j->model->name, want, c->nargs);
    op.f = (uint16_t)f;
    for (uint32_t i = skip; i < c->nargs; i++)
        op.arg[i - skip] = value_of(j, c->args[i]);
    if (skip) {
        bool fresh;
        uint64_t *object = fore_map_put(keys, (uint64_t)c->args[0], &fresh);
        if (fresh)
            *object = keys->n - 1;
        op.object = (uint32_t)*object;
    }
    fore_vec_push(&j->ops, op);
    return FORE_OK;
}

static enum fore_status first_monitor(struct fore_judge *j, struct fore_err *e)
{
    const struct fore_call *c = &j->harness->object;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_val init;
    for (uint32_t i = 0; i < c->nargs; i++) {
        fore_strbuf_puts(&text, i ? ", " : "");
        fore_harness_value_text(j->harness, c->args[i], &text);
    }
    enum fore_status st = FORE_OK;
    if (fore_model_start(j->model, &j->values, c->nargs ? text.at : NULL, &init)) {
        fore_vec_ensure(&j->monitors, 2);
        fore_vec_ensure(&j->hashes, 2);
        fore_monitor_init(&j->monitors.at[FORE_JUDGE_START], j->model, &j->values, init);
        uint64_t hash = fore_monitor_fingerprint(&j->monitors.at[FORE_JUDGE_START]);
        j->hashes.at[FORE_JUDGE_START] = hash;
        *fore_map_put(&j->known, hash, NULL) = FORE_JUDGE_START;
    } else {
        st = fore_fail_at(e, FORE_MEANING, j->harness->file, c->line, 1,
                          "`%s` is no initial value of object `%s`", text.at,
                          j->model->name);
    }
    fore_strbuf_release(&text);
    return st;
}

static enum fore_status no_object(const struct fore_harness *h, struct fore_err *e)
{
    struct fore_strbuf names = FORE_STRBUF_INIT;
    for (size_t i = 0; fore_models[i]; i++)
        fore_strbuf_printf(&names, "%s%s", i ? ", " : "", fore_models[i]->name);
    enum fore_status st =
        fore_fail_at(e, FORE_MEANING, h->file, h->object.line, 1,
                     "there is no object `%s`; there are %s, and paths of shared objects",
                     h->object.name, names.at);
    fore_strbuf_release(&names);
    return st;
}

enum fore_status fore_judge_init(struct fore_judge *j, const struct fore_harness *h,
                                 struct fore_err *e)
{
    *j = (struct fore_judge){.harness = h, .model = fore_model_find(h->object.name)};
    j->steps = fore_calloc(FORE_JUDGE_STEPS, sizeof *j->steps);
    if (!j->model && strchr(h->object.name, '/'))
        FORE_TRY(fore_model_open(h->object.name, &j->model, e));
    if (!j->model)
        return no_object(h, e);
    struct fore_map keys = {0};
    enum fore_status st = FORE_OK;
    for (size_t i = 0; i < h->ops.n && st == FORE_OK; i++)
        st = add_op(j, &h->ops.at[i], &keys, e);
    fore_map_release(&keys);
    return st == FORE_OK ? first_monitor(j, e) : st;
}

void fore_judge_release(struct fore_judge *j)
{
    for (size_t i = FORE_JUDGE_START; i < j->monitors.n; i++)
        fore_monitor_release(&j->monitors.at[i]);
    fore_vec_release(&j->monitors);
    fore_vec_release(&j->hashes);
    fore_vec_release(&j->ops);
    fore_vals_release(&j->values);
    fore_model_close(j->model);
    fore_map_release(&j->known);
    fore_free(j->steps);
}

/* Keeps the monitor, or finds the equal one that is there. */
static uint32_t keep_monitor(struct fore_judge *j, struct fore_history_monitor *m)
{
    bool fresh;
    uint64_t hash = fore_monitor_fingerprint(m);
    uint64_t *at = fore_map_put(&j->known, hash, &fresh);
    if (!fresh) {
        fore_monitor_release(m);
        return (uint32_t)*at;
    }
    *at = j->monitors.n;
    fore_vec_push(&j->monitors, *m);
    fore_vec_push(&j->hashes, hash);
    return (uint32_t)j->monitors.n - 1;
}

/* Where this step is remembered, and whether it is. */
static struct fore_judge_step *recall_step(struct fore_judge *j, uint32_t state,
                                           uint32_t op, bool response, int64_t result,
                                           bool *known)
{
    uint64_t h = (uint64_t)state * 64 + op * 2 + response;
    h = (h ^ (uint64_t)result * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    struct fore_judge_step *s = &j->steps[h >> 52];
    *known = s->state == state && s->op == op && s->response == response &&
             s->result == result;
    return s;
}

uint32_t fore_judge_invoke(struct fore_judge *j, uint32_t state, uint32_t op)
{
    bool known;
    if (state == FORE_JUDGE_BROKEN)
        return FORE_JUDGE_BROKEN;
    struct fore_judge_step *s = recall_step(j, state, op, false, 0, &known);
    if (known)
        return s->next;
    struct fore_history_monitor m;
    fore_monitor_copy(&m, &j->monitors.at[state]);
    fore_monitor_invoke(&m, op, &j->ops.at[op]);
    *s = (struct fore_judge_step){state, op, keep_monitor(j, &m), false, 0};
    return s->next;
}

_Static_assert(FORE_JUDGE_STEPS == 1 << (64 - 52), "recall takes the upper bits");

static fore_val answer_of(struct fore_judge *j, uint32_t op, int64_t result)
{
    enum fore_answer kind = j->model->ops[j->ops.at[op].f].answer;
    if (kind == FORE_ANSWER_NONE ||
        (kind == FORE_ANSWER_VALUE && result == FORE_RESULT_VOID))
        return FORE_ANY;
    return kind == FORE_ANSWER_BOOL ? fore_val_bool(result != 0) : value_of(j, result);
}

uint32_t fore_judge_respond(struct fore_judge *j, uint32_t state, uint32_t op,
                            int64_t result)
{
    bool known;
    if (state == FORE_JUDGE_BROKEN)
        return FORE_JUDGE_BROKEN;
    struct fore_judge_step *s = recall_step(j, state, op, true, result, &known);
    if (known)
        return s->next;
    struct fore_history_monitor m;
    fore_monitor_copy(&m, &j->monitors.at[state]);
    *s = (struct fore_judge_step){state, op, FORE_JUDGE_BROKEN, true, result};
    if (fore_monitor_respond(&m, op, answer_of(j, op, result)))
        s->next = keep_monitor(j, &m);
    else
        fore_monitor_release(&m);
    return s->next;
}

uint32_t fore_judge_follow(struct fore_judge *j, uint32_t state,
                           const struct fore_actors *w)
{
    const struct fore_receipt *r = &fore_vec_last(&w->steps);
    if (r->op >= 0)
        state = fore_judge_invoke(j, state, (uint32_t)r->op);
    for (size_t i = r->first_reply; i < w->replies.n; i++)
        if (!w->replies.at[i].repeated)
            state = fore_judge_respond(j, state, w->replies.at[i].op,
                                       w->replies.at[i].result);
    return state;
}

void fore_judge_expected(struct fore_judge *j, uint32_t state, uint32_t op,
                         struct fore_strbuf *out)
{
    struct fore_map tried = {0};
    size_t found = 0;
    for (size_t i = 0; i <= j->harness->ops.n; i++) {
        const struct fore_call *c = i ? &j->harness->ops.at[i - 1] : &j->harness->object;
        for (uint32_t a = 0; a <= c->nargs; a++) {
            int64_t v = a < c->nargs ? c->args[a] : FORESEE_NIL;
            bool fresh;
            fore_map_put(&tried, (uint64_t)v, &fresh);
            if (!fresh || fore_judge_respond(j, state, op, v) == FORE_JUDGE_BROKEN)
                continue;
            fore_strbuf_puts(out, found++ ? " or " : "");
            fore_harness_value_text(j->harness, v, out);
        }
    }
    fore_map_release(&tried);
}
