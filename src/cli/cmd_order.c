#include "base/search.h"
#include "cli/cli.h"
#include "cli/verbs.h"

#include "causal/prepost.h"
#include "causal/relevant.h"
#include "spec/spec.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 32 }; /* threads; beyond that clocks are written sparsely */

struct order_view {
    const struct fore_trace *trace;
    struct fore_clocks *clocks;
    struct fore_strbuf *text;
    struct fore_jsonw *json;    /* NULL: text */
    FORE_VEC(uint32_t) columns; /* threads as people order them */
    const struct fore_spec *spec;
    bool sparse;
};

static int by_label(const void *a, const void *b, void *tables)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = strverscmp(fore_tables_label(tables, x), fore_tables_label(tables, y));
    return c ? c : (x > y) - (x < y);
}

static void choose_columns(struct order_view *v, bool sparse)
{
    const struct fore_tables *t = &v->trace->tables;
    for (uint32_t i = 1; i < t->threads.n; i++)
        fore_vec_push(&v->columns, i);
    if (v->columns.n)
        qsort_r(v->columns.at, v->columns.n, sizeof *v->columns.at, by_label, (void *)t);
    v->sparse = sparse || v->columns.n > MOST_COLUMNS;
}

/* [2,2,2,0,0], or {1:2,2:2,3:2} when there are many threads. */
static void put_clock(const struct order_view *v, struct fore_stamp s,
                      struct fore_strbuf *out)
{
    bool comma = false;
    fore_strbuf_putc(out, v->sparse ? '{' : '[');
    for (size_t i = 0; i < v->columns.n; i++) {
        uint32_t time = fore_stamp_get(v->clocks, s, v->columns.at[i]);
        if (v->sparse && !time)
            continue;
        if (comma)
            fore_strbuf_putc(out, ',');
        if (v->sparse)
            fore_strbuf_printf(
                out, "%s:", fore_tables_label(&v->trace->tables, v->columns.at[i]));
        fore_strbuf_u64(out, time);
        comma = true;
    }
    fore_strbuf_putc(out, v->sparse ? '}' : ']');
}

static void json_clock(const struct order_view *v, const char *key, struct fore_stamp s)
{
    fore_jsonw_open(v->json, key, '{');
    for (size_t i = 0; i < v->columns.n; i++) {
        uint32_t time = fore_stamp_get(v->clocks, s, v->columns.at[i]);
        if (time)
            fore_jsonw_u64(v->json,
                           fore_tables_label(&v->trace->tables, v->columns.at[i]), time);
    }
    fore_jsonw_close(v->json, '}');
}

static void put_case(const struct fore_tables *t, uint32_t chan, bool send,
                     struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "%s%c", chan ? fore_tables_name(t, chan) : "nil",
                       send ? '!' : '?');
}

/* Writes events as the paper does: x! and x?; other events in the notation. */
static void put_event(const struct order_view *v, const struct fore_event *e,
                      struct fore_strbuf *out)
{
    const struct fore_tables *t = &v->trace->tables;
    struct fore_case one;
    size_t n;
    bool closed = e->flags & FORE_F_CLOSED;
    if (!closed && (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV)) {
        put_case(t, e->object, e->kind == FORE_EV_SEND, out);
    } else if (e->kind == FORE_EV_PRE) {
        const struct fore_case *c = fore_trace_cases(v->trace, e, &one, &n);
        for (size_t i = 0; i < n; i++) {
            if (i)
                fore_strbuf_putc(out, '|');
            if (c[i].kind == FORE_CASE_DEFAULT || c[i].kind == FORE_CASE_TIMEOUT)
                fore_strbuf_puts(out,
                                 c[i].kind == FORE_CASE_DEFAULT ? "default" : "timeout");
            else
                put_case(t, c[i].chan, c[i].kind == FORE_CASE_SEND, out);
        }
    } else {
        fore_event_text(t, e, v->trace->cases.at, out);
    }
}

static void json_event(struct order_view *v, const struct fore_event *e, uint32_t index)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    const struct fore_tables *t = &v->trace->tables;
    fore_jsonw_text(v->json, "thread", fore_tables_label(t, e->thread));
    fore_jsonw_u64(v->json, "index", index - 1);
    put_event(v, e, &b);
    fore_jsonw_text(v->json, "event", b.at);
    fore_strbuf_clear(&b);
    fore_tables_place(t, e->where, &b);
    fore_jsonw_text(v->json, "location", b.at);
    fore_strbuf_release(&b);
}

