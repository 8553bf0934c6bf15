#include "explore/bug_finding.h"

#include "base/path.h"
#include "explore/script.h"
#include "explore/sequence.h"
#include "explore/story.h"

#include <inttypes.h>
#include <string.h>

struct telling {
    const struct fore_explorer *s;
    struct fore_findings *f;
    struct fore_finding *to;
    uint32_t blamed; /* the operation whose answer fits no order, or UINT32_MAX */
};

static const char *keep_text(struct telling *t, struct fore_strbuf *text)
{
    const char *kept = fore_findings_printf(t->f, "%s", text->at);
    fore_strbuf_clear(text);
    return kept;
}

static bool is_answered(const struct telling *t, uint32_t op)
{
    return t->s->world.answered >> op & 1;
}

static void add_place(struct telling *t, uint32_t op)
{
    const struct fore_harness *h = t->s->world.harness;
    const struct fore_call *c = &h->ops.at[op];
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_actor_text(-(int64_t)op - 1, &text);
    const char *client = keep_text(t, &text);
    fore_call_text(h, c, &text);
    fore_vec_push(
        &t->to->places,
        (struct fore_place){.role = op == t->blamed      ? "blamed"
                                    : is_answered(t, op) ? "operation"
                                                         : "unanswered",
                            .thread = client,
                            .name = "",
                            .path = client,
                            .event = keep_text(t, &text),
                            .location = fore_findings_printf(
                                t->f, "%s:%" PRIu64, fore_base_name(h->file), c->line),
                            .function = "",
                            .source = "",
                            .committed = is_answered(t, op) ? FORE_YES : FORE_NO});
    fore_strbuf_release(&text);
}

/* The operation with what it answered. */
static const char *answer_label(struct telling *t, uint32_t op)
{
    const struct fore_actors *w = &t->s->world;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_call_text(w->harness, &w->harness->ops.at[op], &text);
    for (size_t i = 0; i < w->replies.n; i++)
        if (w->replies.at[i].op == op && !w->replies.at[i].repeated) {
            fore_strbuf_clear(&text);
            fore_story_reply(t->s, &w->replies.at[i], &text);
        }
    const char *label = keep_text(t, &text);
    fore_strbuf_release(&text);
    return label;
}

/* An operation as an interval between the positions of its events in the history. */
static void add_interval(struct telling *t, uint32_t op, const char *client)
{
    const struct fore_history_node *nodes = t->s->histories.nodes.at;
    uint64_t n = 1, start = 0, end = 0;
    for (uint32_t at = fore_explorer_node(t->s); at; at = nodes[at].parent)
        n++;
    uint64_t i = n;
    for (uint32_t at = fore_explorer_node(t->s); at; at = nodes[at].parent) {
        i--;
        if (nodes[at].op == op && nodes[at].response)
            end = i;
        else if (nodes[at].op == op)
            start = i;
    }
    const char *style = op == t->blamed ? "failing" : is_answered(t, op) ? "" : "pending";
    fore_vec_push(&t->to->timeline.intervals,
                  (struct fore_interval){client, answer_label(t, op), start,
                                         end ? end : n, style, NULL});
}

/* Joins operations that were over before the blamed one began to it. */
static void join_to_blamed(struct telling *t)
{
    const struct fore_finding *x = t->to;
    for (uint32_t b = 0; b < x->places.n; b++)
        for (uint32_t k = 0; !strcmp(x->places.at[b].role, "blamed") && k < x->places.n;
             k++)
            if (x->places.at[k].committed == FORE_YES &&
                x->timeline.intervals.at[k].end < x->timeline.intervals.at[b].start)
                fore_vec_push(&t->to->timeline.edges,
                              (struct fore_graph_edge){k, b, "before", ""});
}

static void add_operations(struct telling *t)
{
    t->to->timeline.title = "history";
    for (uint32_t i = 0; i < t->s->world.harness->ops.n; i++) {
        if (!(t->s->world.invoked >> i & 1))
            continue;
        add_place(t, i);
        add_interval(t, i, fore_vec_last(&t->to->places).thread);
    }
    join_to_blamed(t);
}

