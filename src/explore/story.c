#include "explore/story.h"

#include "node/system.h"

#include <inttypes.h>
#include <string.h>

#define COLUMN 8

void fore_story_reply(const struct fore_explorer *s, const struct fore_reply *r,
                      struct fore_strbuf *out)
{
    const struct fore_harness *h = s->world.harness;
    fore_call_text(h, &h->ops.at[r->op], out);
    if (h->answers[r->kind * h->ops.n + r->op] >= 0) {
        fore_strbuf_puts(out, " = ");
        fore_harness_value_text(h, r->result, out);
    }
}

size_t fore_story_reply_end(const struct fore_actors *w, uint32_t step)
{
    return step < w->steps.n ? w->steps.at[step].first_reply : w->replies.n;
}

static size_t sent_end(const struct fore_actors *w, uint32_t step)
{
    return step < w->steps.n ? w->steps.at[step].first_sent : w->msgs.n;
}

void fore_story_step(const struct fore_explorer *s, uint32_t step,
                     struct fore_strbuf *out)
{
    static const char *const verbs[FORE_HOWS] = {
        "receives",
        "never gets",
        "receives (and the network keeps a copy)",
        "crashes, restarts and receives",
        "never gets (the sender is cut off)",
        "never gets (it is cut off)"};
    const struct fore_actors *w = &s->world;
    const struct fore_receipt *r = &w->steps.at[step - 1];
    const struct fore_message *m = &w->msgs.at[r->msg];
    fore_actor_text(m->r.to, out);
    fore_strbuf_printf(out, " %s ", verbs[r->how]);
    fore_message_text(w, r->msg, out);
    fore_strbuf_puts(out, " from ");
    fore_actor_text(m->r.from, out);
    for (size_t i = r->first_sent; i < sent_end(w, step); i++) {
        if (w->msgs.at[i].r.from < 0)
            continue; /* a client, which has its answer and invokes the next */
        fore_strbuf_puts(out, "; sends ");
        fore_message_text(w, (uint32_t)i, out);
        fore_strbuf_puts(out, " to ");
        fore_actor_text(w->msgs.at[i].r.to, out);
    }
    for (size_t i = r->first_reply; i < fore_story_reply_end(w, step); i++) {
        fore_strbuf_puts(out,
                         w->replies.at[i].repeated ? "; answers again " : "; answers ");
        fore_story_reply(s, &w->replies.at[i], out);
    }
    const char *said;
    size_t n = fore_explorer_said(s, step, &said);
    if (n)
        fore_strbuf_printf(out, "; says: %.*s", (int)n, said);
}

/* A service that no node asks is not worth a column. */
static bool was_asked(const struct fore_actors *w, int64_t id)
{
    for (size_t i = 0; i < w->steps.n; i++)
        if (w->msgs.at[w->steps.at[i].msg].r.to == id)
            return true;
    return false;
}

void fore_columns_of(struct fore_columns *c, const struct fore_explorer *s)
{
    const struct fore_actors *w = &s->world;
    *c = (struct fore_columns){0};
    for (size_t i = 0; i < w->harness->ops.n; i++)
        if (w->invoked >> i & 1)
            fore_vec_push(&c->ids, -(int64_t)i - 1);
    for (size_t i = 0; i < w->actors.n; i++)
        if (!fore_nodes_service_name(w->actors.at[i].id) ||
            was_asked(w, w->actors.at[i].id))
            fore_vec_push(&c->ids, w->actors.at[i].id);
}

size_t fore_column_of(const struct fore_columns *c, int64_t id)
{
    size_t i = 0;
    while (i < c->ids.n && c->ids.at[i] != id)
        i++;
    return i;
}

static void draw_arrow(const struct fore_columns *c, size_t from, size_t to,
                       const char *label, struct fore_strbuf *out)
{
    size_t left = from < to ? from : to, right = from < to ? to : from;
    for (size_t i = 0; i < c->ids.n; i++) {
        char mark = i == from ? 'o' : i == to ? (from < to ? '>' : '<') : '|';
        bool inside = i > left && i < right;
        fore_strbuf_putc(out, inside ? '-' : from == to && i == to ? '@' : mark);
        for (size_t k = 1; k < COLUMN; k++)
            fore_strbuf_putc(out, i >= left && i < right ? '-' : ' ');
    }
    fore_strbuf_printf(out, "%s\n", label);
}

static void draw_step(const struct fore_explorer *s, const struct fore_columns *c,
                      uint32_t step, struct fore_strbuf *out)
{
    const struct fore_actors *w = &s->world;
    const struct fore_receipt *r = &w->steps.at[step - 1];
    const struct fore_message *m = &w->msgs.at[r->msg];
    struct fore_strbuf label = FORE_STRBUF_INIT;
    fore_message_text(w, r->msg, &label);
    if (r->how != FORE_DELIVER)
        fore_strbuf_printf(&label, "  [%s]", fore_how_names[r->how]);
    fore_strbuf_printf(out, "%4u  ", step);
    draw_arrow(c, fore_column_of(c, m->r.from), fore_column_of(c, m->r.to), label.at,
               out);
    for (size_t i = r->first_reply; i < fore_story_reply_end(w, step); i++) {
        int64_t client = -(int64_t)w->replies.at[i].op - 1;
        fore_strbuf_clear(&label);
        fore_story_reply(s, &w->replies.at[i], &label);
        fore_strbuf_puts(out, "      ");
        draw_arrow(c, fore_column_of(c, m->r.to), fore_column_of(c, client), label.at,
                   out);
    }
    fore_strbuf_release(&label);
}

