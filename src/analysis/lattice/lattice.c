/* The analysis: a specification and a trace (or a stream) in, findings out. observer.c says what
 * is computed and claimed. */
#include "analysis/lattice/lattice.h"

#include "analysis/lattice/lattice_state.h"
#include "analysis/lattice/property_finding.h"
#include "analysis/lattice/schedule.h"
#include "causal/settle.h"

#include <stdio.h>
#include <string.h>

enum {
    SEEN_KEPT = 1024,  /* of a stream: the last writes of the observed run */
    MOST_PICTURED = 60 /* states of a lattice whose findings get its picture */
};

/* -- Opening and closing ----------------------------------------------------------- */

static void lattice_release(struct fore_lattice *l)
{
    if (l->observer)
        fore_observer_free(l->observer);
    fore_relevant_free(l->relevant);
    fore_clocks_release(&l->clocks);
    fore_exclusive_free(l->exclusive);
    fore_watch_release(&l->watch);
    fore_binding_release(&l->binding);
    fore_spec_release(&l->spec);
    fore_vec_release(&l->seen.v);
    fore_vec_release(&l->past);
    fore_vec_release(&l->counts);
    fore_drawing_release(&l->drawing);
    fore_graph_release(&l->picture);
    fore_free(l->told);
}

static enum fore_status lattice_init(struct fore_lattice *l,
                                     struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    *l = (struct fore_lattice){.ctx = ctx};
    fore_clocks_init(&l->clocks);
    const char *text = fore_params_text(ctx->params, "spec-text", NULL); /* of a demo */
    if (text)
        FORE_TRY(fore_spec_parse(&l->spec, "<demo>", text, strlen(text), e));
    else
        FORE_TRY(fore_spec_load(&l->spec, fore_params_text(ctx->params, "spec", ""), e));
    FORE_TRY(fore_lattice_read_options(l, e));
    FORE_TRY(fore_watch_init(&l->watch, &l->spec, e));
    l->binding.spec = &l->spec;
    l->told = fore_calloc(l->watch.props + 1u, sizeof *l->told);
    l->draws = ctx->graph && !strcmp(ctx->graph, "lattice");
    return FORE_OK;
}

/* -- Events ------------------------------------------------------------------------ */

/* A trylock that failed needs the lock to be held, which clocks do not say. */
static bool is_failed_attempt(const struct fore_event *e)
{
    return (e->kind == FORE_EV_TRYLOCK || e->kind == FORE_EV_TRYRLOCK) &&
           e->flags & FORE_F_BUSY;
}

static bool has_failed_attempt(const struct fore_trace *t)
{
    for (size_t i = 0; i < t->events.n; i++)
        if (is_failed_attempt(&t->events.at[i]))
            return true;
    return false;
}

static bool is_relevant(void *ctx, const struct fore_event *e)
{
    struct fore_lattice *l = ctx;
    l->attempts = l->attempts || is_failed_attempt(e);
    return fore_binding_var(&l->binding, l->tables, e) >= 0 ||
           (l->exclusive && fore_exclusive_wants(e));
}

/* The clock's entries, without the thread's own. */
static void collect_past(struct fore_lattice *l, const struct fore_moment *m)
{
    fore_vec_clear(&l->past);
    uint32_t thread = 1, count;
    for (; fore_clock_next(&l->clocks, m->stamp.past, &thread, &count); thread++)
        if (thread != m->stamp.thread)
            fore_vec_push(&l->past, (struct fore_past){thread, count});
}

/* A whole trace can be read again; of a stream, the end is kept. */
static void note_seen(struct fore_lattice *l, const struct fore_lattice_step *s)
{
    if (l->trace)
        return;
    if (l->seen.v.n >= 2 * SEEN_KEPT) {
        memmove(l->seen.v.at, l->seen.v.at + l->seen.v.n - SEEN_KEPT,
                SEEN_KEPT * sizeof *l->seen.v.at);
        l->seen.v.n = SEEN_KEPT;
        l->overflowed = true;
    }
    fore_vec_push(&l->seen.v, *s);
}