static void put_place(const struct order_view *v, const struct fore_event *e)
{
    if (e->where) {
        fore_strbuf_puts(v->text, "  ");
        fore_tables_place(&v->trace->tables, e->where, v->text);
    }
    fore_strbuf_putc(v->text, '\n');
}

static void show_row(struct order_view *v, const struct fore_prepost_row *r)
{
    if (v->json) {
        fore_jsonw_open(v->json, NULL, '{');
        json_event(v, &r->event, r->index);
        json_clock(v, "pre", r->pre);
        if (r->committed)
            json_clock(v, "post", r->post);
        else
            fore_jsonw_null(v->json, "post");
        fore_jsonw_close(v->json, '}');
        return;
    }
    fore_strbuf_printf(v->text,
                       "%s: ", fore_tables_label(&v->trace->tables, r->event.thread));
    put_clock(v, r->pre, v->text);
    fore_strbuf_putc(v->text, ' ');
    put_event(v, &r->event, v->text);
    fore_strbuf_putc(v->text, ' ');
    if (r->committed)
        put_clock(v, r->post, v->text);
    else
        fore_strbuf_putc(v->text, '-');
    put_place(v, &r->event);
}

static enum fore_status show_prepost(struct order_view *v, unsigned mask,
                                     struct fore_err *e)
{
    struct fore_prepost p;
    enum fore_status s = fore_prepost_build(&p, v->trace, mask, e);
    v->clocks = &p.clocks;
    for (size_t c = 0; s == FORE_OK && c < v->columns.n; c++) {
        size_t low = 0, high = p.rows.n; /* the first row of the thread */
        FORE_BISECT(low, high, mid, p.rows.at[mid].event.thread < v->columns.at[c]);
        for (; low < p.rows.n && p.rows.at[low].event.thread == v->columns.at[c]; low++)
            show_row(v, &p.rows.at[low]);
    }
    fore_prepost_release(&p);
    return s;
}

/* Relevant are writes of variables that the specification names. */
static bool is_relevant(void *ctx, const struct fore_event *e)
{
    const struct order_view *v = ctx;
    return (e->kind == FORE_EV_WRITE || e->kind == FORE_EV_RMW) &&
           fore_spec_var(v->spec, fore_tables_name(&v->trace->tables, e->object)) >= 0;
}

static enum fore_flow show_relevant(void *ctx, const struct fore_moment *m)
{
    struct order_view *v = ctx;
    if (v->json) {
        fore_jsonw_open(v->json, NULL, '{');
        json_event(v, m->event, m->index);
        json_clock(v, "clock", m->stamp);
        fore_jsonw_close(v->json, '}');
        return FORE_CONTINUE;
    }
    fore_strbuf_printf(v->text,
                       "%s: ", fore_tables_label(&v->trace->tables, m->event->thread));
    put_event(v, m->event, v->text);
    fore_strbuf_putc(v->text, ' ');
    put_clock(v, m->stamp, v->text);
    put_place(v, m->event);
    return FORE_CONTINUE;
}

static enum fore_status show_spec(struct order_view *v, const char *path, unsigned mask,
                                  struct fore_err *e)
{
    struct fore_spec spec;
    struct fore_clocks clocks;
    fore_clocks_init(&clocks);
    enum fore_status s = fore_spec_load(&spec, path, e);
    v->spec = &spec;
    v->clocks = &clocks;
    if (s == FORE_OK) {
        struct fore_relevant_options o = {
            .mask = mask, .relevant = is_relevant, .deliver = show_relevant, .ctx = v};
        struct fore_relevant *r = fore_relevant_new(&clocks, &o);
        s = fore_trace_replay(v->trace, fore_relevant_sink(r), e);
        fore_relevant_free(r);
    }
    fore_spec_release(&spec);
    fore_clocks_release(&clocks);
    return s;
}

/* "all", or names of edges with commas between; program order is always among them. */
static enum fore_status read_edges(const char *text, unsigned *mask, struct fore_err *e)
{
    if (strcmp(text, "all") == 0) {
        *mask = FORE_EDGES_ALL;
        return FORE_OK;
    }
    *mask = FORE_EDGE_PROGRAM;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, ",");
        unsigned one = fore_edge_named(at, n);
        if (!one) {
            struct fore_strbuf names = FORE_STRBUF_INIT;
            for (unsigned k = 0; k < FORE_EDGE_KINDS; k++)
                fore_strbuf_printf(&names, "%s, ", fore_edge_name(k));
            fore_fail(e, FORE_USAGE, "--edges: there is no '%.*s'; there are %sand all",
                      (int)n, at, names.at);
            fore_strbuf_release(&names);
            return FORE_USAGE;
        }
        *mask |= one;
        at += n + (at[n] == ',');
    }
    return FORE_OK;
}

