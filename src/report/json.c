#include "report/report.h"

#include "base/version.h"

static void completeness(struct fore_jsonw *w, const struct fore_completeness *c)
{
    fore_jsonw_open(w, "completeness", '{');
    fore_jsonw_bool(w, "exhausted", c->exhausted);
    fore_jsonw_text(w, "bound", c->bound);
    fore_jsonw_close(w, '}');
}

static void places(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "locations", '[');
    for (size_t i = 0; i < x->places.n; i++) {
        const struct fore_place *p = &x->places.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "role", p->role);
        fore_jsonw_text(w, "thread", p->thread);
        if (p->name[0])
            fore_jsonw_text(w, "name", p->name);
        fore_jsonw_text(w, "path", p->path);
        fore_jsonw_text(w, "location", p->location);
        if (p->function[0])
            fore_jsonw_text(w, "function", p->function);
        if (p->source[0])
            fore_jsonw_text(w, "source", p->source);
        fore_jsonw_text(w, "event", p->event);
        fore_jsonw_u64(w, "index", p->index);
        if (p->committed != FORE_UNKNOWN)
            fore_jsonw_bool(w, "committed", p->committed == FORE_YES);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void witness(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "witness", '[');
    for (size_t i = 0; i < x->witness.n; i++) {
        const struct fore_step *s = &x->witness.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "thread", s->thread);
        if (s->name[0])
            fore_jsonw_text(w, "name", s->name);
        fore_jsonw_text(w, "path", s->path);
        fore_jsonw_u64(w, "index", s->index);
        fore_jsonw_text(w, "event", s->event);
        fore_jsonw_text(w, "location", s->location);
        if (s->note[0])
            fore_jsonw_text(w, "note", s->note);
        if (s->state[0])
            fore_jsonw_text(w, "state", s->state);
        if (s->irrelevant)
            fore_jsonw_bool(w, "irrelevant", true);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void edges(struct fore_jsonw *w, const struct fore_graph_edge *e, size_t n)
{
    fore_jsonw_open(w, "edges", '[');
    for (size_t i = 0; i < n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_u64(w, "from", e[i].from);
        fore_jsonw_u64(w, "to", e[i].to);
        fore_jsonw_text(w, "label", e[i].label);
        fore_jsonw_text(w, "style", e[i].style);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void graph(struct fore_jsonw *w, const struct fore_graph *g)
{
    fore_jsonw_open(w, "graph", '{');
    fore_jsonw_text(w, "title", g->title);
    fore_jsonw_open(w, "nodes", '[');
    for (size_t i = 0; i < g->nodes.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "label", g->nodes.at[i].label);
        fore_jsonw_u64(w, "level", g->nodes.at[i].level);
        fore_jsonw_u64(w, "column", g->nodes.at[i].column);
        fore_jsonw_text(w, "style", g->nodes.at[i].style);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    edges(w, g->edges.at, g->edges.n);
    if (g->lanes.n)
        fore_jsonw_open(w, "lanes", '[');
    for (size_t i = 0; i < g->lanes.n; i++)
        fore_jsonw_text(w, NULL, g->lanes.at[i]);
    if (g->lanes.n)
        fore_jsonw_close(w, ']');
    fore_jsonw_close(w, '}');
}

static void timeline(struct fore_jsonw *w, const struct fore_timeline *t)
{
    fore_jsonw_open(w, "timeline", '{');
    fore_jsonw_text(w, "title", t->title);
    fore_jsonw_open(w, "intervals", '[');
    for (size_t i = 0; i < t->intervals.n; i++) {
        const struct fore_interval *v = &t->intervals.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "lane", v->lane);
        fore_jsonw_text(w, "label", v->label);
        fore_jsonw_u64(w, "start", v->start);
        fore_jsonw_u64(w, "end", v->end);
        fore_jsonw_text(w, "style", v->style);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    edges(w, t->edges.at, t->edges.n);
    fore_jsonw_close(w, '}');
}

/* The JSON member that names the object: "channel": "x", "lock": "m", "variable": "w". */
static const char *object_key(enum fore_object_kind kind)
{
    return kind == FORE_OBJ_NONE || kind == FORE_OBJ_WG ? "object"
                                                        : fore_object_kind_name(kind);
}

static void finding(struct fore_jsonw *w, const struct fore_finding *x)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "id", id);
    fore_jsonw_text(w, "rule", x->rule->name);
    fore_jsonw_text(w, "level", fore_level_name(x->level));
    fore_jsonw_text(w, "verdict", fore_verdict_name(x->verdict));
    fore_jsonw_text(w, "message", x->message);
    fore_jsonw_text(w, "explanation", x->explanation);
    if (x->object[0])
        fore_jsonw_text(w, object_key(x->object_kind), x->object);
    if (x->trace[0])
        fore_jsonw_text(w, "trace", x->trace);
    places(w, x);
    witness(w, x);
    fore_jsonw_open(w, "facts", '[');
    for (size_t i = 0; i < x->facts.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "label", x->facts.at[i].label);
        fore_jsonw_text(w, "text", x->facts.at[i].text);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    if (x->graph.nodes.n)
        graph(w, &x->graph);
    if (x->timeline.intervals.n)
        timeline(w, &x->timeline);
    if (x->confirmation.result[0]) {
        fore_jsonw_open(w, "confirmation", '{');
        fore_jsonw_text(w, "result", x->confirmation.result);
        fore_jsonw_u64(w, "step", x->confirmation.step);
        fore_jsonw_text(w, "reason", x->confirmation.reason);
        fore_jsonw_close(w, '}');
    }
    completeness(w, &x->completeness);
    fore_jsonw_u64(w, "count", x->count);
    if (x->suppressed)
        fore_jsonw_bool(w, "suppressed", true);
    fore_jsonw_close(w, '}');
}

static void traces(struct fore_jsonw *w, const struct fore_findings *f)
{
    fore_jsonw_open(w, "traces", '[');
    for (size_t i = 0; i < f->traces.n; i++) {
        const struct fore_trace_summary *t = &f->traces.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "name", t->name);
        fore_jsonw_u64(w, "events", t->events);
        fore_jsonw_u64(w, "threads", t->threads);
        fore_jsonw_bool(w, "truncated", t->truncated);
        if (t->lost)
            fore_jsonw_u64(w, "lost", t->lost);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

void fore_report_json(const struct fore_findings *f, const struct fore_report_options *o,
                      struct fore_strbuf *out)
{
    struct fore_jsonw w;
    (void)o;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "schema", "foresee.findings/1");
    fore_jsonw_open(&w, "tool", '{');
    fore_jsonw_text(&w, "name", "foresee");
    fore_jsonw_text(&w, "version", FORE_VERSION);
    fore_jsonw_close(&w, '}');
    traces(&w, f);
    completeness(&w, &f->completeness);
    fore_jsonw_open(&w, "findings", '[');
    for (size_t i = 0; i < f->list.n; i++)
        finding(&w, f->list.at[i]);
    fore_jsonw_close(&w, ']');
    fore_jsonw_open(&w, "stats", '{');
    for (size_t i = 0; i < f->stats.n; i++)
        fore_jsonw_raw(&w, f->stats.at[i].analysis, f->stats.at[i].json);
    fore_jsonw_close(&w, '}');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(out, '\n');
}
