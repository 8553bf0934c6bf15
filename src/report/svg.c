/* Layered graphs and message sequences as SVG. Graphs are laid out by level and column: `dot` takes seconds for what a lattice
 * has by the thousand. */
#include "report/export.h"

#include "report/xml.h"

#include <string.h>

enum { DX = 130, DY = 74, BOX = 104, MARGIN = 30, LABEL = 16 };
enum { LANE = 90, ROW = 26, NAME = 48 }; /* of message sequences */

struct at {
    unsigned x, y;
};

static const char *stroke_of(const char *style)
{
    return style[0] == 'b' || style[0] == 'w' || style[0] == 'd' ? "#c62b2b"
           : style[0] == 'o'                                     ? "#2f6fde"
                                                                 : "#667085";
}

/* Within its level a node stands at its rank by column. */
static void lay_out(const struct fore_graph *g, struct at *at, unsigned *width,
                    unsigned *height)
{
    unsigned widest = 1, levels = 1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < g->nodes.n; i++) {
            const struct fore_graph_node *n = &g->nodes.at[i];
            unsigned rank = 0, count = 0;
            for (size_t k = 0; k < g->nodes.n; k++) {
                const struct fore_graph_node *m = &g->nodes.at[k];
                if (m->level != n->level)
                    continue;
                count++;
                rank += m->column < n->column || (m->column == n->column && k < i);
            }
            widest = count > widest ? count : widest;
            levels = n->level + 1 > levels ? n->level + 1 : levels;
            at[i].x = MARGIN + (widest - count) * DX / 2 + rank * DX + BOX / 2;
            at[i].y = MARGIN + n->level * DY;
        }
    *width = widest * DX + 2 * MARGIN;
    *height = (levels - 1) * DY + 2 * MARGIN;
}

static void draw_edge(struct fore_strbuf *out, const struct fore_graph_edge *e,
                      struct at a, struct at b)
{
    fore_strbuf_printf(out,
                       "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"%s\" "
                       "stroke-width=\"%d\"%s marker-end=\"url(#a)\"/>\n",
                       a.x, a.y + 15, b.x, b.y > 15 ? b.y - 15 : 0, stroke_of(e->style),
                       e->style[0] ? 2 : 1,
                       e->style[0] == 'd' ? " stroke-dasharray=\"5 4\"" : "");
    if (!e->label[0])
        return;
    fore_strbuf_printf(out, "<text x=\"%u\" y=\"%u\" fill=\"#667085\">",
                       (a.x + b.x) / 2 + 4, (a.y + b.y) / 2);
    fore_xml(out, e->label, 24, true);
    fore_strbuf_puts(out, "</text>\n");
}

static void draw_node(struct fore_strbuf *out, const struct fore_graph_node *n,
                      struct at p)
{
    fore_strbuf_printf(out, "<g%s><title>", n->style[0] == 'p' ? " opacity=\"0.4\"" : "");
    fore_xml(out, n->label, 4096, true);
    fore_strbuf_printf(
        out,
        "</title><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"30\" rx=\"6\" "
        "fill=\"#f5f7fa\" stroke=\"%s\" stroke-width=\"%d\"/>"
        "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">",
        p.x - BOX / 2, p.y - 15, BOX, stroke_of(n->style), n->style[0] ? 2 : 1, p.x,
        p.y + 4);
    fore_xml(out, n->label, LABEL, true);
    fore_strbuf_puts(out, "</text></g>\n");
}

static struct at in_lane(const struct fore_graph_node *n)
{
    return (struct at){MARGIN + n->column * LANE, MARGIN + 16 + n->level * ROW};
}

/* A message sequence: lanes, an arrow per message, its name in the row where it arrives. */
static void draw_sequence(const struct fore_graph *g, unsigned height,
                          struct fore_strbuf *out)
{
    unsigned names = MARGIN + (unsigned)g->lanes.n * LANE;
    for (unsigned i = 0; i < g->lanes.n; i++) {
        unsigned x = MARGIN + i * LANE;
        fore_strbuf_printf(out, "<text x=\"%u\" y=\"18\" text-anchor=\"middle\">", x);
        fore_xml(out, g->lanes.at[i], LABEL, true);
        fore_strbuf_printf(out,
                           "</text><line x1=\"%u\" y1=\"26\" x2=\"%u\" y2=\"%u\" "
                           "stroke=\"#d0d5dd\"/>\n",
                           x, x, height);
    }
    for (size_t i = 0; i < g->edges.n; i++) {
        const struct fore_graph_edge *e = &g->edges.at[i];
        struct at a = in_lane(&g->nodes.at[e->from]), b = in_lane(&g->nodes.at[e->to]);
        unsigned bend = a.x == b.x ? 30 : 0; /* what an actor sends to itself */
        fore_strbuf_printf(out,
                           "<path d=\"M%u %uC%u %u %u %u %u %u\" fill=\"none\" "
                           "stroke=\"%s\"%s marker-end=\"url(#a)\"/>"
                           "<text x=\"%u\" y=\"%u\">",
                           a.x, a.y, a.x + bend, a.y, b.x + bend, b.y, b.x, b.y,
                           e->style[0] ? stroke_of(e->style) : "#2f6fde",
                           e->style[0] == 'd'   ? " stroke-dasharray=\"5 4\""
                           : e->style[0] == 'u' ? " stroke-dasharray=\"2 5\""
                                                : "",
                           names, b.y + 4);
        fore_xml(out, e->label, NAME, true);
        fore_strbuf_puts(out, "</text>\n");
    }
}

static void draw_layers(const struct fore_graph *g, const struct at *at,
                        struct fore_strbuf *out)
{
    for (size_t i = 0; i < g->edges.n; i++)
        draw_edge(out, &g->edges.at[i], at[g->edges.at[i].from], at[g->edges.at[i].to]);
    for (size_t i = 0; i < g->nodes.n; i++)
        draw_node(out, &g->nodes.at[i], at[i]);
}

void fore_export_svg(const struct fore_graph *g, struct fore_strbuf *out)
{
    unsigned width, height;
    struct fore_arena a = FORE_ARENA_INIT;
    struct at *at = FORE_NEW_ARRAY(&a, struct at, g->nodes.n + 1);
    lay_out(g, at, &width, &height);
    if (g->lanes.n) {
        width = 2 * MARGIN + (unsigned)g->lanes.n * LANE + NAME * 8;
        height = 2 * MARGIN + height / DY * ROW + ROW;
    }
    fore_strbuf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
        "viewBox=\"0 0 %u %u\" font-family=\"monospace\" font-size=\"12\">\n"
        "<title>",
        width, height, width, height);
    fore_xml(out, g->title ? g->title : "graph", 200, true);
    fore_strbuf_puts(out,
                     "</title>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" "
                     "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
                     "<path d=\"M0 0L8 4L0 8z\" fill=\"#667085\"/></marker></defs>\n");
    if (g->lanes.n)
        draw_sequence(g, height, out);
    else
        draw_layers(g, at, out);
    fore_strbuf_puts(out, "</svg>\n");
    fore_arena_release(&a);
}
