/* A checked history as a finding, a remark and statistics. */
#include "analysis/linear/linear.h"

#include "history/format_trace.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL_MAX = 40, MAX_STEPS = 1000, MAX_DRAWN = 24, MAX_ORDER = 12 };

static const char *verdict_name(enum fore_criterion c, enum fore_lin verdict)
{
    static const char *const names[][3] = {
        {"linearizable", "not-linearizable", "unknown"},
        {"sequentially-consistent", "not-sequentially-consistent", "unknown"},
    };
    return names[c][verdict];
}

static const char *verdict_words(enum fore_criterion c, enum fore_lin verdict)
{
    static const char *const names[][3] = {
        {"linearizable", "not linearizable", "unknown"},
        {"sequentially consistent", "not sequentially consistent", "unknown"},
    };
    return names[c][verdict];
}

static const char *process_name(const struct fore_linear *l, struct fore_findings *f,
                                uint32_t process)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_history_process_text(&l->h, process, &b);
    const char *s = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return s;
}

/* Long values keep their two ends. */
static const char *short_text(struct fore_findings *f, const char *s)
{
    size_t n = strlen(s);
    if (n <= LABEL_MAX)
        return fore_arena_strdup(&f->arena, s);
    return fore_findings_printf(f, "%.*s...%s", LABEL_MAX / 2, s,
                                s + n - LABEL_MAX / 2 + 3);
}

static const char *object_name(const struct fore_linear *l, struct fore_findings *f,
                               const struct fore_lin_part *p)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val label = l->h.objects.n ? l->h.objects.at[p->object] : FORE_NIL;
    struct fore_bytes name = fore_val_bytes(&l->h.values, label);
    fore_strbuf_puts(&b, l->h.model->name);
    if (l->criterion == FORE_SEQUENTIAL && l->h.objects.n > 1) {
        fore_strbuf_printf(&b, ", %zu objects", l->h.objects.n);
    } else if (l->h.model->keyed || l->h.independent) {
        fore_strbuf_puts(&b, " key ");
        fore_val_text(&l->h.values, label, &b);
    } else if (fore_val_kind(label) == FORE_VAL_STRING &&
               strcmp(name.at, l->h.model->name) != 0) {
        fore_strbuf_printf(&b, " %s", name.at);
    }
    const char *s = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return s;
}

static void join_inits(const struct fore_linear *l, struct fore_strbuf *b)
{
    for (size_t i = 0; i < l->why.inits.n; i++) {
        fore_strbuf_puts(b, i == 0 ? "" : i + 1 < l->why.inits.n ? ", " : " or ");
        fore_strbuf_puts(b, l->why.inits.at[i]);
    }
}

static void say_message(const struct fore_linear *l, const char *object,
                        struct fore_findings *f, struct fore_finding *x)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "%s, initially ", object);
    join_inits(l, &b);
    fore_strbuf_printf(
        &b, ": no order of the operations that keeps %s explains the answers",
        l->criterion == FORE_SEQUENTIAL ? "each process's own order" : "real time");
    if (l->why.ops.n < l->why.total)
        fore_strbuf_printf(&b, "; %zu of %zu show it", l->why.ops.n, l->why.total);
    x->message = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
}

static const char *order_text(const struct fore_linear *l, struct fore_findings *f,
                              const struct fore_stuck_order *o)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t first = o->n > MAX_ORDER ? o->n - MAX_ORDER : 0;
    if (first)
        fore_strbuf_printf(&b, "%zu operations < ", first);
    for (size_t i = first; i < o->n; i++) {
        fore_strbuf_puts(&b, i > first ? " < " : "");
        fore_strbuf_puts(&b, short_text(f, l->why.ops.at[o->ops[i]].text));
    }
    if (!o->n)
        fore_strbuf_puts(&b, "none");
    fore_strbuf_printf(&b, ", then stuck at %s:", short_text(f, o->state));
    const char *s = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return s;
}

