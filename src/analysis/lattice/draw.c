#include "analysis/lattice/draw.h"

#include "analysis/lattice/feed.h"
#include "base/hash.h"

#include <string.h>

void fore_drawing_init(struct fore_drawing *d, const struct fore_watch *w,
                       struct fore_findings *out, struct fore_graph *graph)
{
    *d = (struct fore_drawing){.watch = w, .out = out, .graph = graph};
    d->graph->title = "lattice";
}

void fore_drawing_copy(struct fore_drawing *d, struct fore_graph *to)
{
    const struct fore_graph *from = d->graph;
    to->title = from->title;
    for (size_t i = 0; i < from->nodes.n; i++)
        fore_vec_push(&to->nodes, from->nodes.at[i]);
    for (size_t i = 0; i < from->edges.n; i++)
        fore_vec_push(&to->edges, from->edges.at[i]);
    d->graph = to;
}

void fore_drawing_release(struct fore_drawing *d)
{
    fore_map_release(&d->node_of);
    fore_vec_release(&d->rows);
    fore_vec_release(&d->slot_thread);
}

/* The hash does not depend on how many threads were known when the cut was made. */
static uint64_t cut_hash(const uint32_t *cut, uint32_t width)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < width; i++)
        if (cut[i])
            h += fore_hash_mix(i + 1, cut[i]);
    return h;
}

/* Edges into a state are reported before the state itself, so its node may have been
 * made by an edge, without a label. */
static uint32_t node_of_cut(struct fore_drawing *d, const uint32_t *cut, uint32_t width)
{
    bool fresh;
    uint64_t *slot = fore_map_put(&d->node_of, cut_hash(cut, width), &fresh);
    if (fresh)
        *slot = fore_graph_node(d->graph, "", 0, 0, "");
    d->too_large = d->too_large || d->graph->nodes.n > FORE_DRAW_MOST;
    return (uint32_t)*slot;
}

/* Threads in their own order, not in that of their first write. */
static const char *label_cut(struct fore_drawing *d, const uint32_t *cut, uint32_t width,
                             const struct fore_val *values)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    bool wide = d->slot_thread.n > 4;
    for (uint32_t i = 0; i < width; i++)
        wide = wide || cut[i] > 9;
    fore_strbuf_puts(&b, "Σ");
    uint32_t above = 0;
    for (uint32_t k = 0; k < d->slot_thread.n; k++) {
        uint32_t best = UINT32_MAX, at = 0;
        for (uint32_t i = 0; i < d->slot_thread.n; i++)
            if (d->slot_thread.at[i] > above && d->slot_thread.at[i] < best) {
                best = d->slot_thread.at[i];
                at = i;
            }
        above = best;
        fore_strbuf_printf(&b, "%s%u", wide && k ? "," : "", at < width ? cut[at] : 0);
    }
    for (uint32_t v = 0; v < d->watch->vars; v++) {
        fore_strbuf_printf(&b, " %s=", d->watch->spec->symbols.vars.at[v].name);
        fore_spec_val_text(values[v], &b);
    }
    const char *text = fore_findings_printf(d->out, "%s", b.at);
    fore_strbuf_release(&b);
    return text;
}

void fore_draw_state(struct fore_drawing *d, uint64_t level, const uint32_t *cut,
                     uint32_t width, const struct fore_val *values)
{
    if (d->too_large)
        return;
    uint32_t k = node_of_cut(d, cut, width);
    fore_vec_ensure(&d->rows, (size_t)level + 1);
    struct fore_graph_node *n = &d->graph->nodes.at[k];
    if (n->label[0])
        return;
    n->label = label_cut(d, cut, width, values);
    n->level = (uint32_t)level;
    n->column = d->rows.at[level]++;
}

static const char *step_text(struct fore_drawing *d, const struct fore_lattice_step *s)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "%s=", d->watch->spec->symbols.vars.at[s->var].name);
    fore_spec_val_text(fore_written_value(&s->event), &b);
    const char *text = fore_findings_printf(d->out, "%s", b.at);
    fore_strbuf_release(&b);
    return text;
}

void fore_draw_edge(struct fore_drawing *d, const uint32_t *from, const uint32_t *to,
                    uint32_t width, const struct fore_lattice_step *step)
{
    if (d->too_large)
        return;
    uint32_t a = node_of_cut(d, from, width), b = node_of_cut(d, to, width);
    for (size_t i = 0; i < d->graph->edges.n;
         i++) /* of states that differ by locks only */
        if (d->graph->edges.at[i].from == a && d->graph->edges.at[i].to == b)
            return;
    fore_graph_edge(d->graph, a, b, step_text(d, step), "");
}

static uint32_t slot_of(const struct fore_drawing *d, uint32_t thread)
{
    uint32_t i = 0;
    while (i < d->slot_thread.n && d->slot_thread.at[i] != thread)
        i++;
    return i;
}

void fore_draw_run(struct fore_drawing *d, const struct fore_lattice_steps *run,
                   const char *node_style, const char *edge_style, const char *last_style)
{
    uint32_t *cut = fore_calloc(d->slot_thread.n + 1, sizeof *cut);
    uint32_t width = (uint32_t)d->slot_thread.n, at = node_of_cut(d, cut, width);
    if (node_style)
        d->graph->nodes.at[at].style = node_style;
    for (size_t i = 0; i < run->v.n && !d->too_large; i++) {
        cut[slot_of(d, run->v.at[i].event.thread)]++;
        const uint64_t *to = fore_map_get(&d->node_of, cut_hash(cut, width));
        if (!to)
            break;
        for (size_t k = 0; k < d->graph->edges.n; k++) {
            struct fore_graph_edge *e = &d->graph->edges.at[k];
            if (e->from == at && e->to == *to)
                e->style = edge_style;
        }
        at = (uint32_t)*to;
        const char *style = i + 1 < run->v.n ? node_style : last_style;
        if (style)
            d->graph->nodes.at[at].style = style;
    }
    fore_free(cut);
}