static enum fore_flow deliver_moment(void *ctx, const struct fore_moment *m)
{
    struct fore_lattice *l = ctx;
    int var = fore_binding_var(&l->binding, l->tables, m->event);
    struct fore_observation message = {
        .thread = m->stamp.thread,
        .number = m->stamp.time,
        .step = {.event = *m->event,
                 .at = m->at,
                 .index = m->index - 1,
                 .var = (uint32_t)var},
    };
    collect_past(l, m);
    message.past = l->past.at;
    message.past_count = (uint32_t)l->past.n;
    if (var >= 0) {
        message.value = fore_written_value(m->event);
        note_seen(l, &message.step);
    }
    if (l->exclusive) {
        fore_exclusive_message(l->exclusive, &message, var >= 0);
        return FORE_CONTINUE;
    }
    return fore_observer_message(l->observer, &message, true) ? FORE_CONTINUE : FORE_STOP;
}

/* With a window of one, clocks are not needed. */
static bool observe_only(struct fore_lattice *l, const struct fore_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct fore_event *e = &b->events[i];
        fore_vec_ensure(&l->counts, e->thread + 1u);
        uint32_t index = l->counts.at[e->thread]++;
        int var = fore_binding_var(&l->binding, l->tables, e);
        if (var >= 0) {
            struct fore_lattice_step s = {*e, l->position, index, (uint32_t)var};
            note_seen(l, &s);
            fore_observer_write(l->observer, (uint32_t)var, fore_written_value(e));
        }
        l->position++;
    }
    return !l->ctx->budget || !fore_budget_spent(l->ctx->budget);
}

/* The observed run of a whole trace. */
static void look_back(struct fore_lattice *l)
{
    FORE_VEC(uint32_t) counts = {0};
    for (size_t i = 0; i < l->trace->events.n; i++) {
        const struct fore_event *e = &l->trace->events.at[i];
        fore_vec_ensure(&counts, e->thread + 1u);
        uint32_t index = counts.at[e->thread]++;
        int var = fore_binding_var(&l->binding, l->tables, e);
        if (var >= 0)
            fore_vec_push(&l->seen.v,
                          (struct fore_lattice_step){*e, i, index, (uint32_t)var});
    }
    fore_vec_release(&counts);
}

/* -- Findings ---------------------------------------------------------------------- */

static const char *bound_reached(struct fore_lattice *l)
{
    const struct fore_observer_stats *s = fore_observer_stats(l->observer);
    if (s->stopped)
        return s->stopped;
    if (l->exclusive && fore_exclusive_cut_short(l->exclusive))
        return "too many orders of the lock operations";
    if (!s->pruned)
        return NULL;
    if (l->opt.window == 1)
        return "only the observed run was checked (--window 1)";
    return fore_findings_printf(
        l->ctx->out, "not every state was kept (--window %u --queue %u)", l->opt.window,
        l->opt.queue ? l->opt.queue : 2 * l->opt.window);
}

/* The recorded order broke the property; did the program? If threads were recorded apart, that
 * is certain only in the first state, for a property of one variable (whose writes are ordered),
 * or if every order breaks the property. */
static bool is_certain(const struct fore_lattice *l, uint32_t prop)
{
    const struct fore_observer_stats *s = fore_observer_stats(l->observer);
    const struct fore_violation *v = fore_observer_violation(l->observer, prop);
    uint32_t vars = 0;
    for (uint32_t i = 0; i < l->watch.vars; i++)
        vars += fore_watch_mentions(&l->watch, prop, i);
    return !l->tables->merged || vars == 1 || !v->observed_at ||
           (s->counted && !s->pruned && s->runs.n && !fore_big_cmp(&s->runs, &v->runs));
}

/* Adds the finding, with the witness as far as it goes. */
static struct fore_finding *tell_property(struct fore_lattice *l, uint32_t prop,
                                          bool observed,
                                          struct fore_lattice_steps *witness)
{
    const struct fore_violation *v = fore_observer_violation(l->observer, prop);
    uint64_t forgotten = 0;
    if (observed) {
        /* for a stream the end is kept, and this is called when the violation happens */
        size_t n = l->overflowed ? l->seen.v.n : (size_t)v->observed_at;
        forgotten = v->observed_at - n;
        fore_vec_clear(&witness->v);
        for (size_t i = 0; i < n; i++)
            fore_vec_push(&witness->v, l->seen.v.at[i]);
    } else {
        fore_observer_witness(l->observer, prop, witness);
    }
    struct fore_trace view = {0};
    if (!l->trace) /* the report needs only the names */
        memcpy(&view.tables, l->tables, sizeof view.tables);
    struct fore_told told = {.watch = &l->watch,
                             .prop = prop,
                             .observed = observed,
                             .certain = is_certain(l, prop),
                             .unplayed = l->attempts && !l->exclusive && !observed,
                             .forgotten = forgotten,
                             .witness = witness,
                             .seen = &l->seen};
    return fore_tell(l->ctx->out, l->trace ? l->trace : &view, &told);
}