/* Adds notes to steps: what clients see of them. */
static void add_steps(struct telling *t)
{
    const struct fore_actors *a = &t->s->world;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    for (uint32_t i = 1; i <= a->steps.n; i++) {
        const struct fore_receipt *r = &a->steps.at[i - 1];
        struct fore_step step = {.name = "", .location = "", .state = "", .index = i - 1};
        fore_actor_text(a->msgs.at[r->msg].r.to, &text);
        step.thread = step.path = keep_text(t, &text);
        if (r->how != FORE_DELIVER)
            fore_strbuf_printf(&text, "%s ", fore_how_names[r->how]);
        fore_message_text(a, r->msg, &text);
        step.event = keep_text(t, &text);
        if (r->op >= 0)
            fore_strbuf_printf(&text, "c%d invokes", r->op + 1);
        for (uint32_t k = 0; k < a->harness->ops.n; k++)
            if (r->answered >> k & 1)
                fore_strbuf_printf(&text, "%sc%u is answered", text.n ? ", " : "", k + 1);
        const char *said;
        size_t n = fore_explorer_said(t->s, i, &said);
        if (n)
            fore_strbuf_printf(&text, "%ssays: %.*s", text.n ? ", " : "", (int)n, said);
        step.note = keep_text(t, &text);
        fore_vec_push(&t->to->witness, step);
    }
    fore_strbuf_release(&text);
}

/* " after a message was lost and an actor crashed" */
static void tell_faults(const struct fore_actors *w, struct fore_strbuf *out)
{
    static const char *const what[FORE_HOWS] = {"",
                                                "a message was lost",
                                                "a message came twice",
                                                "an actor crashed",
                                                "an actor was cut off",
                                                NULL};
    unsigned told = 1u << FORE_DELIVER;
    for (size_t i = 0; i < w->steps.n; i++) {
        enum fore_how how = w->steps.at[i].how;
        how = how == FORE_CUT_TO ? FORE_CUT_FROM : how;
        if (told >> how & 1)
            continue;
        fore_strbuf_printf(out, "%s %s", told == 1u ? " after" : " and", what[how]);
        told |= 1u << how;
    }
}

static void tell_message(struct fore_explorer *s, enum fore_bug kind, const char *why,
                         struct fore_strbuf *out)
{
    struct fore_strbuf open = FORE_STRBUF_INIT;
    fore_story_open(s, &open);
    if (kind == FORE_BUG_NOT_LINEARIZABLE)
        fore_strbuf_puts(out,
                         "no sequential order of the operations explains their answers");
    else if (kind == FORE_BUG_BLOCKED)
        fore_strbuf_printf(out, "no message is left that could answer %s", open.at);
    else if (kind == FORE_BUG_LIVELOCK)
        fore_strbuf_printf(out, "the system can go round in a circle while %s wait%s",
                           open.n ? open.at : "its clients",
                           open.n && !strchr(open.at, ',') ? "s" : "");
    else
        fore_strbuf_puts(out, why);
    tell_faults(&s->world, out);
    fore_strbuf_release(&open);
}

static uint32_t blamed_op(const struct fore_explorer *s)
{
    uint32_t blamed = UINT32_MAX;
    for (uint32_t n = fore_explorer_node(s); n && fore_histories_dead(&s->histories, n);
         n = s->histories.nodes.at[n].parent)
        blamed = s->histories.nodes.at[n].op;
    return blamed;
}

static const struct {
    const char *rule, *expect;
} told_as[FORE_BUGS] = {
    [FORE_BUG_NOT_LINEARIZABLE] = {"not-linearizable", "expect violation linearizable"},
    [FORE_BUG_BLOCKED] = {"blocked-forever", "expect blocked"},
    [FORE_BUG_LIVELOCK] = {"livelock", "expect violation livelock"},
    [FORE_BUG_REQUIRED] = {"property-violation", "expect violation require"},
};