void fore_story_diagram(const struct fore_explorer *s, struct fore_strbuf *out)
{
    const struct fore_actors *w = &s->world;
    struct fore_columns c;
    fore_columns_of(&c, s);
    fore_strbuf_puts(out, "      ");
    for (size_t i = 0; i < c.ids.n; i++) {
        size_t from = out->n;
        fore_actor_text(c.ids.at[i], out);
        fore_strbuf_pad(out, ' ', from + COLUMN);
    }
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = '\0';
    fore_strbuf_putc(out, '\n');
    for (uint32_t i = 1; i <= w->steps.n; i++)
        draw_step(s, &c, i, out);
    fore_vec_release(&c.ids);
}

/* The events of the history, in order: the nodes from the root to where the path is. */
static size_t history_nodes(const struct fore_explorer *s, uint32_t *at, size_t room)
{
    size_t n = 0;
    for (uint32_t i = fore_explorer_node(s); i && n < room;
         i = s->histories.nodes.at[i].parent)
        at[n++] = i;
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t t = at[i];
        at[i] = at[n - 1 - i];
        at[n - 1 - i] = t;
    }
    return n;
}

/* ....[-----]: dots until the invocation, dashes until the answer. */
static void draw_interval(size_t from, size_t to, size_t n, bool answered,
                          struct fore_strbuf *out)
{
    for (size_t i = 0; i < n; i++) {
        const char *mark = i < from || i > to ? "  " : i == from ? "[-" : "--";
        fore_strbuf_puts(out, i == to && answered ? "] " : mark);
    }
    fore_strbuf_puts(out, answered ? "" : "  ");
}

static bool says_something(const struct fore_explorer *s, uint32_t op, int64_t result)
{
    const struct fore_judge *j = &s->histories.judge;
    return j->model->ops[j->ops.at[op].f].answer != FORE_ANSWER_NONE &&
           result != FORE_RESULT_VOID;
}

void fore_story_history(const struct fore_explorer *s, struct fore_strbuf *out)
{
    uint32_t at[2 * FORE_OPS_MAX];
    size_t n = history_nodes(s, at, 2 * FORE_OPS_MAX);
    const struct fore_harness *h = s->world.harness;
    for (size_t i = 0; i < n; i++) {
        const struct fore_history_node *e = &s->histories.nodes.at[at[i]];
        const struct fore_history_node *r = NULL;
        size_t to = n;
        if (e->response)
            continue;
        for (size_t k = i; k < n && !r; k++)
            if (s->histories.nodes.at[at[k]].response &&
                s->histories.nodes.at[at[k]].op == e->op) {
                r = &s->histories.nodes.at[at[k]];
                to = k;
            }
        size_t from = out->n;
        fore_actor_text(-(int64_t)e->op - 1, out);
        fore_strbuf_pad(out, ' ', from + 5);
        draw_interval(i, to, n, r != NULL, out);
        fore_call_text(h, &h->ops.at[e->op], out);
        if (!r)
            fore_strbuf_puts(out, ", never answered");
        else if (says_something(s, e->op, r->result)) {
            fore_strbuf_puts(out, " = ");
            fore_harness_value_text(h, r->result, out);
        }
        fore_strbuf_putc(out, '\n');
    }
}

/* Operations that were answered before `op` was invoked. */
static void add_earlier(const struct fore_explorer *s, const uint32_t *at, size_t n,
                        uint32_t op, struct fore_strbuf *out)
{
    size_t found = 0;
    const struct fore_harness *h = s->world.harness;
    for (size_t i = 0; i < n; i++) {
        const struct fore_history_node *e = &s->histories.nodes.at[at[i]];
        if (!e->response && e->op == op)
            break;
        if (!e->response)
            continue;
        fore_strbuf_puts(out, found++ ? ", " : " It began after the answer to ");
        fore_call_text(h, &h->ops.at[e->op], out);
        fore_strbuf_puts(out, " of ");
        fore_actor_text(-(int64_t)e->op - 1, out);
    }
    if (found)
        fore_strbuf_putc(out, '.');
}

void fore_story_reason(struct fore_explorer *s, struct fore_strbuf *out)
{
    uint32_t at[2 * FORE_OPS_MAX];
    size_t n = history_nodes(s, at, 2 * FORE_OPS_MAX), bad = 0;
    const struct fore_harness *h = s->world.harness;
    while (bad < n && !fore_histories_dead(&s->histories, at[bad]))
        bad++;
    if (bad == n)
        return;
    const struct fore_history_node *e = &s->histories.nodes.at[at[bad]];
    uint32_t op = e->op;
    fore_call_text(h, &h->ops.at[op], out);
    fore_strbuf_puts(out, " of ");
    fore_actor_text(-(int64_t)op - 1, out);
    fore_strbuf_puts(out, " answered ");
    fore_harness_value_text(h, e->result, out);
    struct fore_strbuf could = FORE_STRBUF_INIT;
    fore_judge_expected(&s->histories.judge, s->histories.nodes.at[e->parent].state, op,
                        &could);
    fore_strbuf_printf(out,
                       "; in every order of the operations that keeps real time, the %s "
                       "could only answer %s.",
                       s->histories.judge.model->name,
                       could.n ? could.at : "something else");
    fore_strbuf_release(&could);
    add_earlier(s, at, n, op, out);
}

void fore_story_open(const struct fore_explorer *s, struct fore_strbuf *out)
{
    uint64_t open = s->world.invoked & ~s->world.answered;
    size_t found = 0;
    for (size_t i = 0; i < s->world.harness->ops.n; i++) {
        if (!(open >> i & 1))
            continue;
        fore_strbuf_puts(out, found++ ? ", " : "");
        fore_call_text(s->world.harness, &s->world.harness->ops.at[i], out);
        fore_strbuf_puts(out, " of ");
        fore_actor_text(-(int64_t)i - 1, out);
    }
}