/* The witness as a trace, if the beginning of the stream is still there. */
static void schedule_stream(struct fore_lattice *l, uint32_t prop, struct fore_finding *x,
                            const struct fore_lattice_steps *witness)
{
    struct fore_err why = {0};
    const struct fore_trace *kept = l->ctx->kept;
    bool there = kept;
    for (size_t i = 0; there && i < witness->v.n; i++)
        there = witness->v.at[i].at < kept->events.n;
    if (!there)
        fore_finding_fact(l->ctx->out, x, "unchecked", "%s",
                          "the run was too long to keep all that the witness needs");
    else if (fore_schedule_witness(l->ctx->out, x, kept, l->mask, witness,
                                   l->spec.props.at[prop].name, &why) != FORE_OK)
        fore_finding_fact(l->ctx->out, x, "unchecked", "%s", why.msg);
}

/* Has the trace no variable, as yet, with some name of the specification? Then there may be none. */
static bool lacks_variables(struct fore_lattice *l)
{
    struct fore_err unheard = {0};
    size_t n = l->tables->objects.n;
    if (l->lacking != n && fore_binding_check(&l->spec, l->tables, &unheard) != FORE_OK)
        l->lacking = n;
    return l->lacking == n;
}

/* A stream's violation is reported at once; its counts follow at the end. */
static void note_violation(void *ctx, uint32_t prop, bool observed)
{
    struct fore_lattice *l = ctx;
    if (l->trace || l->told[prop] || !l->observer || lacks_variables(l))
        return;
    struct fore_lattice_steps witness = {{0}};
    struct fore_finding *x = tell_property(l, prop, observed, &witness);
    l->told[prop] = x;
    if (l->exclusive && !observed)
        fore_exclusive_complete(l->exclusive, &witness);
    schedule_stream(l, prop, x, &witness);
    fore_vec_release(&witness.v);
    if (l->ctx->on_finding)
        l->ctx->on_finding(l->ctx, l->told[prop]);
}

static enum fore_status report_property(struct fore_lattice *l, uint32_t prop,
                                        struct fore_err *e)
{
    const struct fore_violation *v = fore_observer_violation(l->observer, prop);
    if (!v->observed && !v->predicted)
        return FORE_OK;
    struct fore_lattice_steps witness = {{0}};
    struct fore_finding *x = l->told[prop];
    enum fore_status status = FORE_OK;
    if (!x) {
        /* the shortest run that breaks it, unless the observed one is certain to be the
         * program's */
        bool seen = v->observed && (is_certain(l, prop) || !v->predicted);
        x = tell_property(l, prop, seen, &witness);
        if (l->pictures && !seen)
            fore_lattice_draw_finding(l, x, &witness);
        if (l->trace) {
            if (l->exclusive && !seen)
                fore_exclusive_complete(l->exclusive, &witness);
            status = fore_schedule_witness(l->ctx->out, x, l->trace, l->mask, &witness,
                                           l->spec.props.at[prop].name, e);
        }
        if (status == FORE_OK && l->ctx->on_finding)
            l->ctx->on_finding(l->ctx, x);
    }
    if (v->observed && is_certain(l, prop))
        fore_tell_certain(l->ctx->out, x, &l->spec.props.at[prop]);
    fore_tell_counts(l->ctx->out, x, fore_observer_stats(l->observer), v,
                     bound_reached(l));
    fore_vec_release(&witness.v);
    return status;
}

/* -- The report --------------------------------------------------------------------- */

/* Go's hooks watch a member of a type in the first object only, and record for which members
 * there were more objects. */
static void report_members(struct fore_lattice *l)
{
    for (size_t i = 0; i < l->tables->unseen.n; i++) {
        if (!l->tables->unseen.at[i].member)
            continue;
        const char *member = fore_tables_text(l->tables, l->tables->unseen.at[i].member);
        fore_findings_remark(l->ctx->out,
                             "properties: %s was watched only in the first object that "
                             "has it; the program made more",
                             member);
        fore_findings_sampled(l->ctx->out, "%s of one object", member);
    }
}