static void begin_view(struct order_view *v)
{
    const struct fore_tables *t = &v->trace->tables;
    if (v->json) {
        fore_jsonw_open(v->json, NULL, '{');
        fore_jsonw_text(v->json, "schema", "foresee.order/1");
        fore_jsonw_text(v->json, "trace", v->trace->name);
        fore_jsonw_open(v->json, "threads", '[');
        for (size_t i = 0; i < v->columns.n; i++)
            fore_jsonw_text(v->json, NULL, fore_tables_label(t, v->columns.at[i]));
        fore_jsonw_close(v->json, ']');
        fore_jsonw_open(v->json, "events", '[');
    } else if (!v->sparse) {
        fore_strbuf_puts(v->text, "# [");
        for (size_t i = 0; i < v->columns.n; i++)
            fore_strbuf_printf(v->text, i ? ",%s" : "%s",
                               fore_tables_label(t, v->columns.at[i]));
        fore_strbuf_puts(v->text, "]\n");
    }
}

static enum fore_status show_order(struct fore_cli *c, const struct fore_trace *t,
                                   struct fore_strbuf *out, struct fore_err *e)
{
    struct fore_jsonw json;
    struct order_view v = {.trace = t, .text = out};
    const char *spec = fore_params_text(&c->params, "spec", NULL);
    unsigned mask;
    FORE_TRY(read_edges(fore_params_text(&c->params, "edges",
                                         spec ? "all"
                                              : "program,fork,join,"
                                                "channel,lock,condition,atomic,message"),
                        &mask, e));
    if (strcmp(c->reporter->name, "json") == 0) {
        fore_jsonw_init(&json, out);
        v.json = &json;
    }
    choose_columns(&v, fore_params_has(&c->params, "sparse"));
    begin_view(&v);
    enum fore_status s = spec ? show_spec(&v, spec, mask, e) : show_prepost(&v, mask, e);
    if (v.json) {
        fore_jsonw_close(v.json, ']');
        fore_jsonw_close(v.json, '}');
    }
    fore_vec_release(&v.columns);
    return s;
}

static int run_order(struct fore_cli *c, struct fore_err *e)
{
    if (c->words.v.n != 1) {
        fore_fail(e, FORE_USAGE, "order needs one trace: foresee order run.trace");
        return FORE_EXIT_ERROR;
    }
    struct fore_trace t;
    struct fore_strbuf out = FORE_STRBUF_INIT;
    fore_trace_init(&t, c->words.v.at[0]);
    enum fore_status s = fore_cli_load_whole(c, c->words.v.at[0], &t, e);
    if (s == FORE_OK)
        s = show_order(c, &t, &out, e);
    if (s == FORE_OK)
        s = strcmp(c->reporter->name, "json") == 0 ? fore_cli_write(c, &out, e)
                                                   : fore_cli_write_lines(c, &out, e);
    fore_strbuf_release(&out);
    fore_trace_release(&t);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static const struct fore_option options[] = {
    {"spec", 0, "F",
     "clocks of the writes that the specification F is about (algorithm A)"},
    {"edges", 0, "E,...",
     "what orders events: program, fork, join, channel, lock, condition, "
     "memory, atomic, message; or all. Default: all but memory; with --spec, all"},
    {"sparse", 0, NULL,
     "write clocks as {thread:time,...}; the default beyond 32 threads"},
    {0},
};

const struct fore_verb fore_verb_order = {
    .name = "order",
    .summary = "prints the vector clocks of a trace",
    .usage = "T [--spec F] [--edges E,...] [--sparse]",
    .details =
        "Prints for each communication its thread, the clock before it, what it was, and "
        "the\n"
        "clock after it, or '-' if the wait never ended. Two events are concurrent if "
        "neither's\n"
        "clock counts the other. The first line names the columns.\n"
        "\n"
        "With --spec, prints for each write of a variable of the specification the clock "
        "that\n"
        "counts such writes by thread. The computation lattice is made of these clocks.",
    .examples = "foresee order run.trace\n"
                "foresee order --spec safe.spec run.trace\n"
                "foresee order --edges program,fork,channel --json run.fst",
    .options = options,
    .ends_at_once = true,
    .run = run_order,
};
