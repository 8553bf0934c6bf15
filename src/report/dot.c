/* Graphs as Graphviz text. Labels come from traces: everything odd is escaped. */
#include "report/export.h"

static void write_quoted(struct fore_strbuf *out, const char *s)
{
    fore_strbuf_putc(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fore_strbuf_putc(out, '\\');
        fore_strbuf_putc(out, (unsigned char)*s < 0x20 ? ' ' : *s);
    }
    fore_strbuf_putc(out, '"');
}

static const char *color_of(const char *style)
{
    return style[0] == 'b' || style[0] == 'w' ? "red"
           : style[0] == 'o'                  ? "blue"
                                              : "black";
}

void fore_export_dot(const struct fore_graph *g, struct fore_strbuf *out)
{
    fore_strbuf_puts(out, "digraph ");
    write_quoted(out, g->title ? g->title : "graph");
    fore_strbuf_puts(out, " {\n  node [shape=box fontname=monospace];\n");
    for (size_t i = 0; i < g->nodes.n; i++) {
        fore_strbuf_printf(out, "  n%zu [label=", i);
        write_quoted(out, g->nodes.at[i].label);
        fore_strbuf_printf(out, " color=%s%s];\n", color_of(g->nodes.at[i].style),
                           g->nodes.at[i].style[0] == 'p' ? " style=dotted" : "");
    }
    for (size_t i = 0; i < g->edges.n; i++) {
        const struct fore_graph_edge *e = &g->edges.at[i];
        fore_strbuf_printf(out, "  n%u -> n%u [label=", e->from, e->to);
        write_quoted(out, e->label);
        fore_strbuf_printf(out, " color=%s%s];\n", color_of(e->style),
                           e->style[0] == 'd' ? " style=dashed" : "");
    }
    fore_strbuf_puts(out, "}\n");
}