static void say_orders(const struct fore_linear *l, struct fore_findings *f,
                       struct fore_finding *x)
{
    for (uint32_t k = 0; k < l->why.orders.n; k++) {
        fore_finding_fact(f, x, k ? "or" : "longest order", "%s",
                          order_text(l, f, &l->why.orders.at[k]));
        for (size_t i = 0; i < l->why.objections.n; i++) {
            const struct fore_objection *o = &l->why.objections.at[i];
            if (o->order == k)
                fore_finding_fact(f, x, short_text(f, l->why.ops.at[o->op].text), "%s",
                                  o->text);
        }
    }
}

enum { MAX_FORCED = 12, FEW_FORCED = 8 };

static const char *forced_why(const struct fore_forced_order *p)
{
    static const char *const words[] = {
        [FORE_BY_REAL_TIME] = "real time",
        [FORE_BY_PROCESS] = "process",
        [FORE_BY_VALUE] = "value",
    };
    return words[p->by];
}

/* Real time is visible in the picture: many pairs of it would hide the others. */
static bool is_told(const struct fore_linear *l, const struct fore_forced_order *p)
{
    return l->why.forced.n <= FEW_FORCED || p->by != FORE_BY_REAL_TIME;
}

static void say_forced(const struct fore_linear *l, struct fore_findings *f,
                       struct fore_finding *x)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t told = 0;
    for (size_t i = 0; i < l->why.forced.n; i++) {
        const struct fore_forced_order *p = &l->why.forced.at[i];
        if (!is_told(l, p) || ++told > MAX_FORCED)
            continue;
        fore_strbuf_printf(&b, "%s%s < %s (%s)", told > 1 ? "   " : "",
                           short_text(f, l->why.ops.at[p->before].text),
                           short_text(f, l->why.ops.at[p->after].text), forced_why(p));
    }
    if (told > MAX_FORCED)
        fore_strbuf_printf(&b, "   and %zu more", told - MAX_FORCED);
    if (b.n)
        fore_finding_fact(f, x, "forced", "%s", b.at);
    fore_strbuf_release(&b);
    for (size_t i = 0; l->why.ops.n <= MAX_DRAWN && i < l->why.forced.n; i++) {
        const struct fore_forced_order *p = &l->why.forced.at[i];
        fore_vec_push(&x->timeline.edges,
                      (struct fore_graph_edge){p->before, p->after, forced_why(p), ""});
    }
}

static const char *place_text(const struct fore_linear *l, struct fore_findings *f,
                              const struct fore_op *op)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_history_place_text(&l->h, op, &b);
    const char *at = fore_arena_strndup(&f->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return at;
}

static const char *const *short_states(struct fore_findings *f,
                                       const struct fore_stuck_order *o)
{
    const char **texts = FORE_NEW_ARRAY(&f->arena, const char *, o->n + 1);
    for (size_t i = 0; o->states && i < o->n; i++)
        texts[i] = short_text(f, o->states[i]);
    return texts;
}

/* The longest order, and for each operation the longest that has it. */
static void draw_orders(const struct fore_linear *l, struct fore_findings *f,
                        struct fore_finding *x)
{
    if (!l->why.orders.n)
        return;
    const struct fore_stuck_order *o = &l->why.orders.at[0];
    const char *const *states = short_states(f, o);
    for (size_t i = 0; i < o->n; i++) {
        fore_vec_push(&x->timeline.order, o->ops[i]);
        if (o->states)
            fore_vec_push(&x->timeline.states, states[i]);
    }
    x->timeline.state = short_text(f, o->state);
    for (size_t i = 0; i < l->why.partial.n; i++) {
        const struct fore_stuck_order *p = &l->why.partial.at[i];
        uint32_t *ops = FORE_NEW_ARRAY(&f->arena, uint32_t, p->n + 1);
        if (p->n)
            memcpy(ops, p->ops, p->n * sizeof *ops);
        fore_vec_push(&x->timeline.partial,
                      (struct fore_partial_order){ops, short_states(f, p), p->n});
    }
}

