/* Predicts: alternative communications; sends, receives and closes that can come after a close.
 * Sound:    yes: each finding has a run, taken step by step on the machine, in which every
 *           thread does what it recorded until the two meet. (If the program is deterministic
 *           between its recorded events.)
 * Complete: `replay`: for all replays. `clocks`: except for what docs/theory/channels.md lists.
 * Cost:     clocks: near linear; replay: exponential; graph: quadratic.
 * Source:   [goscout], definitions 11 to 19. */
#include "analysis/channel/channel.h"

#include "analysis/channel/clocks.h"
#include "analysis/channel/comm_finding.h"
#include "analysis/channel/explore.h"
#include "analysis/channel/graph.h"
#include "analysis/channel/outline.h"
#include "analysis/channel/schedules.h"
#include "base/jsonw.h"
#include "base/progress.h"
#include "causal/settle.h"

#include <stdio.h>

enum model { MODEL_CLOCKS, MODEL_REPLAY, MODEL_GRAPH };

enum { MOST_STATES = 1 << 18, MOST_COUNTED = 1 << 17, MOST_LISTED = 100000 };
/* In a trace of LONG events or more, the survey decides what must be analysed, and
 * schedules are counted in the first HEAD events only. */
enum { LONG = 1 << 17, HEAD = 1 << 13, HEAD_COUNTED = 1 << 13 };
/* Number of events that make a second thread worthwhile. */
enum { PARALLEL = 1 << 15 };
/* Notes get a tenth of the work unless they were asked for: of a run of more than
 * LEAST_NOTED steps, only the beginning is searched for them. */
enum { LEAST_NOTED = 1 << 14, NOTED_PART = 10 };
/* The same, counted in events, for traces of at least LONG_PART events in which only the notes
 * need more than the survey. */
enum { LONG_PART = 1 << 15, LEAST_HEAD = 1 << 11, MOST_HEAD = 1 << 15, HEAD_PART = 64 };

struct channel_job {
    const struct fore_trace *t;
    struct fore_analysis_ctx *ctx;
    const struct fore_program *p;
    struct fore_comm c;
    struct fore_reach reach;
    struct fore_groups groups;
    unsigned model, buffers;
    uint64_t listed;
    uint64_t counted[FORE_COMM_RULES];
    bool exact;
    const struct fore_outline *outline; /* of a long trace, of which `t` is the head */
    struct fore_schedules schedules;
    struct fore_budget for_notes; /* unless notes were asked for */
    uint64_t began;               /* by fore_cpu_ns */
    uint64_t untold;              /* groups of notes for which there was no time */
    struct fore_strbuf list;      /* of schedules, JSON */
    size_t list_n;
};

static const struct fore_option options[] = {
    {"model", 0, "M",
     "how to find which send could have met which receive: clocks (default), replay "
     "(exact, for small traces) or graph"},
    {"schedules", 0, "N", "also list the first N schedules of the channel operations"},
    {"buffers", 0, "B",
     "buffered channels: exact (default), or unbounded (regardless of order and "
     "capacity)"},
    {NULL, 0, NULL, NULL},
};

static enum fore_status read_options(struct channel_job *j, struct fore_err *e)
{
    const struct fore_params *p = j->ctx->params;
    FORE_TRY(fore_params_choice(p, "model", "clocks|replay|graph", MODEL_CLOCKS,
                                &j->model, e));
    FORE_TRY(fore_params_choice(p, "buffers", "exact|unbounded", 0, &j->buffers, e));
    return fore_params_u64(p, "schedules", 0, &j->listed, e);
}

static enum fore_status channel_accepts(const struct fore_params *params,
                                        struct fore_err *e)
{
    struct fore_analysis_ctx ctx = {.params = params};
    struct channel_job j = {.ctx = &ctx};
    return read_options(&j, e);
}

/* ---- alternatives -------------------------------------------------------------------------------- */