static enum fore_status report_properties(struct fore_lattice *l, struct fore_err *e)
{
    for (uint32_t p = 0; p < l->watch.props; p++)
        FORE_TRY(report_property(l, p, e));
    fore_tell_figures(l->ctx->out, &l->watch, l->observer);
    report_members(l);
    const char *why = bound_reached(l);
    if (why)
        fore_findings_incomplete(l->ctx->out, "%s", why);
    for (uint32_t p = 0; p < l->watch.props; p++) {
        struct fore_err failure = {0};
        if (fore_monitor_failure(l->watch.monitors[p], &failure) == FORE_OK)
            continue;
        fore_findings_remark(l->ctx->out, "lattice: %s", failure.msg);
        fore_findings_incomplete(l->ctx->out, "monitor %s", l->spec.props.at[p].name);
    }
    return FORE_OK;
}

/* -- Running ----------------------------------------------------------------------- */

static void begin_lattice(struct fore_lattice *l, const struct fore_tables *tables)
{
    l->tables = tables;
    l->started = true;
    fore_binding_initial(&l->spec, tables, l->watch.initial);
    l->opt.ctx = l;
    l->opt.violated = note_violation;
    if (l->exclusive)
        l->opt.space = fore_exclusive_space(l->exclusive);
    if (l->draws || l->pictures) {
        l->opt.state = fore_lattice_draw_state;
        l->opt.edge = fore_lattice_draw_edge;
    }
    l->observer = fore_observer_new(&l->watch, &l->opt);
    for (uint32_t p = 0; p < l->watch.props; p++) /* in the first state already */
        if (fore_observer_violation(l->observer, p)->observed)
            note_violation(l, p, true);
}

/* No more events: the lattice is completed. */
static void complete_levels(struct fore_lattice *l)
{
    if (l->exclusive)
        fore_exclusive_end(l->exclusive, l->observer);
    else
        fore_observer_end(l->observer);
}

static enum fore_status relevant_end(void *ctx, const struct fore_trace_end *end,
                                     struct fore_err *e)
{
    (void)ctx;
    (void)end;
    (void)e;
    return FORE_OK;
}

static void open_clocks(struct fore_lattice *l)
{
    struct fore_relevant_options o = {.mask = l->mask,
                                      .relevant = is_relevant,
                                      .deliver = deliver_moment,
                                      .end = relevant_end,
                                      .ctx = l};
    l->relevant = fore_relevant_new(&l->clocks, &o);
}

/* Does the trace have the variables? If a trace that lost events lacks them, nothing can be said
 * (`*absent`). */
static enum fore_status check_names(struct fore_lattice *l, const struct fore_tables *t,
                                    bool lost, bool *absent, struct fore_err *e)
{
    struct fore_err why = {0};
    *absent = fore_binding_check(&l->spec, t, &why) != FORE_OK;
    if (*absent && lost)
        fore_findings_incomplete(l->ctx->out, "%s", why.msg);
    if (!*absent || lost)
        return FORE_OK;
    *e = why;
    return why.status;
}

static enum fore_status pass_over(struct fore_lattice *l, struct fore_err *e)
{
    const struct fore_trace *t = l->trace;
    begin_lattice(l, &t->tables);
    if (l->opt.window == 1) {
        struct fore_batch all = {&t->tables, t->events.at, t->events.n, t->cases.at,
                                 t->settled};
        observe_only(l, &all);
    } else {
        open_clocks(l);
        FORE_TRY(fore_trace_replay(t, fore_relevant_sink(l->relevant), e));
    }
    complete_levels(l);
    return FORE_OK;
}

/* How many properties are violated in some run (or, `too`, in the observed one). */
static uint32_t count_violations(const struct fore_lattice *l, bool too)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < l->watch.props; p++) {
        const struct fore_violation *v = fore_observer_violation(l->observer, p);
        n += v->predicted || (too && v->observed);
    }
    return n;
}

/* Back to the beginning of the trace. */
static void rewind_trace(struct fore_lattice *l)
{
    fore_observer_free(l->observer);
    fore_relevant_free(l->relevant);
    fore_clocks_release(&l->clocks);
    fore_clocks_init(&l->clocks);
    l->relevant = NULL;
    if (l->exclusive) {
        fore_exclusive_free(l->exclusive);
        l->exclusive = fore_exclusive_new();
    }
}

/* Most properties hold, and the first pass only finds that out. A second pass shows violations
 * and counts the runs that have them. */