static void draw_history(const struct fore_linear *l, struct fore_findings *f,
                         struct fore_finding *x)
{
    uint64_t end = 0;
    for (size_t i = 0; i < l->why.ops.n; i++) {
        const struct fore_op *op = &l->h.ops.at[l->why.ops.at[i].op];
        if (!l->why.ops.at[i].pending && op->ret >= end)
            end = (uint64_t)op->ret + 1;
    }
    x->timeline.title = x->message;
    size_t first = l->why.ops.n > MAX_DRAWN ? l->why.ops.n - MAX_DRAWN : 0;
    if (first)
        fore_finding_fact(f, x, "shown", "the last %d of these operations", MAX_DRAWN);
    for (size_t i = first; i < l->why.ops.n; i++) {
        const struct fore_explained_op *o = &l->why.ops.at[i];
        const struct fore_op *op = &l->h.ops.at[o->op];
        fore_vec_push(&x->timeline.intervals,
                      (struct fore_interval){process_name(l, f, op->process),
                                             short_text(f, o->text + o->who), op->invoke,
                                             o->pending ? end : op->ret,
                                             o->pending          ? "pending"
                                             : i == l->why.stuck ? "failing"
                                                                 : "",
                                             place_text(l, f, op)});
    }
    if (!first)
        draw_orders(l, f, x);
}

/* Draws the operations of the failing part that are not needed for the explanation. */
static void draw_others(const struct fore_linear *l, struct fore_findings *f,
                        struct fore_finding *x)
{
    enum { MOST_OTHERS = 2000 };
    const struct fore_lin_part *p = &l->result.parts.at[l->result.failing];
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (size_t i = 0; i < l->h.ops.n && x->timeline.others.n < MOST_OTHERS; i++) {
        const struct fore_op *op = &l->h.ops.at[i];
        size_t k = 0;
        while (k < l->why.ops.n && l->why.ops.at[k].op != i)
            k++;
        if (k < l->why.ops.n ||
            (l->criterion != FORE_SEQUENTIAL && op->object != p->object))
            continue;
        fore_strbuf_clear(&b);
        fore_op_text(l->h.model, &l->h.values, op, &b);
        bool open = fore_op_pending(op);
        fore_vec_push(
            &x->timeline.others,
            (struct fore_interval){process_name(l, f, op->process), short_text(f, b.at),
                                   op->invoke, open ? op->invoke : op->ret,
                                   open ? "pending" : "", place_text(l, f, op)});
    }
    fore_strbuf_release(&b);
}

static void add_place(const struct fore_linear *l, struct fore_findings *f,
                      struct fore_finding *x)
{
    const struct fore_explained_op *o = &l->why.ops.at[l->why.stuck];
    const struct fore_op *op = &l->h.ops.at[o->op];
    const char *process = process_name(l, f, op->process);
    const char *at = place_text(l, f, op);
    fore_vec_push(&x->places,
                  (struct fore_place){.role = "stuck",
                                      .thread = process,
                                      .name = "",
                                      .path = process,
                                      .event = short_text(f, o->text + o->who),
                                      .location = at,
                                      .function = "",
                                      .source = "",
                                      .index = op->invoke,
                                      .committed = FORE_YES});
}

/* The lines "thread: event" as steps; people see the timeline, which says the same. */
static void add_steps(struct fore_findings *f, struct fore_finding *x)
{
    for (const char *line = x->witness_trace, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        const char *colon = strstr(line, ": ");
        if (!colon || colon > end)
            continue;
        const char *thread = fore_arena_strndup(&f->arena, line, (size_t)(colon - line));
        uint64_t index = 0;
        for (size_t i = 0; i < x->witness.n; i++)
            index += strcmp(x->witness.at[i].thread, thread) == 0;
        fore_vec_push(&x->witness, (struct fore_step){.thread = thread,
                                                      .name = "",
                                                      .path = thread,
                                                      .event = fore_arena_strndup(
                                                          &f->arena, colon + 2,
                                                          (size_t)(end - colon - 2)),
                                                      .location = "",
                                                      .note = "",
                                                      .state = "",
                                                      .index = index,
                                                      .irrelevant = true});
    }
    if (x->witness.n)
        fore_vec_last(&x->witness).note = "BAD";
}

