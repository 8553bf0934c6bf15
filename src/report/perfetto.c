/* Chrome's trace-event JSON, which Perfetto opens: one track per thread, an operation from its
 * pre to its post as a slice, communications as flows, findings' alternatives in a category of
 * their own. The observed order is the time axis: one microsecond per event. */
#include "report/export.h"

#include "trace/format.h"

static void name_thread(struct fore_jsonw *w, const struct fore_tables *t,
                        uint32_t thread)
{
    struct fore_strbuf title = FORE_STRBUF_INIT;
    fore_strbuf_printf(&title, "%s %s", fore_tables_label(t, thread),
                       fore_tables_text(t, t->threads.at[thread].name));
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "ph", "M");
    fore_jsonw_text(w, "name", "thread_name");
    fore_jsonw_u64(w, "pid", 1);
    fore_jsonw_u64(w, "tid", thread);
    fore_jsonw_open(w, "args", '{');
    fore_jsonw_text(w, "name", title.at);
    fore_jsonw_close(w, '}');
    fore_jsonw_close(w, '}');
    fore_strbuf_release(&title);
}

static void write_flow(struct fore_jsonw *w, const char *phase, const char *category,
                       uint64_t id, uint32_t thread, size_t at)
{
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "ph", phase);
    fore_jsonw_text(w, "cat", category);
    fore_jsonw_text(w, "name", category);
    fore_jsonw_u64(w, "id", id);
    fore_jsonw_u64(w, "pid", 1);
    fore_jsonw_u64(w, "tid", thread);
    fore_jsonw_u64(w, "ts", at);
    if (phase[0] == 'f')
        fore_jsonw_text(w, "bp", "e");
    fore_jsonw_close(w, '}');
}

static void write_slice(struct fore_jsonw *w, const struct fore_trace *t, size_t i,
                        size_t from, struct fore_strbuf *b)
{
    const struct fore_event *e = &t->events.at[i];
    fore_strbuf_clear(b);
    fore_event_text(&t->tables, e, t->cases.at, b);
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "ph", "X");
    fore_jsonw_bytes(w, "name", b->at, b->n);
    fore_jsonw_text(w, "cat", fore_kind_name(e->kind));
    fore_jsonw_u64(w, "pid", 1);
    fore_jsonw_u64(w, "tid", e->thread);
    fore_jsonw_u64(w, "ts", from);
    fore_jsonw_u64(w, "dur", i - from + 1);
    if (e->where) {
        fore_strbuf_clear(b);
        fore_tables_place(&t->tables, e->where, b);
        fore_jsonw_open(w, "args", '{');
        fore_jsonw_bytes(w, "location", b->at, b->n);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, '}');
}

/* The event that is `index` (from 0) in the thread with this path, or the number of events. */
static size_t find_event(const struct fore_trace *t, const char *path, uint64_t index)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    uint32_t thread = 0;
    size_t found = t->events.n;
    for (uint32_t i = 1; i < t->tables.threads.n && !thread; i++) {
        fore_strbuf_clear(&b);
        fore_tables_path(&t->tables, i, &b);
        thread = strcmp(b.at, path) == 0 ? i : 0;
    }
    for (size_t i = 0; i < t->events.n && found == t->events.n; i++)
        if (t->events.at[i].thread == thread && index-- == 0)
            found = i;
    fore_strbuf_release(&b);
    return found;
}

static void write_alternatives(struct fore_jsonw *w, const struct fore_trace *t,
                               const struct fore_findings *f)
{
    for (size_t i = 0; f && i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        if (x->places.n < 2)
            continue;
        size_t a = find_event(t, x->places.at[0].path, x->places.at[0].index);
        size_t b = find_event(t, x->places.at[1].path, x->places.at[1].index);
        if (a == t->events.n || b == t->events.n)
            continue;
        size_t first = a < b ? a : b, second = a < b ? b : a;
        write_flow(w, "s", x->rule->name, t->events.n + i + 1, t->events.at[first].thread,
                   first);
        write_flow(w, "f", x->rule->name, t->events.n + i + 1,
                   t->events.at[second].thread, second);
    }
}

void fore_export_perfetto(const struct fore_trace *t, const struct fore_findings *f,
                          struct fore_strbuf *out)
{
    struct fore_jsonw w;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    uint32_t *partner = fore_trace_partners(t);
    size_t *open = fore_calloc(t->tables.threads.n, sizeof *open);
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_open(&w, "traceEvents", '[');
    for (uint32_t i = 1; i < t->tables.threads.n; i++)
        name_thread(&w, &t->tables, i);
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        bool pre = e->kind == FORE_EV_PRE || (e->flags & FORE_F_PRE);
        size_t from = open[e->thread] ? open[e->thread] - 1 : i;
        open[e->thread] = pre ? i + 1 : 0;
        if (!pre)
            write_slice(&w, t, i, from, &b);
        if (partner[i]) {
            size_t p = partner[i] - 1, first = p < i ? p : i, second = p < i ? i : p;
            write_flow(&w, "s", "communication", i + 1, t->events.at[first].thread,
                       first);
            write_flow(&w, "f", "communication", i + 1, t->events.at[second].thread,
                       second);
        }
    }
    /* What never ended lasts to the end of the trace. */
    for (uint32_t i = 1; i < t->tables.threads.n; i++)
        if (open[i])
            write_slice(&w, t, open[i] - 1, open[i] - 1, &b);
    write_alternatives(&w, t, f);
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(out, '\n');
    fore_strbuf_release(&b);
    fore_free(partner);
    fore_free(open);
}
