#include "explore/tell.h"

#include "base/jsonw.h"
#include "explore/script.h"
#include "explore/sequence.h"
#include "explore/story.h"

#include <stdio.h>
#include <string.h>

/* The positions of an operation's events in the history, and what it answered. */
static void tell_span(const struct fore_explorer *s, uint32_t op, struct fore_jsonw *w)
{
    const struct fore_history_node *nodes = s->histories.nodes.at;
    struct fore_strbuf label = FORE_STRBUF_INIT;
    uint64_t n = 1, start = 0, end = 0;
    for (uint32_t at = fore_explorer_node(s); at; at = nodes[at].parent)
        n++;
    for (uint32_t at = fore_explorer_node(s), i = (uint32_t)n; at;
         at = nodes[at].parent) {
        i--;
        if (nodes[at].op == op && nodes[at].response)
            end = i;
        else if (nodes[at].op == op)
            start = i;
    }
    fore_call_text(s->world.harness, &s->world.harness->ops.at[op], &label);
    for (size_t i = 0; i < s->world.replies.n; i++)
        if (s->world.replies.at[i].op == op && !s->world.replies.at[i].repeated) {
            fore_strbuf_clear(&label);
            fore_story_reply(s, &s->world.replies.at[i], &label);
        }
    fore_jsonw_u64(w, "start", start);
    fore_jsonw_u64(w, "end", end ? end : n);
    fore_jsonw_text(w, "label", label.at);
    fore_strbuf_release(&label);
}

static void tell_ops(const struct fore_explorer *s, uint32_t blamed, struct fore_jsonw *w)
{
    const struct fore_harness *h = s->world.harness;
    fore_jsonw_open(w, "ops", '[');
    for (uint32_t i = 0; i < h->ops.n; i++) {
        if (!(s->world.invoked >> i & 1))
            continue;
        struct fore_strbuf t = FORE_STRBUF_INIT;
        char agent[32], client[32];
        fore_call_text(h, &h->ops.at[i], &t);
        snprintf(agent, sizeof agent, "%lld", (long long)h->posts.at[i].to);
        snprintf(client, sizeof client, "c%u", i + 1);
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "text", t.at);
        fore_jsonw_text(w, "client", client);
        fore_jsonw_text(w, "agent", agent);
        fore_jsonw_u64(w, "line", h->ops.at[i].line);
        fore_jsonw_bool(w, "answered", s->world.answered >> i & 1);
        fore_jsonw_bool(w, "blamed", i == blamed);
        tell_span(s, i, w);
        fore_jsonw_close(w, '}');
        fore_strbuf_release(&t);
    }
    fore_jsonw_close(w, ']');
}

/* The note of a step: what clients see of it. */
static void tell_steps(const struct fore_explorer *s, struct fore_jsonw *w)
{
    const struct fore_actors *a = &s->world;
    fore_jsonw_open(w, "steps", '[');
    for (uint32_t i = 1; i <= a->steps.n; i++) {
        const struct fore_receipt *r = &a->steps.at[i - 1];
        struct fore_strbuf who = FORE_STRBUF_INIT, what = FORE_STRBUF_INIT,
                           note = FORE_STRBUF_INIT;
        fore_actor_text(a->msgs.at[r->msg].r.to, &who);
        if (r->how != FORE_DELIVER)
            fore_strbuf_printf(&what, "%s ", fore_how_names[r->how]);
        fore_message_text(a, r->msg, &what);
        if (r->op >= 0)
            fore_strbuf_printf(&note, "c%d invokes", r->op + 1);
        for (uint32_t k = 0; k < a->harness->ops.n; k++)
            if (r->answered >> k & 1)
                fore_strbuf_printf(&note, "%sc%u is answered", note.n ? ", " : "", k + 1);
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "actor", who.at);
        fore_jsonw_text(w, "event", what.at);
        fore_jsonw_text(w, "note", note.at);
        fore_jsonw_close(w, '}');
        fore_strbuf_release(&who);
        fore_strbuf_release(&what);
        fore_strbuf_release(&note);
    }
    fore_jsonw_close(w, ']');
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

void fore_tell_bug(struct fore_explorer *s, enum fore_bug kind,
                   const struct fore_bug_report *bug, bool shortest,
                   const struct fore_found *subject, struct fore_strbuf *out)
{
    static const char *const expects[FORE_BUGS] = {
        "expect violation linearizable", "expect blocked", "expect violation livelock",
        "expect violation require", ""};
    bool order = kind == FORE_BUG_NOT_LINEARIZABLE;
    struct fore_strbuf t = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "kind", kind);
    fore_jsonw_u64(&w, "count", bug->count);
    fore_jsonw_bool(&w, "shortest", shortest);
    tell_message(s, kind, bug->why.at, &t);
    fore_jsonw_text(&w, "message", t.at);
    fore_strbuf_clear(&t);
    if (order)
        fore_story_reason(s, &t);
    fore_jsonw_text(&w, "reason", t.at);
    fore_strbuf_clear(&t);
    fore_story_diagram(s, &t);
    fore_jsonw_text(&w, "diagram", t.at);
    fore_strbuf_clear(&t);
    fore_script_write(s, subject->system, subject->harness, expects[kind], &t);
    fore_jsonw_text(&w, "trace", t.at);
    uint32_t blamed = order ? blamed_op(s) : UINT32_MAX;
    tell_ops(s, blamed, &w);
    fore_sequence_write(s, blamed, &w);
    tell_steps(s, &w);
    fore_jsonw_close(&w, '}');
    fore_strbuf_release(&t);
}