static void add_witness(const struct fore_linear *l, struct fore_findings *f,
                        struct fore_finding *x)
{
    static const char *const names[] = {"linearizability", "sequential_consistency"};
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_history_witness_text(&l->h, l->why.witness.at, l->why.witness.n, l->why.cut,
                              l->why.has_init ? &l->why.init : NULL, names[l->criterion],
                              &b);
    x->witness_trace = fore_arena_strndup(&f->arena, b.at, b.n);
    x->witness_of = l->criterion == FORE_SEQUENTIAL ? FORE_WITNESS_OF_SEQUENTIAL_HISTORY
                                                    : FORE_WITNESS_OF_HISTORY;
    fore_strbuf_release(&b);
    if (l->why.witness.n <= MAX_STEPS)
        add_steps(f, x);
}

static void add_finding(const struct fore_linear *l, struct fore_findings *f)
{
    const struct fore_lin_part *p = &l->result.parts.at[l->result.failing];
    struct fore_finding *x =
        fore_findings_add(f, "not-linearizable", FORE_VERDICT_OBSERVED);
    const char *object = object_name(l, f, p);
    x->object = object;
    x->object_kind = FORE_OBJ_OBJECT;
    x->trace = fore_arena_strdup(&f->arena, l->h.name);
    say_message(l, object, f, x);
    add_witness(l, f, x);
    add_place(l, f, x);
    draw_history(l, f, x);
    draw_others(l, f, x);
    if (l->why.earlier)
        fore_finding_fact(f, x, "before", "%zu earlier operations lead to that state",
                          l->why.earlier);
    say_orders(l, f, x);
    say_forced(l, f, x);
    if (l->why.idle)
        fore_finding_fact(f, x, "also",
                          "%zu operation%s that never returned; none of them explains it",
                          l->why.idle, l->why.idle == 1 ? "" : "s");
}

void fore_linear_order(const struct fore_linear *l, struct fore_findings *f)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (l->result.verdict != FORE_LIN_YES)
        return;
    for (size_t k = 0; k < l->result.parts.n; k++) {
        const struct fore_lin_part *p = &l->result.parts.at[k];
        fore_strbuf_clear(&b);
        for (size_t i = 0; i < p->n_order; i++) {
            fore_strbuf_puts(&b, i ? " < " : "");
            fore_op_text(l->h.model, &l->h.values, &l->h.ops.at[p->order[i]], &b);
        }
        fore_findings_remark(f, "  %s: %s", object_name(l, f, p), b.at);
    }
    fore_strbuf_release(&b);
}

void fore_linear_remark(const struct fore_linear_summary *s, struct fore_findings *f)
{
    bool unknown = s->verdict == FORE_LIN_UNKNOWN;
    fore_findings_remark(
        f, "%s: %s (%s, %" PRIu64 " operation%s, %" PRIu64 " partition%s%s%s)", s->name,
        verdict_words(s->criterion, s->verdict), s->object, s->operations,
        s->operations == 1 ? "" : "s", s->partitions, s->partitions == 1 ? "" : "s",
        unknown ? ", spent: " : "", unknown ? s->bound : "");
    if (unknown)
        fore_findings_incomplete(f, "%s: %s spent after %" PRIu64 " configurations",
                                 s->name, s->bound, s->configs);
}

void fore_linear_find(const struct fore_linear *l, struct fore_findings *f)
{
    if (l->result.verdict == FORE_LIN_NO)
        add_finding(l, f);
}

