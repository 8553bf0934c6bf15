#include "finding/save.h"

void fore_completeness_save(struct fore_jsonw *w, const struct fore_completeness *c)
{
    fore_jsonw_open(w, "completeness", '{');
    fore_jsonw_bool(w, "exhausted", c->exhausted);
    fore_jsonw_text(w, "bound", c->bound);
    fore_jsonw_close(w, '}');
}

/* Writes the member unless it is empty. */
static void some_text(struct fore_jsonw *w, const char *key, const char *text)
{
    if (text && *text)
        fore_jsonw_text(w, key, text);
}

static void frame_number(struct fore_jsonw *w, const char *key, uint32_t frame)
{
    if (frame)
        fore_jsonw_u64(w, key, frame - 1);
}

static void write_places(struct fore_jsonw *w, const struct fore_finding *x)
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
        if (p->begins && p->begins[0])
            fore_jsonw_text(w, "begins", p->begins);
        if (p->function[0])
            fore_jsonw_text(w, "function", p->function);
        if (p->source[0])
            fore_jsonw_text(w, "source", p->source);
        fore_jsonw_text(w, "event", p->event);
        fore_jsonw_u64(w, "index", p->index);
        if (p->committed != FORE_UNKNOWN)
            fore_jsonw_bool(w, "committed", p->committed == FORE_YES);
        frame_number(w, "frame", p->frame);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_deed(struct fore_jsonw *w, const struct fore_deed *d)
{
    some_text(w, "does", d->does);
    some_text(w, "kind", d->kind);
    some_text(w, "on", d->object);
    some_text(w, "value", d->value);
    some_text(w, "other", d->other);
    some_text(w, "carries", d->message);
    if (d->waits)
        fore_jsonw_bool(w, "waits", true);
    if (d->odd)
        fore_jsonw_bool(w, "odd", true);
    frame_number(w, "frame", d->frame);
    if (d->at)
        fore_jsonw_u64(w, "at", d->at - 1);
}

enum { DRAWN_WHOLE = 60, DRAWN_MOST = 1000 };

static void write_steps(struct fore_jsonw *w, const char *key, const struct fore_step *s,
                        size_t n, bool drawn_only)
{
    fore_jsonw_open(w, key, '[');
    const struct fore_step *end = s + n;
    if (drawn_only && n > DRAWN_MOST)
        s = end - DRAWN_MOST;
    for (; s < end; s++) {
        if (drawn_only && n > DRAWN_WHOLE && s->irrelevant && !s->note[0])
            continue;
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "thread", s->thread);
        some_text(w, "name", s->name);
        fore_jsonw_text(w, "path", s->path);
        fore_jsonw_u64(w, "index", s->index);
        fore_jsonw_text(w, "event", s->event);
        fore_jsonw_text(w, "location", s->location);
        some_text(w, "note", s->note);
        some_text(w, "state", s->state);
        if (s->irrelevant)
            fore_jsonw_bool(w, "irrelevant", true);
        if (s->deed)
            write_deed(w, s->deed);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_tests(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "also_in", '[');
    for (size_t i = 0; i < x->also_in.n; i++)
        fore_jsonw_text(w, NULL, x->also_in.at[i]);
    fore_jsonw_close(w, ']');
}

static void write_frames(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "frames", '[');
    for (size_t i = 0; i < x->frames.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "function", x->frames.at[i].function);
        fore_jsonw_text(w, "location", x->frames.at[i].location);
        frame_number(w, "up", x->frames.at[i].up);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_threads(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "threads", '[');
    for (size_t i = 0; i < x->threads.n; i++) {
        const struct fore_thread_note *t = &x->threads.at[i];
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "thread", t->thread);
        some_text(w, "name", t->name);
        fore_jsonw_text(w, "path", t->path);
        some_text(w, "called", t->called);
        some_text(w, "first", t->first);
        some_text(w, "started", t->started);
        fore_jsonw_u64(w, "events", t->events);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_edges(struct fore_jsonw *w, const struct fore_graph_edge *e, size_t n)
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

static void write_graph(struct fore_jsonw *w, const struct fore_graph *g)
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
    write_edges(w, g->edges.at, g->edges.n);
    if (g->lanes.n)
        fore_jsonw_open(w, "lanes", '[');
    for (size_t i = 0; i < g->lanes.n; i++)
        fore_jsonw_text(w, NULL, g->lanes.at[i]);
    if (g->lanes.n)
        fore_jsonw_close(w, ']');
    fore_jsonw_close(w, '}');
}

