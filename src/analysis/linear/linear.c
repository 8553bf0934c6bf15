/* Predicts: nothing; it judges the history that was observed.
 * Sound, complete: yes, within the budget, for each object by itself.
 * Cost:     see history/search.c and history/special.h. */
#include "analysis/linear/linear.h"

#include "base/progress.h"
#include "history/format_trace.h"
#include "history/user.h"

#include <string.h>

/* What an explanation may cost; it is there to be read, not to be perfect. */
enum { EXPLAIN_CONFIGS = 2000000 };

static const struct fore_option options[] = {
    {"object", 0, "M",
     "the object that operations belong to (default: inferred from their names)"},
    {"call-time", 0, "S",
     "seconds that one call of a shared object may take (default 5)"},
    {NULL, 0, NULL, NULL},
};

static enum fore_status linear_accepts(const struct fore_params *params,
                                       struct fore_err *e)
{
    const char *name = fore_params_text(params, "object", NULL);
    const struct fore_model *model;
    double seconds;
    FORE_TRY(fore_params_double(params, "call-time", 0, &seconds, e));
    return name && !fore_model_is_path(name) ? fore_model_named(name, NULL, &model, e)
                                             : FORE_OK;
}

enum fore_status fore_linear_check(struct fore_linear *l,
                                   const struct fore_lin_options *o, struct fore_err *e)
{
    l->criterion = o->criterion;
    uint64_t start = fore_now_ns();
    FORE_TRY(fore_lin_check(&l->h, o, &l->result, e));
    l->search_ns = fore_now_ns() - start;
    if (l->result.verdict != FORE_LIN_NO)
        return FORE_OK;
    const struct fore_lin_part *p = &l->result.parts.at[l->result.failing];
    struct fore_limits effort = {.budget = o->limits.budget,
                                 .max_configs = EXPLAIN_CONFIGS};
    if (o->criterion == FORE_LINEARIZABLE)
        fore_lin_explain(&l->h, p, &effort, &l->arena, &l->why);
    else
        fore_sequential_explain(&l->h, p, &effort, &l->arena, &l->why);
    return FORE_OK;
}

void fore_linear_release(struct fore_linear *l)
{
    fore_lin_result_release(&l->result);
    fore_lin_explanation_release(&l->why);
    fore_arena_release(&l->arena);
    fore_history_release(&l->h);
}

struct trace_source {
    struct fore_record_source source;
    const struct fore_trace *trace;
    uint32_t object;
};

static enum fore_status read_object(const struct fore_record_source *s,
                                    struct fore_record_sink *to, struct fore_err *e)
{
    const struct trace_source *from = (const struct trace_source *)s;
    struct fore_trace_records r;
    fore_trace_records_init(&r, to, e);
    r.only = from->object;
    enum fore_status st = fore_trace_replay(from->trace, &r.sink, e);
    fore_trace_records_release(&r);
    return st;
}

static enum fore_status check_object(const struct fore_trace *t, uint32_t object,
                                     const struct fore_model *model,
                                     struct fore_analysis_ctx *ctx, struct fore_linear *l,
                                     struct fore_err *e)
{
    struct trace_source from = {{read_object, NULL}, t, object};
    struct fore_lin_options o = {.limits = {.budget = *ctx->budget}, .jobs = ctx->jobs};
    FORE_TRY(
        fore_history_from(&l->h, t->name, &from.source, model, FORE_DIALECT_PLAIN, e));
    return fore_linear_check(l, &o, e);
}

static bool linear_applies(const struct fore_trace *t, const struct fore_params *params)
{
    (void)params;
    return fore_trace_has_group(t, FORE_GROUP_OPERATION);
}

static enum fore_status run_linear(const struct fore_trace *t,
                                   struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    const char *name = fore_params_text(ctx->params, "object", NULL);
    struct fore_user_model user = {.beat = ctx->budget->beat};
    const struct fore_model *model = NULL;
    FORE_VEC(struct fore_linear *) all = {0};
    FORE_VEC(struct fore_linear_summary) sums = {0};
    if (name)
        FORE_TRY(fore_model_named(name, &user, &model, e));
    enum fore_status st = FORE_OK;
    for (uint32_t i = 1; st == FORE_OK && i < t->tables.objects.n; i++) {
        if (t->tables.objects.at[i].kind != FORE_OBJ_OBJECT)
            continue;
        struct fore_linear *l = fore_calloc(1, sizeof *l);
        st = check_object(t, i, model, ctx, l, e);
        if (st == FORE_USAGE && !name) { /* no built-in object has these operations */
            fore_findings_remark(
                ctx->out,
                "%s: the operations of %s were not checked; say with --object what it is",
                t->name, fore_tables_name(&t->tables, i));
            fore_free(l);
            st = FORE_OK;
            continue;
        }
        if (st == FORE_OK) {
            fore_linear_report(l, false, ctx->out);
            fore_vec_push(&sums, fore_linear_sum(l));
        }
        fore_vec_push(&all, l);
    }
    if (st == FORE_OK)
        fore_linear_stats(sums.at, sums.n, ctx->out);
    for (size_t i = 0; i < all.n; i++) {
        fore_linear_release(all.at[i]);
        fore_free(all.at[i]);
    }
    fore_vec_release(&all);
    fore_vec_release(&sums);
    fore_user_model_release(&user);
    return st;
}

const struct fore_analysis fore_analysis_linear = {
    .name = "linear",
    .summary = "is every marked operation's result explained by some sequential order?",
    .rules = "not-linearizable",
    .options = options,
    .accepts = linear_accepts,
    .applies = linear_applies,
    .run = run_linear,
};