void fore_linear_report(const struct fore_linear *l, bool with_order,
                        struct fore_findings *f)
{
    struct fore_linear_summary s = fore_linear_sum(l);
    fore_linear_remark(&s, f);
    fore_linear_find(l, f);
    if (with_order)
        fore_linear_order(l, f);
}

struct fore_linear_summary fore_linear_sum(const struct fore_linear *l)
{
    const struct fore_lin_result *r = &l->result;
    struct fore_linear_summary s = {.name = l->h.name,
                                    .object = l->h.model->name,
                                    .bound = r->bound,
                                    .criterion = l->criterion,
                                    .verdict = r->verdict,
                                    .operations = l->h.ops.n,
                                    .partitions = r->parts.n,
                                    .configs = r->configs,
                                    .parse_ns = l->parse_ns,
                                    .search_ns = l->search_ns};
    for (size_t i = 0; i < r->parts.n; i++)
        s.special += r->parts.at[i].special;
    return s;
}

static void one_stats(const struct fore_linear_summary *s, struct fore_jsonw *w)
{
    fore_jsonw_text(w, "verdict", verdict_name(s->criterion, s->verdict));
    fore_jsonw_text(w, "object", s->object);
    fore_jsonw_u64(w, "operations", s->operations);
    fore_jsonw_u64(w, "partitions", s->partitions);
    fore_jsonw_u64(w, "by_special_algorithm", s->special);
    fore_jsonw_u64(w, "configurations", s->configs);
    fore_jsonw_text(w, "bound", s->bound);
    if (s->parse_ns) {
        fore_jsonw_real(w, "parse", (double)s->parse_ns / 1e9);
        fore_jsonw_real(w, "search", (double)s->search_ns / 1e9);
    }
}

/* Worst first: not linearizable, unknown, linearizable. */
static int badness(enum fore_lin verdict)
{
    static const int of[] = {
        [FORE_LIN_YES] = 0, [FORE_LIN_UNKNOWN] = 1, [FORE_LIN_NO] = 2};
    return of[verdict];
}

void fore_linear_add(struct fore_linear_summary *to,
                     const struct fore_linear_summary *share)
{
    if (badness(share->verdict) > badness(to->verdict)) {
        to->verdict = share->verdict;
        to->bound = share->bound;
    }
    to->special += share->special;
    to->configs += share->configs;
    if (share->parse_ns > to->parse_ns) /* they were read at the same time */
        to->parse_ns = share->parse_ns;
    if (share->search_ns > to->search_ns)
        to->search_ns = share->search_ns;
}

static void total_stats(const struct fore_linear_summary *all, size_t n,
                        struct fore_jsonw *w)
{
    const struct fore_linear_summary *worst = all;
    uint64_t operations = 0, partitions = 0, configs = 0;
    for (size_t i = 0; i < n; i++) {
        worst = badness(all[i].verdict) > badness(worst->verdict) ? &all[i] : worst;
        operations += all[i].operations;
        partitions += all[i].partitions;
        configs += all[i].configs;
    }
    fore_jsonw_text(w, "verdict", verdict_name(worst->criterion, worst->verdict));
    fore_jsonw_u64(w, "operations", operations);
    fore_jsonw_u64(w, "partitions", partitions);
    fore_jsonw_u64(w, "configurations", configs);
    fore_jsonw_open(w, "histories", '[');
    for (size_t i = 0; i < n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "name", all[i].name);
        one_stats(&all[i], w);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

void fore_linear_stats(const struct fore_linear_summary *all, size_t n,
                       struct fore_findings *f)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    if (!n)
        return;
    fore_jsonw_init(&w, &b);
    fore_jsonw_open(&w, NULL, '{');
    if (n == 1)
        one_stats(all, &w);
    else
        total_stats(all, n, &w);
    fore_jsonw_close(&w, '}');
    fore_findings_stats(f, "linear", b.at);
    fore_strbuf_release(&b);
}