static void write_intervals(struct fore_jsonw *w, const char *key,
                            const struct fore_interval *v, size_t n)
{
    fore_jsonw_open(w, key, '[');
    for (const struct fore_interval *end = v + n; v < end; v++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "lane", v->lane);
        fore_jsonw_text(w, "label", v->label);
        fore_jsonw_u64(w, "start", v->start);
        fore_jsonw_u64(w, "end", v->end);
        fore_jsonw_text(w, "style", v->style);
        some_text(w, "location", v->location);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_numbers(struct fore_jsonw *w, const char *key, const uint32_t *at,
                          size_t n)
{
    if (!n)
        return;
    fore_jsonw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        fore_jsonw_u64(w, NULL, at[i]);
    fore_jsonw_close(w, ']');
}

static void write_texts(struct fore_jsonw *w, const char *key, const char *const *at,
                        size_t n)
{
    if (!n)
        return;
    fore_jsonw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        fore_jsonw_text(w, NULL, at[i]);
    fore_jsonw_close(w, ']');
}

static void write_partial(struct fore_jsonw *w, const struct fore_timeline *t)
{
    fore_jsonw_open(w, "partial", '[');
    for (size_t i = 0; i < t->partial.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        write_numbers(w, "order", t->partial.at[i].ops, t->partial.at[i].n);
        write_texts(w, "states", t->partial.at[i].states, t->partial.at[i].n);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
}

static void write_timeline(struct fore_jsonw *w, const struct fore_timeline *t)
{
    fore_jsonw_open(w, "timeline", '{');
    fore_jsonw_text(w, "title", t->title);
    write_intervals(w, "intervals", t->intervals.at, t->intervals.n);
    write_edges(w, t->edges.at, t->edges.n);
    if (t->others.n)
        write_intervals(w, "others", t->others.at, t->others.n);
    write_numbers(w, "order", t->order.at, t->order.n);
    some_text(w, "state", t->state);
    write_texts(w, "states", t->states.at, t->states.n);
    if (t->partial.n)
        write_partial(w, t);
    fore_jsonw_close(w, '}');
}

/* The JSON member that names the object: "channel": "x", "lock": "m", "variable": "w". */
static const char *object_key(enum fore_object_kind kind)
{
    return kind == FORE_OBJ_NONE || kind == FORE_OBJ_WG ? "object"
                                                        : fore_object_kind_name(kind);
}

void fore_err_save(struct fore_jsonw *w, const char *key, const struct fore_err *e)
{
    fore_jsonw_open(w, key, '{');
    fore_jsonw_u64(w, "status", e->status);
    fore_jsonw_text(w, "file", e->file);
    fore_jsonw_u64(w, "line", e->line);
    fore_jsonw_u64(w, "column", e->column);
    if (e->has_offset)
        fore_jsonw_u64(w, "offset", e->offset);
    fore_jsonw_text(w, "message", e->msg);
    fore_jsonw_close(w, '}');
}

void fore_finding_save(struct fore_jsonw *w, const char *key,
                       const struct fore_finding *x, bool drawn_only)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    fore_jsonw_open(w, key, '{');
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
    some_text(w, "test", x->test);
    some_text(w, "package", x->package);
    some_text(w, "alone", x->alone);
    if (x->also_in.n)
        write_tests(w, x);
    write_places(w, x);
    if (x->witness_of != FORE_WITNESS_OF_PROGRAM)
        fore_jsonw_text(w, "witness_of", fore_witness_of_name(x->witness_of));
    write_steps(w, "witness", x->witness.at, x->witness.n, drawn_only);
    if (x->observed.n)
        write_steps(w, "observed", x->observed.at, x->observed.n, drawn_only);
    if (x->frames.n)
        write_frames(w, x);
    if (x->threads.n)
        write_threads(w, x);
    fore_jsonw_open(w, "facts", '[');
    for (size_t i = 0; i < x->facts.n; i++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "label", x->facts.at[i].label);
        fore_jsonw_text(w, "text", x->facts.at[i].text);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    if (x->graph.nodes.n)
        write_graph(w, &x->graph);
    if (x->timeline.intervals.n)
        write_timeline(w, &x->timeline);
    if (x->confirmation.result != FORE_UNTRIED) {
        fore_jsonw_open(w, "confirmation", '{');
        fore_jsonw_text(w, "result", fore_tried_name(x->confirmation.result));
        fore_jsonw_u64(w, "step", x->confirmation.step);
        fore_jsonw_text(w, "reason", x->confirmation.reason);
        fore_jsonw_close(w, '}');
    }
    fore_completeness_save(w, &x->completeness);
    fore_jsonw_u64(w, "count", x->count);
    if (x->suppressed)
        fore_jsonw_bool(w, "suppressed", true);
    fore_jsonw_close(w, '}');
}