void fore_tell_bug(struct fore_explorer *s, enum fore_bug kind,
                   const struct fore_bug_report *bug, bool shortest,
                   const struct fore_found *subject, struct fore_findings *f)
{
    bool order = kind == FORE_BUG_NOT_LINEARIZABLE;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct telling t = {s, f,
                        fore_findings_add(f, told_as[kind].rule, FORE_VERDICT_CONFIRMED),
                        order ? blamed_op(s) : UINT32_MAX};
    tell_message(s, kind, bug->why.at, &text);
    t.to->message = fore_findings_printf(f, "%s %s: %s", subject->system_name,
                                         subject->harness_name, text.at);
    fore_strbuf_clear(&text);
    if (order)
        fore_story_reason(s, &text);
    t.to->explanation = keep_text(&t, &text);
    t.to->trace = fore_findings_printf(f, "%s", subject->system_name);
    fore_script_write(s, subject->system, subject->harness, told_as[kind].expect, &text);
    t.to->witness_trace = keep_text(&t, &text);
    t.to->witness_of = FORE_WITNESS_OF_ACTORS;
    add_operations(&t);
    add_steps(&t);
    fore_sequence_draw(s, t.blamed, f, &t.to->graph);
    fore_finding_fact(f, t.to, bug->steps ? "steps" : "schedules",
                      "%" PRIu64 " of those explored %s%s %s%s", bug->count,
                      bug->steps ? "lead" : "show", bug->count == 1 ? "s" : "",
                      bug->steps ? "to it" : "it",
                      shortest ? "; this is the shortest there is" : "");
    fore_story_diagram(s, &text);
    fore_finding_fact(f, t.to, "messages", "\n%s", text.at);
    fore_strbuf_release(&text);
}

static void place_property(struct telling *t, const struct fore_promise *p)
{
    const struct fore_harness *h = t->s->world.harness;
    fore_vec_push(
        &t->to->places,
        (struct fore_place){.role = "property",
                            .thread = fore_findings_printf(t->f, "%s", p->name),
                            .name = "",
                            .path = "",
                            .event = fore_findings_printf(t->f, "%s", p->text),
                            .location = fore_findings_printf(
                                t->f, "%s:%" PRIu64, fore_base_name(h->file), p->line),
                            .function = "",
                            .source = "",
                            .committed = FORE_UNKNOWN});
}

void fore_tell_lasso(struct fore_explorer *s, const struct fore_lasso *lasso,
                     const struct fore_found *subject, struct fore_findings *f)
{
    const struct fore_promise *p = &s->world.harness->properties.at[lasso->property];
    size_t steps = lasso->schedule.n, round = steps - lasso->circle;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct telling t = {
        s, f, fore_findings_add(f, "property-violation", FORE_VERDICT_CONFIRMED),
        UINT32_MAX};
    t.to->message =
        fore_findings_printf(f, "%s %s: %s: `%s` can fail for ever", subject->system_name,
                             subject->harness_name, p->name, p->text);
    t.to->explanation =
        round ? fore_findings_printf(
                    f,
                    "After %zu steps the system can repeat the last %zu steps for ever. "
                    "Each pending message is received in these steps, or cannot be "
                    "received at some moment of them: fairness does not rule this out.",
                    lasso->circle, round)
              : fore_findings_printf(f, "After %zu steps no message is left.", steps);
    t.to->trace = fore_findings_printf(f, "%s", subject->system_name);
    fore_script_write(s, subject->system, subject->harness, "expect violation liveness",
                      &text);
    t.to->witness_trace = keep_text(&t, &text);
    t.to->witness_of = FORE_WITNESS_OF_ACTORS;
    place_property(&t, p);
    add_steps(&t);
    if (round)
        t.to->witness.at[lasso->circle].note = fore_findings_printf(
            f, "%s%sthe circle begins", t.to->witness.at[lasso->circle].note,
            t.to->witness.at[lasso->circle].note[0] ? ", " : "");
    fore_sequence_draw(s, UINT32_MAX, f, &t.to->graph);
    fore_story_diagram(s, &text);
    fore_finding_fact(f, t.to, "messages", "\n%s", text.at);
    fore_strbuf_release(&text);
}
