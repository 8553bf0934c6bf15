/* A message leaves where the step that sent it stands and arrives where it is received, so that
 * messages which overtake each other cross. Clients are quick: what they send and what they are
 * told takes no time. */
#include "explore/sequence.h"

#include "explore/story.h"

#define STEPS_MOST 400

struct sequence_drawing {
    const struct fore_explorer *s;
    struct fore_findings *f; /* owns the texts */
    struct fore_graph *g;
    struct fore_columns columns;
    FORE_VEC(uint32_t) rows; /* by step; [0] is the start */
    uint32_t blamed;
};

struct arrow_end {
    int64_t lane; /* an actor or a client */
    uint32_t row;
};

static uint32_t node_at(struct fore_graph *g, uint32_t lane, uint32_t row)
{
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.at[i].level == row && g->nodes.at[i].column == lane)
            return (uint32_t)i;
    return fore_graph_node(g, "", row, lane, "");
}

static void draw_arrow(struct sequence_drawing *d, struct arrow_end from,
                       struct arrow_end to, const char *label, const char *style)
{
    uint32_t a =
        node_at(d->g, (uint32_t)fore_column_of(&d->columns, from.lane), from.row);
    uint32_t b = node_at(d->g, (uint32_t)fore_column_of(&d->columns, to.lane), to.row);
    fore_graph_edge(d->g, a, b, fore_findings_printf(d->f, "%s", label), style);
}

static void draw_step(struct sequence_drawing *d, uint32_t step)
{
    const struct fore_actors *w = &d->s->world;
    const struct fore_receipt *r = &w->steps.at[step - 1];
    const struct fore_message *m = &w->msgs.at[r->msg];
    struct arrow_end here = {m->r.to, d->rows.at[step]};
    struct arrow_end from = {m->r.from,
                             m->r.from < 0 ? here.row : d->rows.at[m->sent_by]};
    struct fore_strbuf label = FORE_STRBUF_INIT;
    bool lost =
        r->how != FORE_DELIVER && r->how != FORE_DUPLICATE && r->how != FORE_CRASH;
    fore_message_text(w, r->msg, &label);
    if (r->how != FORE_DELIVER)
        fore_strbuf_printf(&label, " [%s]", fore_how_names[r->how]);
    draw_arrow(d, from, here, label.at, lost ? "dashed" : "");
    uint32_t row = here.row;
    for (size_t i = r->first_reply; i < fore_story_reply_end(w, step); i++) {
        const struct fore_reply *a = &w->replies.at[i];
        struct arrow_end to = {-(int64_t)a->op - 1, ++row};
        fore_strbuf_clear(&label);
        fore_story_reply(d->s, a, &label);
        draw_arrow(d, here, to, label.at, a->op == d->blamed ? "witness" : "observed");
    }
    fore_strbuf_release(&label);
}

/* Draws messages that are still under way at the end. */
static void draw_undelivered(struct sequence_drawing *d, uint32_t steps)
{
    const struct fore_actors *w = &d->s->world;
    struct fore_strbuf label = FORE_STRBUF_INIT;
    uint32_t last = d->rows.at[steps];
    for (size_t i = 0; i < w->msgs.n; i++) {
        const struct fore_message *m = &w->msgs.at[i];
        if (m->received_by || m->r.from < 0 || !m->sent_by || m->sent_by > steps)
            continue;
        fore_strbuf_clear(&label);
        fore_message_text(w, (uint32_t)i, &label);
        draw_arrow(d, (struct arrow_end){m->r.from, d->rows.at[m->sent_by]},
                   (struct arrow_end){m->r.to, ++last}, label.at, "undelivered");
    }
    fore_strbuf_release(&label);
}

static void name_lanes(struct sequence_drawing *d)
{
    struct fore_strbuf name = FORE_STRBUF_INIT;
    for (size_t i = 0; i < d->columns.ids.n; i++) {
        fore_strbuf_clear(&name);
        fore_actor_text(d->columns.ids.at[i], &name);
        fore_vec_push(&d->g->lanes, fore_findings_printf(d->f, "%s", name.at));
    }
    fore_strbuf_release(&name);
}

void fore_sequence_draw(const struct fore_explorer *s, uint32_t blamed,
                        struct fore_findings *f, struct fore_graph *g)
{
    struct sequence_drawing d = {.s = s, .f = f, .g = g, .blamed = blamed};
    uint32_t steps = fore_explorer_depth(s), row = 0;
    g->title = "messages";
    if (steps > STEPS_MOST)
        return;
    fore_columns_of(&d.columns, s);
    fore_vec_push(&d.rows, 0);
    for (uint32_t i = 1; i <= steps; i++) {
        fore_vec_push(&d.rows, ++row);
        row += (uint32_t)(fore_story_reply_end(&s->world, i) -
                          s->world.steps.at[i - 1].first_reply);
    }
    name_lanes(&d);
    for (uint32_t i = 1; i <= steps; i++)
        draw_step(&d, i);
    draw_undelivered(&d, steps);
    fore_vec_release(&d.rows);
    fore_vec_release(&d.columns.ids);
}