static enum fore_status run_trace(struct fore_lattice *l, const struct fore_trace *t,
                                  struct fore_err *e)
{
    bool absent;
    FORE_TRY(check_names(l, &t->tables, t->lost || t->torn, &absent, e));
    if (absent)
        return FORE_OK;
    l->trace = t;
    if (!l->exclusive && l->opt.window != 1 && has_failed_attempt(t))
        l->exclusive = fore_exclusive_new(); /* with the order of locks in the clocks */
    l->opt.detail = l->draws;
    l->tables = &t->tables;
    if (l->draws) {
        look_back(l);
        fore_lattice_draw_threads(l);
    }
    FORE_TRY(pass_over(l, e));
    if (l->draws) {
        fore_lattice_draw_paths(l);
        return FORE_OK;
    }
    if (count_violations(l, true))
        look_back(l);
    if (count_violations(l, false)) {
        l->pictures = fore_observer_stats(l->observer)->states <= MOST_PICTURED;
        if (l->pictures)
            fore_lattice_draw_threads(l);
        l->opt.detail = true;
        l->opt.expected = count_violations(l, false);
        rewind_trace(l);
        FORE_TRY(pass_over(l, e));
    }
    return report_properties(l, e);
}

static enum fore_status run_lattice(const struct fore_trace *t,
                                    struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct fore_lattice l;
    enum fore_status status = lattice_init(&l, ctx, e);
    if (status == FORE_OK)
        status = run_trace(&l, t, e);
    lattice_release(&l);
    return status;
}

static bool lattice_applies(const struct fore_trace *t, const struct fore_params *params)
{
    (void)t;
    return fore_params_has(params, "spec") || fore_params_has(params, "spec-text");
}

/* -- A stream ---------------------------------------------------------------------- */

static enum fore_flow stream_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_lattice *l = (struct fore_lattice *)(void *)s;
    if (!l->started) {
        l->opt.detail = true;
        if (!l->exclusive && !l->opt.window)
            l->opt.mode = FORE_OBSERVE_EAGER;
        begin_lattice(l, b->tables);
        open_clocks(l);
    }
    l->tables = b->tables;
    if (l->opt.window != 1)
        return fore_relevant_sink(l->relevant)
            ->events(fore_relevant_sink(l->relevant), b);
    return observe_only(l, b) ? FORE_CONTINUE : FORE_STOP;
}

/* Withdraws what was reported of the stream. */
static void drop_told(struct fore_lattice *l)
{
    struct fore_findings *f = l->ctx->out;
    size_t kept = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        bool mine = false;
        for (uint32_t p = 0; p < l->watch.props; p++)
            mine |= f->list.at[i] == l->told[p];
        if (mine)
            fore_finding_release(f->list.at[i]);
        else
            f->list.at[kept++] = f->list.at[i];
    }
    f->list.n = kept;
}

/* The violation reported at once was the first that was found. If the whole stream was kept, a
 * second look finds the shortest one, with a picture, as for a file. */
static enum fore_status report_stream(struct fore_lattice *l, struct fore_err *e)
{
    struct fore_trace *whole = l->ctx->whole;
    if (!whole || !count_violations(l, true) || fore_budget_spent_now(l->ctx->budget))
        return report_properties(l, e);
    struct fore_analysis_ctx again = *l->ctx;
    again.on_finding = NULL; /* it was said */
    drop_told(l);
    fore_trace_settle(whole);
    return run_lattice(whole, &again, e);
}

static enum fore_status stream_end(struct fore_sink *s, const struct fore_trace_end *end,
                                   struct fore_err *e)
{
    struct fore_lattice *l = (struct fore_lattice *)(void *)s;
    enum fore_status status = FORE_OK;
    struct fore_sink *clocks = l->relevant ? fore_relevant_sink(l->relevant) : NULL;
    bool absent = false;
    if (l->started)
        status = check_names(l, l->tables, end->lost || end->torn, &absent, e);
    if (status == FORE_OK && clocks)
        status = clocks->end(clocks, end, e);
    if (status == FORE_OK && l->started && !absent) {
        complete_levels(l);
        status = report_stream(l, e);
    }
    lattice_release(l);
    return status;
}

static struct fore_sink *open_stream(struct fore_arena *a, struct fore_analysis_ctx *ctx,
                                     struct fore_err *e)
{
    struct fore_lattice *l = FORE_NEW(a, struct fore_lattice);
    if (lattice_init(l, ctx, e) != FORE_OK) {
        lattice_release(l);
        return NULL;
    }
    l->sink = (struct fore_sink){stream_events, stream_end};
    return &l->sink;
}

const struct fore_analysis fore_analysis_lattice = {
    .name = "lattice",
    .summary = "safety properties over every consistent run",
    .rules = "property-violation",
    .graph = "lattice",
    .options = fore_lattice_options,
    .accepts = fore_lattice_accepts,
    .applies = lattice_applies,
    .run = run_lattice,
    .open = open_stream,
};