/* The operation that an event ends, or that it announces if that never ended. */
static uint32_t op_of(const struct fore_program *p, uint32_t event)
{
    uint32_t thread = p->trace->events.at[event].thread;
    uint32_t lo = p->first[thread], hi = p->first[thread + 1];
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const struct fore_insn *o = &p->ops[mid];
        if ((o->pre != FORE_NO_EVENT ? o->pre : o->done) <= event)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static void take_outline(struct channel_job *j)
{
    for (size_t i = 0; i < j->outline->groups.n; i++) {
        const struct fore_outline_group *g = &j->outline->groups.at[i];
        struct fore_comm_group x = {
            .where_a = g->where_send, .where_b = g->where_receive, .count = g->count};
        x.rule = FORE_COMM_ALTERNATIVE;
        x.sample[x.samples++] =
            (struct fore_comm_pair){FORE_COMM_ALTERNATIVE, g->chan, op_of(j->p, g->send),
                                    op_of(j->p, g->receive)};
        fore_vec_push(&j->groups.list, x);
    }
}

/* Did the outline find all alternatives? */
static bool is_counted(const struct channel_job *j)
{
    return j->outline && !j->outline->in_part;
}

static void find_pairs(struct channel_job *j)
{
    struct fore_dependencies d;
    if (is_counted(j)) {
        take_outline(j);
    } else if (j->model == MODEL_REPLAY) {
        if (!fore_comm_explore(&j->c, MOST_STATES, &j->groups.sink))
            fore_findings_incomplete(j->ctx->out, "channels: only %d states were tried",
                                     MOST_STATES);
    } else if (j->model == MODEL_GRAPH) {
        fore_dependencies_build(&d, &j->c);
        if (!fore_dependencies_pairs(&d, &j->groups.sink))
            fore_findings_incomplete(j->ctx->out, "channels: the graph is too large");
        fore_dependencies_release(&d);
    } else {
        uint64_t shortened = fore_comm_clocks(&j->c, &j->groups);
        if (shortened)
            fore_findings_incomplete(j->ctx->out,
                                     "channels: of %llu, which too many threads use, "
                                     "only the beginning was looked at",
                                     (unsigned long long)shortened);
    }
}

/* Does the model allow pairs that have no run? */
static bool must_verify(const struct channel_job *j)
{
    return j->model == MODEL_CLOCKS && (!j->c.simple || j->c.queues) && !j->c.unbounded &&
           !is_counted(j);
}

static void count_pairs(struct channel_job *j)
{
    j->exact = true;
    for (size_t i = 0; i < j->groups.list.n; i++) {
        const struct fore_comm_group *g = &j->groups.list.at[i];
        j->counted[g->rule] += g->count;
        j->exact &= g->exact;
    }
}

/* Notes get a tenth of the time, but at least this much if they are about the whole trace. It is
 * processor time, because the report of a small trace must not depend on how busy the machine
 * is. */
enum { NOTES_LEAST_NS = 25 * 1000 * 1000 };

static struct fore_budget *note_budget(void *job)
{
    struct channel_job *j = job;
    if (j->ctx->notes)
        return j->ctx->budget;
    if (j->for_notes.most_cpu_ns)
        return &j->for_notes;
    /* If only notes were looked for, their time is measured against that of reading. */
    bool alone = j->outline && j->outline->in_part;
    uint64_t now = fore_cpu_ns(), tenth = (alone ? now : now - j->began) / 9;
    uint64_t least = j->c.noted == j->c.steps && !alone ? NOTES_LEAST_NS : 0;
    j->for_notes = (struct fore_budget){
        .deadline_ns = j->ctx->budget->deadline_ns,
        .most_cpu_ns = now + (tenth > least ? tenth : least),
        .interrupted = j->ctx->budget->interrupted,
        .max_bytes = j->ctx->budget->max_bytes,
    };
    if (j->ctx->budget->most_cpu_ns &&
        j->ctx->budget->most_cpu_ns < j->for_notes.most_cpu_ns)
        j->for_notes.most_cpu_ns = j->ctx->budget->most_cpu_ns;
    return &j->for_notes;
}

/* The graph, and buffers without end, allow pairs that have no run: these are kept as possible. */
static void verify_groups(struct channel_job *j)
{
    bool approximate = j->model == MODEL_GRAPH || j->c.unbounded;
    for (size_t i = 0; approximate && i < j->groups.list.n; i++) {
        struct fore_comm_group *g = &j->groups.list.at[i];
        for (uint32_t k = 0; k < g->samples && !g->verified; k++)
            if (fore_reach_find(&j->reach, g->sample[k])) {
                g->sample[0] = g->sample[k];
                g->verified = true;
            }
    }
    if (!approximate)
        fore_groups_verify(&j->groups, &j->reach, note_budget, j);
    if (j->groups.unlooked)
        fore_findings_incomplete(j->ctx->out, "channels: not every pair was tried");
    if (j->groups.sampled)
        fore_findings_sampled(j->ctx->out,
                              "channels: of very many pairs at the same places a few "
                              "were tried");
    j->untold += j->groups.untold;
    if (j->reach.gave_up)
        fore_findings_sampled(
            j->ctx->out,
            "channels: some pairs need more changes to the run than were tried");
}

static enum fore_status tell_all(struct channel_job *j, struct fore_err *e)
{
    struct fore_comm_teller t = {.c = &j->c, .reach = &j->reach, .out = j->ctx->out};
    enum fore_status st = FORE_OK;
    for (int notes = 0; notes < 2; notes++)
        for (size_t i = 0; st == FORE_OK && i < j->groups.list.n; i++) {
            const struct fore_comm_group *g = &j->groups.list.at[i];
            if (fore_comm_is_note(g->rule) != notes)
                continue;
            if (notes && fore_budget_spent_now(note_budget(j)))
                j->untold++;
            else
                st = fore_comm_tell(&t, g, e);
        }
    fore_comm_tell_release(&t);
    return st;
}

/* ---- schedules
 * --------------------------------------------------------------------------------------- */

/* "2->5 r", "6 default" and the like: a communication in words of a listing. */
static void communication_text(const struct channel_job *j, uint32_t op,
                               struct fore_strbuf *out)
{
    const struct fore_tables *t = &j->t->tables;
    const struct fore_event *e = fore_insn_event(j->p, op);
    uint32_t link = j->p->ops[op].link;
    const char *name = fore_tables_name(t, e->object);
    fore_strbuf_puts(out, fore_tables_label(t, e->thread));
    if (e->kind == FORE_EV_SELECT)
        fore_strbuf_puts(out, e->flags & FORE_F_TIMEOUT ? ":timeout" : ":default");
    else if (e->flags & FORE_F_CLOSED)
        fore_strbuf_printf(out, ":0#%s?", name);
    else if (fore_chan_capacity(j->p, e->object))
        fore_strbuf_printf(out, ":%s%s", name, e->kind == FORE_EV_SEND ? "!" : "?");
    else
        fore_strbuf_printf(out, ":%s!%s", name,
                           fore_tables_label(t, fore_insn_thread(j->p, link)));
}

static void list_one(void *ctx, const uint32_t *ops, size_t n)
{
    struct channel_job *j = ctx;
    struct fore_strbuf line = FORE_STRBUF_INIT;
    fore_strbuf_puts(&j->list, j->list_n ? ", [" : "[[");
    for (size_t i = 0; i < n; i++) {
        size_t from = line.n;
        if (i) {
            fore_strbuf_putc(&line, ' ');
            fore_strbuf_puts(&j->list, ", ");
            from++;
        }
        communication_text(j, ops[i], &line);
        fore_strbuf_json(&j->list, line.at + from, line.n - from);
    }
    fore_strbuf_putc(&j->list, ']');
    j->list_n++;
    fore_findings_remark(j->ctx->out, "schedule %zu: %s", j->list_n, line.at);
    fore_strbuf_release(&line);
}

/* Each schedule of the head goes on as the observed run did, unless buffers hold something else. */
static void count_schedules(struct channel_job *j)
{
    fore_schedules_count(&j->c, j->outline ? HEAD_COUNTED : MOST_COUNTED, &j->schedules);
    if (j->outline && j->c.queues)
        fore_big_set(&j->schedules.count, 1);
    if (j->outline)
        j->schedules.exact = false;
}

/* The listing ends early where an order is hard to complete, and knows only threads and channels. */
static void list_schedules(struct channel_job *j)
{
    uint64_t all,
        n = fore_schedules_list(&j->c, j->listed < MOST_LISTED ? j->listed : MOST_LISTED,
                                list_one, j);
    bool known = j->schedules.exact && fore_big_u64(&j->schedules.count, &all);
    if (n < j->listed && !(known && n == all))
        fore_findings_sampled(j->ctx->out, "channels: only %zu schedules were listed",
                              (size_t)n);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Were notes looked for in a part of the run only? */
static bool in_part(const struct channel_job *j)
{
    return j->c.busy && (j->c.noted < j->c.steps || (j->outline && j->outline->in_part));
}

/* Is the number of pairs exact, of all steps? */
static bool counts_all(const struct channel_job *j, enum fore_comm_rule rule)
{
    return j->exact && !(fore_comm_is_note(rule) && in_part(j));
}

static void write_count(struct fore_jsonw *w, const struct channel_job *j,
                        const char *key, enum fore_comm_rule rule)
{
    char bound[64];
    if (counts_all(j, rule)) {
        fore_jsonw_u64(w, key, j->counted[rule]);
        return;
    }
    snprintf(bound, sizeof bound, "%s_at_most", key);
    fore_jsonw_null(w, key);
    fore_jsonw_u64(w, bound, j->counted[rule]);
}

static void write_stats(struct channel_job *j)
{
    static const char *const models[] = {"clocks", "replay", "graph"};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "model", models[j->model]);
    if (j->schedules.exact) {
        fore_jsonw_big(&w, "schedules", &j->schedules.count);
    } else {
        fore_jsonw_null(&w, "schedules");
        fore_jsonw_big(&w, "schedules_at_least", &j->schedules.count);
    }
    if (in_part(j))
        fore_jsonw_u64(&w, "notes_among_first_steps", j->c.noted);
    write_count(&w, j, "alternative_communications", FORE_COMM_ALTERNATIVE);
    write_count(&w, j, "sends_after_close", FORE_COMM_SEND);
    write_count(&w, j, "receives_after_close", FORE_COMM_RECEIVE);
    if (j->listed) {
        fore_strbuf_puts(&j->list, j->list_n ? "]" : "[]");
        fore_jsonw_raw(&w, "schedule_list", j->list.at);
    }
    fore_jsonw_close(&w, '}');
    fore_findings_stats(j->ctx->out, "channels", out.at);
    fore_strbuf_release(&out);
}

static void write_remark(struct channel_job *j)
{
    struct fore_strbuf n = FORE_STRBUF_INIT;
    if (j->ctx->brief)
        return;
    fore_big_text(&j->schedules.count, &n);
    uint64_t alternatives = j->counted[FORE_COMM_ALTERNATIVE];
    fore_findings_remark(j->ctx->out,
                         "channels: %s%s schedule%s, %s%llu alternative "
                         "communication%s",
                         j->schedules.exact ? "" : "at least ", n.at,
                         n.n == 1 && n.at[0] == '1' ? "" : "s",
                         counts_all(j, FORE_COMM_ALTERNATIVE) ? "" : "up to ",
                         (unsigned long long)alternatives, alternatives == 1 ? "" : "s");
    fore_strbuf_release(&n);
    if (in_part(j) && j->outline)
        fore_findings_remark(j->ctx->out,
                             "channels: these are of the first %zu of %zu events "
                             "(--notes looks at all of them)",
                             j->outline->head, fore_trace_length(j->outline->t));
    else if (in_part(j))
        fore_findings_remark(j->ctx->out,
                             "channels: these are of the first %u of %u steps (--notes "
                             "looks at all of them)",
                             j->c.noted, j->c.steps);
    if (j->untold)
        fore_findings_remark(j->ctx->out,
                             "channels: notes about %llu more pairs of places were not "
                             "looked into (--notes does)",
                             (unsigned long long)j->untold);
}

static enum fore_status analyse_channels(struct channel_job *j, struct fore_err *e)
{
    struct fore_dependencies d;
    if (j->ctx->graph) {
        fore_dependencies_build(&d, &j->c);
        fore_dependencies_draw(&d, j->ctx->out);
        fore_dependencies_release(&d);
        return FORE_OK;
    }
    fore_reach_init(&j->reach, &j->c);
    fore_groups_init(&j->groups, &j->c, must_verify(j));
    find_pairs(j);
    verify_groups(j);
    count_pairs(j);
    enum fore_status st = tell_all(j, e);
    count_schedules(j);
    if (j->listed)
        list_schedules(j);
    write_stats(j);
    write_remark(j);
    fore_groups_release(&j->groups);
    fore_reach_release(&j->reach);
    fore_big_release(&j->schedules.count);
    fore_strbuf_release(&j->list);
    return st;
}

static uint32_t noted_steps(uint32_t steps)
{
    uint32_t part = steps / NOTED_PART;
    part = part > LEAST_NOTED ? part : LEAST_NOTED;
    return part < steps ? part : steps;
}

static enum fore_status run_on(struct channel_job *j, struct fore_run *o,
                               struct fore_err *e)
{
    FORE_TRY(fore_run_replay(o, j->t, e));
    j->p = &o->p;
    j->c.budget = j->ctx->budget;
    j->c.unbounded = j->buffers == 1;
    j->c.jobs = j->t->events.n >= PARALLEL ? j->ctx->jobs : 1;
    if (!j->ctx->notes && j->model == MODEL_CLOCKS && !j->c.unbounded)
        j->c.noted = noted_steps(o->steps);
    fore_comm_build(&j->c, o);
    enum fore_status st = analyse_channels(j, e);
    fore_comm_release(&j->c);
    return st;
}

/* Looks at the survey of a long trace first. */
static bool make_outline(struct fore_outline *o, const struct fore_trace *t, bool notes,
                         struct fore_budget *budget)
{
    size_t n = fore_trace_length(t), part = n / HEAD_PART;
    part = part < LEAST_HEAD ? LEAST_HEAD : part > MOST_HEAD ? MOST_HEAD : part;
    if (n < LONG_PART || !fore_outline_make(o, t, HEAD, !notes, budget) ||
        (n < LONG && !o->in_part))
        return false;
    if (o->in_part)
        o->head = part < t->events.n ? part : t->events.n;
    return true;
}

/* Makes a head of its own, because the order of a brief trace is not settled yet. */
static void take_part(struct fore_trace *head, const struct fore_outline *o)
{
    struct fore_event *own = fore_alloc((o->head + 1) * sizeof *own);
    memcpy(own, head->events.at, o->head * sizeof *own);
    head->events.at = own;
    fore_trace_settle(head);
}

static enum fore_status run_channel(const struct fore_trace *t,
                                    struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct channel_job j = {
        .t = t, .ctx = ctx, .began = fore_cpu_ns(), .list = FORE_STRBUF_INIT};
    struct fore_outline outline = {0};
    struct fore_run own = {0};
    bool shares = ctx->observed != NULL;
    FORE_TRY(read_options(&j, e));
    struct fore_trace head = *t; /* it owns nothing, except perhaps its events */
    if (j.model == MODEL_CLOCKS && !j.buffers && !j.listed && !ctx->graph &&
        make_outline(&outline, t, ctx->notes, ctx->budget)) {
        head.events.n = outline.head;
        head.brief = false;
        j.t = &head;
        j.outline = &outline;
        shares = false;
        if (outline.in_part)
            take_part(&head, &outline);
    }
    FORE_BUG_IF(j.t->brief);
    enum fore_status st = run_on(&j, shares ? ctx->observed : &own, e);
    fore_run_release(&own);
    fore_outline_release(&outline);
    if (head.events.at != t->events.at)
        fore_vec_release(&head.events);
    return st;
}

static bool channel_applies(const struct fore_trace *t, const struct fore_params *params)
{
    (void)params;
    return fore_trace_has_group(t, FORE_GROUP_CHANNEL);
}

static bool channel_brief(const struct fore_trace *t, const struct fore_analysis_ctx *ctx)
{
    for (const struct fore_option *o = options; o->name; o++)
        if (fore_params_has(ctx->params, o->name))
            return false;
    struct fore_outline o = {0};
    bool enough = make_outline(&o, t, ctx->notes, NULL);
    fore_outline_release(&o);
    return enough;
}

const struct fore_analysis fore_analysis_channel = {
    .name = "channels",
    .summary = "what else could have been received, and after which close",
    .rules = "alternative-communication,send-on-closed,receive-on-closed,close-of-closed",
    .graph = "dependencies",
    .options = options,
    .accepts = channel_accepts,
    .applies = channel_applies,
    .brief = channel_brief,
    .run = run_channel,
};
